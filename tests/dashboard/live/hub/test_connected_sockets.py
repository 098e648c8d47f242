"""Tests of the connected sockets: a heartbeat reaches each once, some at a time."""

from __future__ import annotations

from dashboard.live.hub.browser_socket import Message, Socket
from dashboard.live.hub.connected_sockets import HEARTBEAT_BATCH, ConnectedSockets
from dashboard.live.hub.metrics import HubMetrics
from dashboard.live.hub.view_store import ViewStore
from tests.support.clock import FakeClock


async def _send(_: Message) -> None:
    """To nowhere."""


async def _close(_: int) -> None:
    """Nothing to close."""


def test_a_beat_reaches_each_socket_once_and_none_that_has_left_meanwhile() -> None:
    clock = FakeClock()
    audience = ConnectedSockets(ViewStore(clock), HubMetrics(), clock)
    sockets = [Socket(_send, _close, clock) for _ in range(HEARTBEAT_BATCH * 2 + 5)]
    for socket in sockets:
        audience.add(socket)
    audience.send_heartbeat("beat")
    assert sum(socket.sent_units > 0 for socket in sockets) == HEARTBEAT_BATCH
    left = next(socket for socket in sockets if not socket.sent_units)
    audience.remove(left)
    turns = 0
    while audience.is_heartbeat_pending:
        audience.continue_heartbeat()
        turns += 1
    assert turns == 2
    assert [socket.sent_units for socket in sockets if socket is not left] == [len("beat")] * (len(sockets) - 1)
    assert left.sent_units == 0
