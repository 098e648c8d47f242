"""Tests of the reader of a page's containers: its limit, and what may not be read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import cast

import pytest
from django.http import QueryDict

from dashboard.live.logs.container_stream import ContainerId
from dashboard.live.logs.container_streams import LogStreams, TooManyStreams
from dashboard.live.logs.log_ring import LogRing
from dashboard.objects.kinds.row import Row
from dashboard.pages.logs import log_source_reader
from dashboard.pages.logs.log_source_reader import MAX_SOURCES, LogSourceReader
from dashboard.pages.logs.query import LogsQuery
from informerd.logs.log_events import LogLines, LogMark
from tests.support.clock import FakeClock
from tests.support.wait import eventually

TIME = b"2026-11-28T07:00:00.000000001Z "


def pod(number: int) -> Row:
    whole = json.dumps({"spec": {"containers": [{"name": "main"}]}})
    row = Row(f"uid-{number}", "shop", f"web-{number}", "1", None, "Running", "ok", (), {})
    return cast("Row", PodRow(row, whole))


class PodRow:
    """A row whose object is not compressed."""

    def __init__(self, row: Row, whole: str) -> None:
        self._row, self._whole = row, whole

    def __getattr__(self, name: str) -> object:
        return getattr(self._row, name)

    def decode_object(self) -> object:
        return json.loads(self._whole)


class Streams:
    """Notes which logs are followed."""

    def __init__(self, most: int = 1000) -> None:
        self.joined: list[ContainerId] = []
        self._most = most

    def join(self, container: ContainerId, listener: object) -> tuple[object, list[object]]:
        if len(self.joined) >= self._most:
            raise TooManyStreams("there is no room")
        self.joined.append(container)
        stream = SimpleNamespace(has_ended=True, wait_until_begun=self._begun, begins_within=False, ring=LogRing(2**20))
        return stream, []

    async def _begun(self, seconds: float) -> None:
        """It has no line yet."""

    def leave(self, stream: object, listener: object) -> None:
        """Nothing is kept."""


def reader(
    streams: Streams, denied: str = "", query: LogsQuery | None = None, clock: FakeClock | None = None
) -> LogSourceReader:
    async def judge(container: ContainerId) -> str:
        return "you may not" if container.pod == denied else ""

    return LogSourceReader(query or LogsQuery(), cast("LogStreams", streams), judge, clock or FakeClock(), lambda: None)


async def test_no_more_containers_are_read_than_the_limit_however_pods_come_and_go() -> None:
    streams = Streams()
    logs = reader(streams)
    await logs.update([pod(number) for number in range(MAX_SOURCES + 10)])
    assert (len(streams.joined), logs.left_out) == (MAX_SOURCES, 10)
    await logs.update([pod(number) for number in range(500, 510)])
    assert (len(streams.joined), logs.left_out) == (MAX_SOURCES, 10)
    logs.log_event(logs.sources[0].container, LogMark("main", "gone", "The pod does not exist any more."))
    await logs.update([pod(number) for number in range(500, 510)])
    assert (len(streams.joined), logs.left_out) == (MAX_SOURCES + 1, 9)


async def test_a_log_that_may_not_be_read_is_not_joined_and_one_without_room_says_so() -> None:
    streams = Streams(most=1)
    logs = reader(streams, denied="web-0")
    await logs.update([pod(0), pod(1), pod(2)])
    assert [(source.state, source.words) for source in logs.sources] == [
        ("refused", "you may not"), ("reading", ""), ("full", "there is no room"),
    ]  # fmt: skip
    assert [each.pod for each in streams.joined] == ["web-1"]


async def test_a_refusal_is_marked_once_however_often_it_is_asked_again() -> None:
    logs = reader(Streams())
    await logs.update([pod(0)])
    container = logs.sources[0].container
    for words in ("you may not", "you may not", "you may not either"):
        logs.log_event(container, LogMark("main", "refused", words))
        await logs.ask_again()
    logs.log_event(container, LogLines("main", [TIME + b"a"]))
    logs.log_event(container, LogMark("main", "refused", "you may not either"))
    marks = [item.words for _, item in logs.store.flush() if not isinstance(item, bytes)]
    assert marks == ["you may not", "you may not either", "you may not either"]


def refused(number: int) -> str:
    """What the API server says where the kubelet does not answer."""
    url = f"https://10.0.0.1:10250/containerLogs/shop/web-{number}/main?follow=true"
    return f'The log cannot be read now: Get "{url}": dial tcp 10.0.0.1:10250: connect: connection refused'


async def test_one_outage_is_one_mark_however_many_containers_it_hits() -> None:
    clock = FakeClock()
    logs = reader(Streams(), clock=clock)
    await logs.update([pod(number) for number in range(11)])
    for source in logs.sources[:10]:
        logs.log_event(source.container, LogMark("main", "interrupted", refused(source.number)))
        await clock.advance(0.05)
    logs.log_event(logs.sources[10].container, LogMark("main", "interrupted", "The log cannot be read now: timeout"))
    assert {source.state for source in logs.sources} == {"interrupted"}
    await clock.advance(1.0)
    for source in logs.sources:
        logs.log_event(source.container, LogMark("main", "resumed", "The log goes on."))
    await clock.advance(0.05)
    await clock.advance(1.0)
    logs.log_event(logs.sources[3].container, LogMark("main", "interrupted", refused(3)))
    await clock.advance(0.05)
    await clock.advance(1.0)
    said = "the log cannot be read now: dial tcp 10.0.0.1:10250: connect: connection refused (and 1 other reason)"
    assert [(source, item.kind, item.words) for source, item in logs.store.flush() if not isinstance(item, bytes)] == [
        (-1, "interrupted", f"11 containers: {said}"),
        (-1, "resumed", "11 containers: the log goes on."),
        (3, "interrupted", refused(3)),
    ]


async def test_lines_of_an_outage_do_not_take_away_those_that_pages_have() -> None:
    logs = reader(Streams())
    await logs.update([pod(0), pod(1)])
    one, other = (source.container for source in logs.sources)
    for second in range(3):
        logs.log_event(one, LogLines("main", [line(second, "one")]))
        logs.log_event(other, LogLines("main", [line(second, "other")]))
        logs.store.flush()
    logs.store.is_whole = False
    for container in (one, other):  # both have been followed before; now one has its lines first
        logs.log_event(container, LogLines("main", [line(second) for second in range(10, 310)]))
        logs.store.flush()
    assert not logs.store.is_whole


async def test_a_log_that_failed_is_begun_again() -> None:
    streams = Streams()
    logs = reader(streams)
    await logs.update([pod(0)])
    for _ in range(2):
        logs.log_event(logs.sources[0].container, LogMark("main", "failed", "Deltaboard failed to follow this log"))
        assert logs.sources[0].state == "failed"
        await logs.ask_again()
    assert (logs.sources[0].state, len(streams.joined)) == ("reading", 3)
    assert marks_of(logs) == ["failed"]


async def test_a_log_that_is_begun_again_is_live_though_its_lines_are_known() -> None:
    logs = reader(Streams())
    await logs.update([pod(0)])
    container = logs.sources[0].container
    logs.log_event(container, LogLines("main", [TIME + b"a"]))
    logs.log_event(container, LogMark("main", "failed", "Deltaboard failed to follow this log"))
    await logs.ask_again()
    logs.log_event(container, LogLines("main", [TIME + b"a"]))
    assert logs.sources[0].state == "live"


async def test_lines_that_match_are_kept_and_marks_between_lines_stand_after_the_last_one() -> None:
    logs = reader(Streams())
    await logs.update([pod(0)])
    container = logs.sources[0].container
    logs.log_event(container, LogLines("main", [TIME + b"a"]))
    logs.log_event(container, LogMark("main", "restarted", "It runs again."))
    logs.log_event(container, LogLines("main", [TIME + b"b"]))
    kinds = [item if isinstance(item, bytes) else item.kind for _, item in logs.store.flush()]
    assert kinds == [TIME + b"a", "restarted", TIME + b"b"]
    assert logs.sources[0].state == "live"
    assert logs.store.histogram.total == 2


def line(second: int, text: str = "x") -> bytes:
    return f"2026-11-28T07:{second // 60:02d}:{second % 60:02d}.000000001Z {text}{second}".encode()


def lines_of(logs: LogSourceReader) -> list[bytes]:
    logs.store.flush()
    return [item for _, (_, item) in logs.store.buffer.newest(10_000) if isinstance(item, bytes)]


def marks_of(logs: LogSourceReader) -> list[str]:
    logs.store.flush()
    return [item.kind for _, (_, item) in logs.store.buffer.newest(10_000) if not isinstance(item, bytes)]


async def refuse_and_allow(logs: LogSourceReader) -> None:
    """The log may not be read for a moment; then it is followed anew, with the lines of before."""
    logs.log_event(logs.sources[0].container, LogMark("main", "refused", "you may not"))
    await logs.ask_again()


async def test_a_log_that_may_be_read_again_has_no_line_twice() -> None:
    logs = reader(Streams())
    await logs.update([pod(0)])
    container = logs.sources[0].container
    logs.log_event(container, LogLines("main", [line(1), line(2), line(3)]))
    await refuse_and_allow(logs)
    logs.log_event(container, LogLines("main", [line(2), line(3)]))
    logs.log_event(container, LogLines("main", [line(3), line(4)]))
    logs.log_event(container, LogLines("main", [line(5)]))
    assert lines_of(logs) == [line(number) for number in (1, 2, 3, 4, 5)]
    assert "gap" not in marks_of(logs)


async def test_a_log_that_may_be_read_again_says_where_lines_may_be_missing() -> None:
    logs = reader(Streams())
    await logs.update([pod(0)])
    container = logs.sources[0].container
    logs.log_event(container, LogLines("main", [line(1)]))
    await refuse_and_allow(logs)
    logs.log_event(container, LogLines("main", [line(8), line(9)]))
    assert lines_of(logs) == [line(1), line(8), line(9)]
    assert marks_of(logs) == ["refused", "gap"]


async def test_old_lines_of_a_log_that_begins_later_do_not_hide_the_newest_of_others() -> None:
    logs = reader(Streams())
    await logs.update([pod(0), pod(1)])
    busy, quiet = (source.container for source in logs.sources)
    logs.log_event(busy, LogLines("main", [line(number, "busy") for number in range(1_000, 1_400)]))
    logs.store.flush()
    logs.log_event(quiet, LogLines("main", [line(number, "quiet") for number in range(600)]))
    logs.store.flush()
    assert logs.store.is_whole, "pages need their lines anew"
    newest = [item for _, (_, item) in logs.store.buffer.newest(300)]
    assert newest == [line(number, "busy") for number in range(1_100, 1_400)]
    assert logs.store.histogram.total == 1_000


@pytest.mark.parametrize("is_meanwhile", [True, False])
async def test_lines_that_were_read_as_history_do_not_come_again_by_a_stream_that_opens_late(
    monkeypatch: pytest.MonkeyPatch, is_meanwhile: bool
) -> None:
    followed = LogLines("main", [line(2), line(3), line(4)])

    async def history(*_: object, **__: object) -> AsyncIterator[list[bytes]]:
        yield [line(1), line(2), line(3)]
        if is_meanwhile:
            logs.log_event(logs.sources[0].container, followed)

    monkeypatch.setattr(log_source_reader, "read_history", history)
    logs = reader(Streams(), query=LogsQuery.parse(QueryDict("q=x")))
    monkeypatch.setattr(logs, "log_clients", lambda: {1: object()})
    await logs.update([pod(0)])
    await eventually(lambda: logs.sources[0].is_read)
    if not is_meanwhile:
        logs.log_event(logs.sources[0].container, followed)
    assert lines_of(logs) == [line(number) for number in (1, 2, 3, 4)]


async def test_a_search_has_read_all_once_the_followed_lines_have_come_to_the_newest_that_there_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def history(*_: object, note_newest: Callable[[bytes], None], **__: object) -> AsyncIterator[list[bytes]]:
        yield [line(1)]
        note_newest(line(4))

    monkeypatch.setattr(log_source_reader, "read_history", history)
    clock = FakeClock()
    logs = reader(Streams(), query=LogsQuery.parse(QueryDict("q=x")), clock=clock)
    monkeypatch.setattr(logs, "log_clients", lambda: {1: object()})
    await logs.update([pod(0)])
    (source,) = logs.sources
    logs.log_event(source.container, LogLines("main", [line(2), line(3)]))
    await clock.advance(0.5)
    assert not source.is_read
    logs.log_event(source.container, LogLines("main", [line(4)]))
    await clock.advance(0.1)
    assert (source.is_read, source.is_whole) == (True, True)


async def test_a_search_does_not_wait_for_followed_lines_that_do_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    async def history(*_: object, note_newest: Callable[[bytes], None], **__: object) -> AsyncIterator[list[bytes]]:
        yield [line(1)]
        note_newest(line(4))

    monkeypatch.setattr(log_source_reader, "read_history", history)
    clock = FakeClock()
    logs = reader(Streams(), query=LogsQuery.parse(QueryDict("q=x")), clock=clock)
    monkeypatch.setattr(logs, "log_clients", lambda: {1: object()})
    await logs.update([pod(0), pod(1)])
    logs.log_event(logs.sources[0].container, LogLines("main", [line(2)]))
    await clock.advance(0.1)
    assert [source.is_read for source in logs.sources] == [False, True]  # of the second, nothing is followed yet
    for _ in range(12):
        await clock.advance(0.1)
    assert logs.sources[0].is_read
