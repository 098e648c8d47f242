"""Tests of the reads of history for moments: threads do them, and what cannot be read says why."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dashboard.live.history.part import HistoryUnavailable, Part
from dashboard.live.history.part_reader import PartReader
from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.history.version import ObjectName, Operation, Version
from dashboard.live.moments import history_objects
from dashboard.live.moments.history_objects import HistoryObjects, SearchLimit
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.history import START, Log, whole_object

SECOND = 1_000_000


def everything(_: Version) -> bool:
    return True


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A history: web is added, changed and deleted, db is added."""
    log = Log(SqliteParts(tmp_path))
    log.list_again("pods")
    log.change("pods", Operation.ADDED, whole_object("web", 1, uid="w"))
    log.change("pods", Operation.ADDED, whole_object("db", 2))
    log.change("pods", Operation.MODIFIED, whole_object("web", 3, uid="w", status={"phase": "Running"}))
    log.change("pods", Operation.DELETED, whole_object("web", 4, uid="w"))
    log.tick("pods")
    log.write()
    return log


def clock_after(log: Log) -> FakeClock:
    """A clock that shows an hour after what was recorded."""
    clock = FakeClock()
    clock.jump(log.now / SECOND + 3600 - clock.time())
    return clock


def objects_of(log: Log) -> HistoryObjects:
    return HistoryObjects(lambda: log.reader, clock_after(log))


async def times_of(history: HistoryObjects) -> list[float]:
    """The times of all changes, each asked for from the one before."""
    found: list[float] = []
    at: float | None = 0.0
    while (at := await history.next_change(at or 0.0, ["pods"], everything)) is not None:
        found.append(at)
    return found


async def test_steps_lead_through_all_changes_and_back(log: Log) -> None:
    history = objects_of(log)
    times = await times_of(history)
    assert len(times) == 4
    back: list[float] = []
    at: float | None = times[-1]
    while at is not None:
        back.append(at)
        at = await history.next_change(at, ["pods"], everything, earlier=True)
    assert back == times[::-1]


async def test_a_step_leads_to_what_is_shown_only(log: Log) -> None:
    history = objects_of(log)
    (first, *_) = await times_of(history)
    assert await history.next_change(first, ["pods"], lambda version: version.object.name == "db") is not None
    assert await history.next_change(first, ["pods"], lambda _: False) is None
    assert await history.next_change(0.0, ["services"], everything) is None


async def test_steps_of_one_object_lead_through_its_versions(log: Log) -> None:
    history = objects_of(log)
    version = log.reader.versions("pods", "default", "web")[0].object
    expected = [each.time / SECOND for each in log.reader.versions("pods", version.namespace, version.name)]
    place = version.namespace, version.name
    forth, at = list[float](), await history.next_change(0.0, ["pods"], everything, place=place)
    while at is not None:
        forth.append(at)
        at = await history.next_change(at, ["pods"], everything, place=place)
    assert forth == expected
    assert await history.next_change(expected[-1] + 1, ["pods"], everything, place=place, earlier=True) == expected[-1]
    assert await history.next_change(expected[0], ["pods"], everything, place=place, earlier=True) is None
    assert await history.next_change(0.0, ["pods"], lambda _: False, place=place) is None


async def test_a_step_of_an_object_reads_one_version_however_many_it_has(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = 0
    build = PartReader.version

    def count(reader: PartReader, name: ObjectName, row: Sequence[Any]) -> Version:
        nonlocal read
        read += 1
        return build(reader, name, row)

    monkeypatch.setattr(PartReader, "version", count)
    assert await objects_of(log).next_change(0.0, ["pods"], everything, place=("default", "web")) is not None
    assert read == 1


@pytest.mark.parametrize("earlier", [False, True])
async def test_a_search_among_very_many_changes_ends_and_says_how_far_it_came(
    log: Log, earlier: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = objects_of(log)
    times = await times_of(history)
    monkeypatch.setattr(history_objects, "MAX_SEARCHED", 2)
    at = times[-1] + 1 if earlier else times[0] - 1
    with pytest.raises(SearchLimit) as limit:
        await history.next_change(at, ["pods"], lambda _: False, earlier=earlier)
    assert (limit.value.at <= times[-2]) if earlier else (limit.value.at >= times[1])


async def test_a_search_ends_at_the_present_however_many_changes_it_has_passed(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    times, clock = await times_of(objects_of(log)), FakeClock()
    clock.jump(times[-2] - clock.time())
    history = HistoryObjects(lambda: log.reader, clock)
    monkeypatch.setattr(history_objects, "MAX_SEARCHED", 2)
    assert await history.next_change(times[0] - 1, ["pods"], lambda _: False) is None
    for place in (None, ("default", "web")):  # the worker's clock may be fast
        assert await history.next_change(times[-2], ["pods"], everything, place=place) is None


async def test_the_objects_of_a_moment_come_with_what_remains(log: Log) -> None:
    history = objects_of(log)
    times = await times_of(history)
    names = []
    for at in times:
        pages = [page async for page in history.objects_at("pods", at)]
        assert pages[-1].remaining == 0
        names.append(sum(len(page.objects) for page in pages))
    assert names == [1, 2, 2, 1]
    assert (await history.known_at("pods", times[-1])).is_recorded
    assert not (await history.known_at("pods", 1.0)).is_recorded
    assert not (await history.known_at("services", times[-1])).is_recorded
    assert (await history.begin() or 0) <= times[0]


async def test_the_changes_before_a_moment_have_the_states_before_them(log: Log) -> None:
    history = objects_of(log)
    times = await times_of(history)
    found = await history.changes_before("pods", times[2], 3600, 10)
    assert [change.version.operation for change in found.changes] == [
        Operation.ADDED, Operation.ADDED, Operation.MODIFIED,
    ]  # fmt: skip
    assert [change.before is None for change in found.changes] == [True, True, False]


async def test_no_history_and_a_database_that_is_away_are_told(caplog: pytest.LogCaptureFixture) -> None:
    """The log has the database's own words, which may have its address."""

    class Away(SqliteParts):
        def list(self, cluster: str) -> list[Part]:
            raise HistoryUnavailable("it burns")

    reader = HistoryReader(Away(Path("/nowhere")), "cluster")
    for history, words in (
        (HistoryObjects(lambda: None, FakeClock()), "no history is open yet"),
        (HistoryObjects(lambda: reader, FakeClock()), "its database cannot be used now"),
    ):
        with pytest.raises(HistoryUnavailable, match=words) as caught:
            await history.known_at("pods", 1.0)
        assert "it burns" not in str(caught.value)
    assert "it burns" in caplog.text


async def test_a_moment_of_the_last_seconds_waits_until_it_is_recorded_and_not_for_ever(log: Log) -> None:
    clock = clock_after(log)
    history = HistoryObjects(lambda: log.reader, clock)
    await history.wait_until_recorded(["pods"], clock.time() - 60)
    waiting = asyncio.create_task(history.wait_until_recorded(["pods"], clock.time()))
    for _ in range(40):
        await asyncio.sleep(0.01)
        await run_ready_tasks()
        await clock.advance(0.5)
        if waiting.done():
            break
    assert waiting.done()


async def test_the_changes_before_a_moment_in_a_gap_are_those_before_the_gap(log: Log) -> None:
    until = log.now
    log.now += 1200 * SECOND
    log.since = log.now
    log.tick("pods")
    at = (until + 600 * SECOND) / SECOND
    found = await objects_of(log).changes_before("pods", at, 3600, 10)
    assert [change.version.operation for change in found.changes] == [
        Operation.ADDED, Operation.ADDED, Operation.MODIFIED, Operation.DELETED,
    ]  # fmt: skip
    assert found.complete_from == START, "nothing was recorded before"
    (gap,) = found.gaps
    assert (gap.since, gap.until) == (until, round(at * SECOND) + 1)
