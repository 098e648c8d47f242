"""Tests of the recorder: what it records, what it does when there is no room or no right, and two of them at once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from dashboard.live.history import kind_recording, recorder, recorder_thread
from dashboard.live.history import reader as history_reader
from dashboard.live.history.change_queue import Change, ChangeQueue, Item
from dashboard.live.history.kind_recording import INTERRUPTED
from dashboard.live.history.part import Parts, RecorderSession
from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.recorder_thread import CLOCK_BEHIND
from dashboard.live.history.spans import NO_RECORDER
from dashboard.live.history.verify import verify_part
from dashboard.live.history.version import Gap, Operation
from informerd.clock import SystemClock
from informerd.objects import Object
from tests.support.live.history import ListedPods, history_database, recorded, recording, whole_object
from tests.support.wait import eventually


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals in which tests need not wait."""
    monkeypatch.setattr(recorder, "TICK", 0.02)
    monkeypatch.setattr(recorder_thread, "IDLE_SECONDS", 0.0)
    monkeypatch.setattr(recorder_thread, "RETRY_SECONDS", 0.02)
    monkeypatch.setattr(recorder_thread, "MAX_RETRY_SECONDS", 0.02)
    monkeypatch.setattr(recorder_thread, "STANDBY_SECONDS", 0.02)
    monkeypatch.setattr(kind_recording, "CATCH_UP", 1000)
    monkeypatch.setattr(history_reader, "GRACE", 0)


@pytest.fixture
def parts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Parts]:
    """SQLite, unless a test asks for another database."""
    with history_database(getattr(request, "param", "sqlite"), tmp_path) as made:
        yield made


BOTH = pytest.mark.parametrize(
    "parts", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True
)


def now() -> int:
    return int(time.time() * 1e6)


def reader(parts: Parts) -> HistoryReader:
    return HistoryReader(parts, "cluster")


async def test_a_database_that_takes_long_to_open_is_not_taken_for_another_worker(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, is_open = parts.begin_recording, threading.Event()

    def begin_late(cluster: str) -> RecorderSession | None:
        is_open.wait(30)
        return begin(cluster)

    monkeypatch.setattr(parts, "begin_recording", begin_late)
    async with recording(parts) as running:
        await eventually(lambda: running.thread is not None)
        assert running.state == "beginning to record"
        assert running.describe() == "beginning to record, 0 changes wait"
        is_open.set()
        await eventually(lambda: "recording since" in running.describe())


def names(parts: Parts, at: int) -> set[str]:
    """Names of the pods that existed at a moment."""
    steps = reader(parts).objects_at("pods", at)
    return {each.version.object.name for step in steps for each in step.objects}


def gaps(parts: Parts, since: int) -> list[Gap]:
    """The gaps that have ended."""
    return [gap for gap in reader(parts).gaps("pods", since, now()) if gap.until is not None]


async def covered(parts: Parts) -> None:
    """Wait until it is known that all was recorded until this moment."""
    at = now()
    await eventually(lambda: (reader(parts).recorded_until("pods") or 0) >= at)


def operations(parts: Parts, name: str) -> list[Operation]:
    return [each.operation for each in reader(parts).versions("pods", "default", name)]


class SyncingPods(ListedPods):
    """Pods of which a list is on its way until `come`."""

    def __init__(self, *objects: Object) -> None:
        super().__init__(*objects)
        self.state, self.has_synced = "syncing", False

    def come(self) -> None:
        self.state, self.has_synced = "live", True


class ListingQueue(ChangeQueue):
    """Knows whether an object has been put into it."""

    has_object = False

    def put(self, item: Item) -> bool:
        has_room = super().put(item)
        self.has_object |= isinstance(item, Change) and not self.is_ring
        return has_room


async def test_what_lists_bring_is_written_after_they_have_come(parts: Parts) -> None:
    pods = SyncingPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)):
        await asyncio.sleep(0.3)
        assert reader(parts).versions("pods", "default", "a") == []
        pods.come()
        await recorded(parts, pods.objects["uid-a"])


@pytest.mark.parametrize("constant", ["LISTING_SECONDS", "MAX_BATCH"])
async def test_lists_that_take_long_and_many_changes_hold_nothing_up(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, constant: str
) -> None:
    monkeypatch.setattr(recorder_thread, constant, {"LISTING_SECONDS": 0.2, "MAX_BATCH": 1}[constant])
    pods = SyncingPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)):
        pods.put("b")
        await recorded(parts, pods.objects["uid-a"])


async def test_memory_is_given_back_once_a_list_has_been_written(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(recorder_thread, "list_ended", calls.append)
    pods = ListedPods()
    pods.put("b")
    listed = pods.put("a")
    async with recording(parts, ("pods", pods)):
        await recorded(parts, listed)
        await eventually(lambda: len(calls) == 1, what="the end of the list is written")
        changed = pods.put("a", spec={"nodeName": "n-1"})
        await recorded(parts, changed)
    assert calls == [2]


async def test_a_recorder_that_waits_for_lists_ends_at_once_and_writes_what_it_has(parts: Parts) -> None:
    pods, queue = SyncingPods(whole_object("a", 1)), ListingQueue()
    async with recording(parts, ("pods", pods), queue=queue):
        await eventually(lambda: queue.has_object, what="what the list has brought waits to be written")
        assert operations(parts, "a") == []
        began = time.monotonic()
    assert time.monotonic() - began < recorder_thread.LISTING_SECONDS
    assert operations(parts, "a") == [Operation.FOUND]


async def test_a_list_and_every_change_after_it_is_recorded(parts: Parts) -> None:
    pods = ListedPods(whole_object("a", 1), whole_object("b", 2))
    async with recording(parts, ("pods", pods)):
        await recorded(parts, pods.objects["uid-b"])
        changed = pods.put("a", spec={"x": 1})
        made = pods.put("c")
        await recorded(parts, made)
        before = now()
        pods.delete("b")
        await eventually(lambda: operations(parts, "b") == [Operation.FOUND, Operation.DELETED])
        assert names(parts, before) == {"a", "b", "c"}
        assert names(parts, now()) == {"a", "c"}
        assert operations(parts, "a") == [Operation.FOUND, Operation.MODIFIED]
        assert operations(parts, "c") == [Operation.ADDED]
        assert (await recorded(parts, changed)).version.manager == "kubectl"
        await covered(parts)
        assert reader(parts).gap_at("pods", before) is None


async def test_what_is_deleted_is_found_by_a_part_of_its_name(parts: Parts) -> None:
    pods = ListedPods(whole_object("Web_1", 1), whole_object("web-2", 2), whole_object("web-3", 3))
    async with recording(parts, ("pods", pods)):
        await recorded(parts, pods.objects["uid-web-3"])
        pods.delete("Web_1")
        pods.delete("web-2")
        await eventually(lambda: len(reader(parts).find_ended("web")) == 2)
        assert [each.object.name for each in reader(parts).find_ended("B_1")] == ["Web_1"]
        assert reader(parts).find_ended("web", "nodes") == []
        assert [each.object.name for each in reader(parts).find_ended("web", "pods", 1)] == ["web-2"]


async def test_the_changes_of_a_span_come_newest_first(parts: Parts) -> None:
    pods, nodes = ListedPods(), ListedPods()
    async with recording(parts, ("pods", pods), ("nodes", nodes)):
        await covered(parts)
        begin = now()
        for number in range(5):
            pods.put("a", number=number)
        nodes.put("n")
        await recorded(parts, nodes.objects["uid-n"], "nodes")
        found = [each for step in reader(parts).changes(begin, now()) for each in step]
        assert [each.object.name for each in found] == ["n", "a", "a", "a", "a", "a"]
        of_pods = [each for step in reader(parts).changes(begin, found[2].time, ["pods"]) for each in step]
        assert [each.time for each in of_pods] == [each.time for each in found[3:]]
        stored = reader(parts).read(of_pods[0])
        assert stored is not None
        assert b'"number":2' in stored.json


@BOTH
async def test_after_a_restart_it_says_what_differs_and_that_there_was_a_gap(parts: Parts) -> None:
    pods = ListedPods(*(whole_object(name, number) for number, name in enumerate(["same", "changed", "gone"], 1)))
    async with recording(parts, ("pods", pods)):
        await recorded(parts, pods.objects["uid-gone"])
        await covered(parts)
    ended = now()
    changed = pods.put("changed", spec=1)
    pods.delete("gone")
    pods.put("new")
    await asyncio.sleep(0.05)
    async with recording(parts, ("pods", pods)):
        await recorded(parts, changed)
        await eventually(lambda: operations(parts, "gone") == [Operation.FOUND, Operation.MISSING])
        assert operations(parts, "same") == [Operation.FOUND]
        assert operations(parts, "changed") == [Operation.FOUND, Operation.DIFFERS]
        assert operations(parts, "new") == [Operation.FOUND]
        await covered(parts)
        (gap,) = gaps(parts, ended - 1)
        assert gap.reason == NO_RECORDER
        assert gap.since <= ended + 50_000
        assert gap.until is not None
        assert gap.until > ended + 40_000
        again = pods.put("same", spec=2)  # its difference from what another process wrote
        await recorded(parts, again)
    assert verify_part(parts, parts.list("cluster")[0]).problems == []


async def test_what_cannot_be_read_after_a_restart_is_not_gone(parts: Parts) -> None:
    pods = ListedPods(whole_object("a", 1), whole_object("b", 2))
    async with recording(parts, ("pods", pods)):
        await recorded(parts, pods.objects["uid-b"])
    pods.objects.clear()
    pods.unreadable = {"default/a": "nested too deeply"}
    async with recording(parts, ("pods", pods)):
        await eventually(lambda: operations(parts, "b")[-1] is Operation.MISSING)
        assert operations(parts, "a") == [Operation.FOUND]
        assert pods.handler is not None
        pods.handler.on_delete(whole_object("a", 1), True)
        pods.put("c")
        await recorded(parts, pods.objects["uid-c"])
        assert operations(parts, "a") == [Operation.FOUND]


async def test_what_an_interrupted_watch_missed_is_a_gap(parts: Parts) -> None:
    pods = ListedPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)):
        await covered(parts)
        pods.state = "stale"
        await asyncio.sleep(0.1)
        during = now()
        await asyncio.sleep(0.1)
        pods.state, pods.relists = "live", 1
        await eventually(lambda: len(gaps(parts, parts.list("cluster")[0].begin)) == 2)
        gap = reader(parts).gap_at("pods", during)
        assert gap is not None
        assert gap.reason == INTERRUPTED
        await covered(parts)


async def test_a_watch_that_is_resumed_without_a_list_makes_no_gap(parts: Parts) -> None:
    pods = ListedPods(whole_object("a", 1))
    async with recording(parts, ("pods", pods)):
        await covered(parts)
        begin = now()
        pods.state = "stale"
        await asyncio.sleep(0.1)
        pods.state = "live"
        await recorded(parts, pods.put("a", spec=1))
        await covered(parts)
        assert gaps(parts, begin) == []


async def test_an_overflow_is_a_gap_after_which_the_last_state_is_right(parts: Parts) -> None:
    pods = ListedPods(whole_object("a", 1), whole_object("b", 2))
    async with recording(parts, ("pods", pods), queue=ChangeQueue(max_changes=5)) as running:
        await recorded(parts, pods.objects["uid-b"])
        await covered(parts)
        for number in range(50):
            pods.put("a", number=number)
        pods.delete("b")
        assert running.lost > 0
        await recorded(parts, pods.objects["uid-a"])
        await eventually(lambda: operations(parts, "b")[-1] is Operation.MISSING)
        await covered(parts)
        found = gaps(parts, parts.list("cluster")[0].begin)
        assert [gap.reason for gap in found][1:] == ["more changed than could be written"]
        assert operations(parts, "a")[-1] is Operation.DIFFERS


class ShiftedClock(SystemClock):
    """The machine's clock, set to another time."""

    shift = 0.0

    def time(self) -> float:
        return super().time() + self.shift


async def test_times_go_on_where_the_clock_is_set_back(parts: Parts, caplog: pytest.LogCaptureFixture) -> None:
    pods, clock = ListedPods(whole_object("a", 1)), ShiftedClock()
    async with recording(parts, ("pods", pods), clock=clock):
        before = pods.put("a", spec=0)
        await recorded(parts, before)
        await covered(parts)
        clock.shift = -3600.0
        for number in range(1, 4):
            pods.put("a", spec=number)
        await recorded(parts, pods.objects["uid-a"])
        times = [each.time for each in reader(parts).versions("pods", "default", "a")]
        assert times == sorted(set(times))
        assert 0 < times[-1] - times[1] < 10_000_000
        assert "the clock was set back by 3600 s" in caplog.text
        assert reader(parts).gap_at("pods", times[-1]) is None
        ended = times[-1]
    pods.put("a", spec=8)
    async with recording(parts, ("pods", pods), clock=clock):  # the gap is there though the clock is before it
        await recorded(parts, pods.put("a", spec=9))
        await eventually(lambda: [gap.reason for gap in gaps(parts, ended)] == [CLOCK_BEHIND])
    assert len(parts.list("cluster")) == 1
    assert verify_part(parts, parts.list("cluster")[0]).problems == []


async def test_the_account_may_no_longer_list_a_namespace(parts: Parts) -> None:
    pods = ListedPods(whole_object("a", 1))
    async with recording(parts) as running:
        following = running.follow("pods", pods)
        assert following is not None
        await recorded(parts, pods.objects["uid-a"])
        following.forget_namespace("default")
        await eventually(lambda: operations(parts, "a")[-1] is Operation.UNSEEN)
        assert names(parts, now()) == set()
        assert pods.handler is not None
        pods.handler.on_add(pods.objects["uid-a"], True)
        await eventually(lambda: operations(parts, "a")[-1] is Operation.FOUND)
        assert names(parts, now()) == {"a"}


async def test_what_is_in_a_namespace_that_is_no_longer_listed_is_not_said_to_be_gone(parts: Parts) -> None:
    a, b, c = (whole_object(name, 1, namespace=f"of-{name}") for name in "abc")
    async with recording(parts, ("pods", ListedPods(a, b, c))):
        await recorded(parts, c)
    pods = ListedPods(b)
    pods.namespaces = ("of-b", "of-c")
    async with recording(parts, ("pods", pods)):
        await eventually(lambda: names(parts, now()) == {"b"})
    last = {name: reader(parts).versions("pods", f"of-{name}", name)[-1].operation for name in "abc"}
    assert last == {"a": Operation.UNSEEN, "b": Operation.FOUND, "c": Operation.MISSING}


@BOTH
async def test_two_recorders_write_each_version_once_and_the_second_takes_over_without_a_gap(parts: Parts) -> None:
    first, second = ListedPods(whole_object("a", 1)), ListedPods(whole_object("a", 1))
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(recording(parts, ("pods", first)))
        await eventually(lambda: one.is_recording)
        other = await stack.enter_async_context(recording(parts, ("pods", second)))
        await recorded(parts, first.objects["uid-a"])
        await covered(parts)
        begin = now()
        for number in range(20):
            first.put("a", spec=number), second.put("a", spec=number)
            await asyncio.sleep(0.005)
        await recorded(parts, first.objects["uid-a"])
        assert not other.is_recording
        assert one.thread is not None
        one.thread.stop()  # as if its process had ended: it hears of nothing more
        assert one.thread.join(5)
        last = None
        for number in range(20, 40):
            last = second.put("a", spec=number)
            await asyncio.sleep(0.005)
        assert last is not None
        await eventually(lambda: other.is_recording)
        await recorded(parts, last)
        found = [each.operation for each in reader(parts).versions("pods", "default", "a", since=begin)]
        assert found == [Operation.MODIFIED] * 40
        await covered(parts)
        assert gaps(parts, begin) == []
    assert verify_part(parts, parts.list("cluster")[0]).problems == []
