"""The heartbeat reaches everybody, some at a time."""

from __future__ import annotations

from dashboard.live.audience import AT_ONCE, Audience
from dashboard.live.metrics import Metrics
from dashboard.live.socket import Message, Socket
from dashboard.live.view_store import ViewStore
from tests.clock import FakeClock


async def _send(_: Message) -> None:
    """To nowhere."""


async def _close(_: int) -> None:
    """Nothing to close."""


def test_a_beat_reaches_each_socket_once_and_none_that_has_left_meanwhile() -> None:
    clock = FakeClock()
    audience = Audience(ViewStore(clock), Metrics(), clock)
    sockets = [Socket(_send, _close, clock) for _ in range(AT_ONCE * 2 + 5)]
    for socket in sockets:
        audience.enter(socket)
    audience.beat("beat")
    assert sum(socket.sent > 0 for socket in sockets) == AT_ONCE
    left = next(socket for socket in sockets if not socket.sent)
    audience.leave(left)
    turns = 0
    while audience.beating:
        audience.beat_some()
        turns += 1
    assert turns == 2
    assert [socket.sent for socket in sockets if socket is not left] == [len("beat")] * (len(sockets) - 1)
    assert left.sent == 0
