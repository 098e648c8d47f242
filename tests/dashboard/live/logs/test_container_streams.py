"""Tests of logs that are followed once for many pages, within limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.live.logs.container_stream import ContainerId
from dashboard.live.logs.container_streams import UNUSED_SECONDS, LogStreams, TooManyStreams
from dashboard.live.logs.log_ring import OBJECT_BYTES, LogRing
from dashboard.live.replication.replicas import Replicas
from dashboard.pages.logs.line_buffer import time_bytes
from informerd.errors import Forbidden, Status
from informerd.logs.log_events import LogEvent, LogLines, LogMark
from informerd.logs.log_follower import TAIL
from informerd.rest.client import Client
from tests.support.clock import FakeClock
from tests.support.wait import eventually

LINE = b"2026-11-28T07:00:00.000000000Z hello"


class PodsReplica:
    """Pods of which each has one container that runs."""

    def __init__(self, *uids: str) -> None:
        status = {"name": "main", "containerID": "c://1", "state": {"running": {"startedAt": "2026-11-28T07:00:00Z"}}}
        pod = {"spec": {"containers": [{"name": "main"}]}, "status": {"containerStatuses": [status]}}
        self.rows = {uid: SimpleNamespace(decode_object=lambda: pod) for uid in uids}

    def on_change(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        return lambda: None


class LogClient:
    """Gives a log, which then goes on in silence; or refuses it, or fails."""

    def __init__(self, *, refuses: bool = False, fails: bool = False, lines: Sequence[bytes] = (LINE,)) -> None:
        self.lines = lines
        self.refuses = refuses
        self.fails = fails
        self.opened = 0

    @asynccontextmanager
    async def stream(self, path: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        self.opened += 1
        if self.refuses:
            raise Forbidden(Status(code=403, reason="Forbidden", message="you may not"))
        if self.fails:
            raise RuntimeError("a fault of the program")
        chunks = [b"".join(line + b"\n" for line in self.lines)]

        async def read() -> bytes:
            if chunks:
                return chunks.pop()
            await asyncio.Event().wait()
            return b""

        yield SimpleNamespace(read=read, close=lambda: None)


class Listener:
    """Somebody who has a page open, with these clients."""

    def __init__(self, *clients: LogClient) -> None:
        self.events: list[LogEvent] = []
        self.clients = {id(client): cast("Client", client) for client in clients}

    def log_event(self, container: ContainerId, event: LogEvent) -> None:
        self.events.append(event)

    def log_clients(self) -> Mapping[int, Client]:
        return self.clients

    @property
    def lines(self) -> list[bytes]:
        return [line for event in self.events if isinstance(event, LogLines) for line in event.lines]


def container(number: int) -> ContainerId:
    return ContainerId("shop", f"web-{number}", f"uid-{number}", "main")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def streams(clock: FakeClock) -> AsyncIterator[LogStreams]:
    replicas = {"pods": PodsReplica(*(f"uid-{number}" for number in range(5)))}
    made = LogStreams(cast("Replicas", replicas), clock, max_streams=2)
    running = asyncio.create_task(made.run())
    yield made
    running.cancel()
    await asyncio.wait([running])


async def test_a_log_is_read_once_and_who_comes_later_gets_what_there_was(streams: LogStreams) -> None:
    client, first, second = LogClient(), Listener(), Listener()
    first.clients = {1: cast("Client", client)}
    streams.join(container(0), first)
    await eventually(lambda: first.lines == [LINE])
    _, before = streams.join(container(0), second)
    assert before == [LogLines("main", [LINE])]
    assert (client.opened, len(streams), streams.lines) == (1, 1, 1)


@pytest.mark.parametrize(
    ("count", "later", "has_older"),
    [(TAIL, 0.0, True), (TAIL + 5, 0.0, True), (TAIL - 1, 0.0, False), (TAIL, 60.0, False)],
)
async def test_a_log_that_begins_with_as_many_lines_as_were_asked_for_may_have_older_ones(
    streams: LogStreams, clock: FakeClock, count: int, later: float, has_older: bool
) -> None:
    """Lines that are written `later` seconds after the log was asked for are new ones."""
    written = [time_bytes(int((clock.time() + later) * 1e9) + number) + b" x" for number in range(count)]
    listener = Listener(LogClient(lines=written))
    stream, _ = streams.join(container(0), listener)
    await eventually(lambda: listener.lines == written)
    assert stream.begins_within == has_older


async def test_where_one_may_not_read_it_another_ones_rights_are_tried_and_then_it_is_refused(
    streams: LogStreams,
) -> None:
    refused, allowed = LogClient(refuses=True), LogClient()
    listener = Listener(refused, allowed)
    streams.join(container(0), listener)
    await eventually(lambda: listener.lines == [LINE])
    nobody = Listener(LogClient(refuses=True))
    stream, _ = streams.join(container(1), nobody)
    await eventually(lambda: stream.has_ended)
    (mark,) = nobody.events
    assert isinstance(mark, LogMark)
    assert (mark.kind, "you may not" in mark.words) == ("refused", True)


async def test_a_log_that_failed_to_be_followed_says_so_and_is_followed_anew_by_the_next_join(
    streams: LogStreams, caplog: pytest.LogCaptureFixture
) -> None:
    client = LogClient(fails=True)
    listener = Listener(client)
    stream, _ = streams.join(container(0), listener)
    await eventually(lambda: stream.has_ended)
    (mark,) = listener.events
    assert isinstance(mark, LogMark)
    assert (mark.kind, "a fault of the program" in mark.words) == ("failed", True)
    assert "a log could not be followed further" in caplog.text
    client.fails = False
    again, _ = streams.join(container(0), listener)
    await eventually(lambda: listener.lines == [LINE])
    assert not again.has_ended


async def test_what_nobody_needs_ends_after_a_while_and_makes_room_at_once(
    streams: LogStreams, clock: FakeClock
) -> None:
    listener = Listener(LogClient())
    first, _ = streams.join(container(0), listener)
    streams.join(container(1), listener)
    with pytest.raises(TooManyStreams, match="follows 2 logs already"):
        streams.join(container(2), listener)
    streams.leave(first, listener)
    streams.join(container(2), listener)
    assert len(streams) == 2
    second, _ = streams.join(container(1), listener)
    streams.leave(second, listener)
    streams.leave(second, listener)
    clock.skip(UNUSED_SECONDS - 1)
    streams.sweep()
    assert len(streams) == 2
    clock.skip(2)
    streams.sweep()
    assert len(streams) == 1


def test_the_ring_keeps_the_newest_within_its_bytes() -> None:
    ring = LogRing(max_bytes=2 * (OBJECT_BYTES + 10))
    for number in range(5):
        ring.append(LogLines("main", [b"%010d" % number]))
    assert [event.lines for event in ring if isinstance(event, LogLines)] == [[b"%010d" % 3], [b"%010d" % 4]]
    ring.append(LogLines("main", [b"x" * 1000]))
    assert ring.size == OBJECT_BYTES + 1000
