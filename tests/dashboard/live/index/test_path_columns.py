"""Tests of path columns over many rows: computed in slices, updated by each change, shared, limited, and removed."""

from __future__ import annotations

import asyncio
import random
import re
from typing import Any
from urllib.parse import parse_qs

import pytest

from dashboard.live.hub.hub import Hub
from dashboard.live.index.index_store import IndexStore
from dashboard.live.index.kind_index import RESULT_TTL as RESULTS_KEPT
from dashboard.live.index.kind_index import KindIndex
from dashboard.live.index.path_columns import COLUMN_TTL, MAX_KEPT_LENGTH, PathColumns
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.paths.reader import PathReader, path_reader
from dashboard.objects.query.list_query import Query
from dashboard.runtime.time_slicing import TimeSlicer
from tests.support.clock import FakeClock
from tests.support.live.hub_with_browsers import Browser
from tests.support.live.replica_feeder import Feeder, Feeders, pod

NODE = FieldPath(".spec.nodeName")


def query(text: str) -> Query:
    return Query.parse(parse_qs(text), "pods")


def whole(number: int, **spec: Any) -> dict[str, Any]:
    return {"kind": "Pod", "spec": {"nodeName": f"node-{number % 7}", "priority": number % 11, **spec}}


class Kind:
    """Results of many pods, changed as a replica would be."""

    def __init__(self, number: int = 3000) -> None:
        self.clock = FakeClock()
        self.replica = Replica("pods", self.clock)
        self.chance = random.Random(number)
        for each in range(number):
            row = pod(f"pod-{each:05d}", obj=whole(each))
            self.replica.rows[row.uid] = row
        self.slices = TimeSlicer()
        self.results = KindIndex(self.replica, self.clock, self.slices)

    def put(self, name: str, version: int, obj: dict[str, Any]) -> None:
        row = pod(name, version=version, obj=obj)
        old = self.replica.rows.get(row.uid)
        self.replica.rows[row.uid] = row
        self.results.apply(Change(rows=[(old, row)]))

    def drop(self, name: str) -> None:
        old = self.replica.rows.pop(f"uid-default-{name}")
        self.results.apply(Change(rows=[(old, None)]))

    async def shown(self, text: str, size: int = 10_000) -> list[str]:
        result = self.results.open_result(query(text))
        await result.found_event.wait()
        await self.settle()
        return result.window(0, size)

    async def settle(self) -> None:
        while len(self.slices):  # noqa: ASYNC110 - turns of the loop are what it needs
            await asyncio.sleep(0)

    def anew(self, text: str) -> list[str]:
        """What the list shows, found without anything that is kept."""
        asked = query(text)
        rows = [row for row in self.replica.rows.values() if asked.matches(row, self.clock.time())]
        return [row.uid for row in sorted(rows, key=asked.sort_key)]


LISTS = (
    "sort=.spec.priority",
    "sort=-.spec.priority&q=.spec.nodeName=node-3",
    "q=.spec.nodeName=node-1,node-2&sort=.spec.nodeName",
    "q=-.spec.extra",
    "q=.spec.extra=*long*&sort=-.spec.extra",
)


@pytest.mark.slow
async def test_lists_by_path_stay_what_a_fresh_look_at_all_rows_gives() -> None:
    kind = Kind(700)
    for text in LISTS:
        assert await kind.shown(text) == kind.anew(text), text
    for step in range(300):
        name = f"pod-{kind.chance.randrange(720):05d}"
        if kind.chance.random() < 0.2 and f"uid-default-{name}" in kind.replica.rows:
            kind.drop(name)
        else:
            extra = {} if step % 3 else {"extra": kind.chance.choice(["short", "a long one " * 50, ["x", "long"], 7])}
            kind.put(name, step + 2, whole(kind.chance.randrange(99), **extra))
    await kind.settle()
    for text in LISTS:
        assert await kind.shown(text) == kind.anew(text), text


@pytest.mark.slow
async def test_rows_that_change_while_a_path_is_looked_at_are_shown_as_they_are_then() -> None:
    kind = Kind()
    result = kind.results.open_result(query("sort=.spec.priority&q=.spec.nodeName"))
    assert not result.ready
    step = 0
    while not result.ready:
        step += 1
        kind.put(f"pod-{kind.chance.randrange(3000):05d}", step + 1, whole(kind.chance.randrange(99)))
        if step % 5 == 0 and f"uid-default-pod-{step:05d}" in kind.replica.rows:
            kind.drop(f"pod-{step:05d}")
        await asyncio.sleep(0)
    await kind.settle()
    assert result.window(0, 10_000) == kind.anew("sort=.spec.priority&q=.spec.nodeName")


async def test_a_path_is_looked_at_once_for_all_lists_and_a_change_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = Kind(200)
    read: list[int] = []

    def counted(paths: tuple[FieldPath, ...]) -> PathReader:
        inner = path_reader(paths)

        def each(row: Any) -> Any:
            read.append(len(paths))
            return inner(row)

        return each

    monkeypatch.setattr("dashboard.live.index.path_columns.path_reader", counted)
    for text in LISTS[:3]:
        await kind.shown(text)
    assert sorted(read) == [1] * 400  # two paths, 200 rows each
    read.clear()
    kind.put("pod-00001", 2, whole(5))
    await kind.settle()
    assert read == [2]


@pytest.mark.slow
async def test_a_new_path_says_how_far_it_is_while_rows_are_not_there_yet() -> None:
    kind = Kind()
    result = kind.results.open_result(query("sort=.spec.priority"))
    told: list[tuple[str, int]] = []

    def tell(*_: object) -> None:
        told.append((result.pending_column.path.text if result.pending_column else "", result.scanned_count))

    result.listeners["a view"] = tell
    await result.found_event.wait()
    looking = [number for path, number in told if path == ".spec.priority"]
    assert len(looking) >= 5
    assert looking == sorted(looking)
    assert 0 < looking[0] < 3000
    assert told[-1] == ("", 3000)


async def test_a_column_goes_some_time_after_the_last_list_that_needs_it() -> None:
    kind = Kind(50)
    result = kind.results.open_result(query("sort=.spec.nodeName"))
    result.listeners["a view"] = lambda *_: None
    for _ in range(10):
        await kind.clock.advance(60)
        kind.results.sweep()
    assert NODE in kind.results.path_columns
    result.listeners.clear()
    await kind.clock.advance(RESULTS_KEPT + 1)
    kind.results.sweep()
    await kind.clock.advance(COLUMN_TTL - RESULTS_KEPT - 2)
    kind.results.sweep()
    assert NODE in kind.results.path_columns
    await kind.clock.advance(2)
    kind.results.sweep()
    assert NODE not in kind.results.path_columns
    assert await kind.shown("sort=.spec.nodeName") == kind.anew("sort=.spec.nodeName")


async def test_long_values_are_not_kept_and_found_all_the_same() -> None:
    slices, clock = TimeSlicer(), FakeClock()
    long = "x" * (MAX_KEPT_LENGTH + 1)
    row = pod("a", obj={"spec": {"nodeName": long}})
    columns = PathColumns({row.uid: row}, clock, slices)
    (column,) = columns.use([NODE])
    assert column.ready
    assert columns.values(NODE, row) == (long,)
    assert long not in str(column._values)
    assert len(column) == 1


async def test_a_path_that_no_object_has_is_known_until_one_has() -> None:
    kind = Kind(300)
    told: list[str] = []
    paths = tuple(map(FieldPath, (".spec.foo", ".spec.nodeName")))
    sightings = kind.results.path_presence
    sightings.watch("one view", paths, lambda: told.append("told"))
    await kind.settle()
    assert sightings.absent(paths) == paths[:1]
    assert told
    told.clear()
    kind.put("pod-00007", 2, whole(7, foo="bar"))
    await kind.settle()
    assert sightings.absent(paths) == ()
    assert told == ["told"]
    sightings.unwatch("one view")
    assert sightings.absent((FieldPath(".spec.other"),)) == ()


@pytest.mark.slow
async def test_a_path_that_comes_while_it_is_being_looked_for_is_not_called_absent() -> None:
    kind = Kind()
    paths = (FieldPath(".spec.foo"),)
    kind.results.path_presence.watch("view", paths, lambda: None)
    assert len(kind.slices)  # it has passed the first row, and is not done
    kind.put("pod-00000", 2, whole(0, foo="bar"))
    kind.put("new", 1, whole(1, foo="bar"))
    await kind.settle()
    assert kind.results.path_presence.absent(paths) == ()


async def test_what_reads_all_columns_is_made_once_for_all_new_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Kind(10)
    made: list[int] = []

    def counted(paths: tuple[FieldPath, ...]) -> PathReader:
        made.append(len(paths))
        return path_reader(paths)

    monkeypatch.setattr("dashboard.live.index.path_columns.path_reader", counted)
    kind.results.open_result(query("q=" + "+".join(f".spec.f{number}=1" for number in range(10))))
    assert made == [1] * 10  # each for the look at its own path
    kind.put("pod-00001", 2, whole(1))
    kind.put("pod-00002", 2, whole(2))
    await kind.settle()
    assert made[10:] == [10]


async def test_a_path_that_a_list_is_sorted_by_is_not_looked_at_twice_to_know_that_none_has_it() -> None:
    kind = Kind(300)
    kind.results.open_result(query("sort=.spec.foo"))
    kind.results.path_presence.watch("view", (FieldPath(".spec.foo"),), lambda: None)
    await kind.settle()
    assert kind.results.path_presence.absent((FieldPath(".spec.foo"),)) == (FieldPath(".spec.foo"),)


async def test_a_new_path_for_which_there_is_no_room_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    feeders = Feeders(Feeder("pods", clock, [pod(f"pod-{each}", obj=whole(each)) for each in range(100)]))
    monkeypatch.setattr("dashboard.live.index.index_store.MAX_VALUES", 250)
    store, kind = IndexStore(feeders, clock), KINDS["pods"]
    looked_at = store.open_result(kind, query("sort=.spec.nodeName&q=.spec.priority>3"))
    looked_at.listeners["a view"] = lambda *_: None
    left = store.fit_query(kind, query("q=web .spec.foo=1&sort=.spec.nodeName&columns=name,.spec.bar"))
    assert left.query_string() == "q=web&sort=.spec.nodeName&columns=name,.spec.bar"
    (problem,) = left.problems
    assert problem.message.startswith(".spec.foo is left out: this server keeps")
    assert store.fit_query(kind, left) == left
    looked_at.listeners.clear()
    await clock.advance(RESULTS_KEPT + 1)
    store.sweep()
    assert store.fit_query(kind, query("q=.spec.foo=1")).problems == ()


@pytest.mark.slow
async def test_a_browser_is_told_how_far_a_new_path_is_and_then_gets_the_rows() -> None:
    clock = FakeClock()
    feeders = Feeders(
        Feeder("pods", clock, [pod(f"pod-{each:05d}", obj=whole(each)) for each in range(4000)]),
        Feeder("namespaces", clock),
    )
    hub = Hub(feeders, clock)
    hub.index.slices._seconds = 0.0  # a step a turn, however fast the machine is
    browser = Browser(hub, clock).join("sort=-.spec.priority")
    assert "Looking at <code>.spec.priority</code>" in browser.frames[0]["content"]
    said: set[str] = set()
    for _ in range(500):  # 4,000 rows in steps of 64, and some more turns to sort them
        html = "".join(frame["content"] for frame in browser.updates)
        said |= set(re.findall(r"</code>: ([\d,]+) of 4,000", html))
        if "row-uid" in html:
            break
        browser.acknowledge()
        await asyncio.sleep(0)
        clock.skip(1.0)
        hub.tick()
    assert len(said) > 2
    assert re.search(r'row-uid-default-(pod-\d+)"', html)[1] == "pod-00010"  # type: ignore[index]
