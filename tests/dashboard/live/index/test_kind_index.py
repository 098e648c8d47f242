"""Tests of the kind index: results equal filtering and sorting all rows anew, in any order of changes and readers."""

from __future__ import annotations

import asyncio
import random

import pytest
from django.http import QueryDict

from dashboard.access.rights import KindScope
from dashboard.live.index.index_store import IndexStore
from dashboard.live.index.kind_index import (
    MAX_IDLE_RESULTS,
    MAX_UNVIEWED_BUILDS,
    RESULT_TTL,
    UNVIEWED_BUILD_TTL,
    KindIndex,
)
from dashboard.live.index.result_set import ResultSet
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.live.replication.scoped_replicas import VisibleKind
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.objects.kinds.row import Row
from dashboard.objects.query.batch_filter import BatchFilter
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import WordTerm
from dashboard.runtime.time_slicing import TimeSlicer
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, Feeders, pod

MANY = 4_000
"""Rows that take several slices."""


def query(params: str) -> Query:
    return Query.parse(QueryDict(params), "pods")


class World:
    """A replica with its results, and fresh computations to compare them with."""

    def __init__(self, number: int = 0, *, is_scoped: bool = False) -> None:
        """`is_scoped`: of a scoped replica, whose rows have to be looked for."""
        self.clock = FakeClock()
        self.feed = Feeder("pods", self.clock, [made(n) for n in range(number)])
        self.slices = TimeSlicer()
        everything = VisibleKind(KindScope(is_everything=True), is_namespaced=True)
        replica = ScopedReplica(self.feed.replica, everything) if is_scoped else self.feed.replica
        self.results = KindIndex(replica, self.clock, self.slices)
        replica.on_change(self.results.apply)

    def expected(self, params: str) -> list[str]:
        asked, now = query(params), self.clock.time()
        rows = [row for row in self.feed.replica.rows.values() if asked.matches(row, now)]
        return [row.uid for row in sorted(rows, key=asked.sort_key)]

    def shown(self, params: str) -> list[str]:
        result = self.results.open_result(query(params))
        return result.window(0, len(result) + 1)

    async def settled(self) -> None:
        while len(self.slices):  # noqa: ASYNC110 - turns of the loop are what it needs
            await asyncio.sleep(0)


def made(number: int, version: int = 1, **cells: object) -> Row:
    values = {"status": "Running" if number % 5 else "Failed", "restarts": number % 9, "node": f"node-{number % 30}"}
    namespace = f"team-{number % 7}"
    return pod(f"p-{number:05d}", namespace=namespace, version=version, **{**values, **cells})  # type: ignore[arg-type]


PARAMS = [
    "",
    "sort=-restarts",
    "namespace=team-3",
    "namespace=team-1,team-2&q=status=Failed&sort=node",
    "q=status=Running",
    "q=p-0000",
    "q=restarts>3 -status=Failed&sort=-node",
    "q=age<1h&sort=age",
]


@pytest.mark.slow
@pytest.mark.parametrize("is_scoped", [False, True])
@pytest.mark.parametrize("params", PARAMS)
async def test_a_result_found_in_slices_while_rows_change_is_the_list(params: str, is_scoped: bool) -> None:
    world, chance = World(MANY, is_scoped=is_scoped), random.Random(params)
    result = world.results.open_result(query(params))
    assert not result.ready
    while not result.ready:
        world.feed.put(*[made(chance.randrange(MANY + 50), 2, restarts=chance.randrange(9)) for _ in range(5)])
        world.feed.drop(*chance.sample(list(world.feed.replica.rows), 2))
        await asyncio.sleep(0)
    await world.settled()
    assert world.shown(params) == world.expected(params)
    assert world.results.rows == world.feed.replica.rows


@pytest.mark.slow
async def test_all_results_follow_all_changes_together() -> None:
    world, chance = World(MANY), random.Random(1)
    for params in PARAMS:
        world.results.open_result(query(params))
    await world.settled()
    for round_ in range(30):
        statuses = chance.choice(["Running", "Failed", "Pending"])
        world.feed.put(
            *[made(chance.randrange(MANY + 99), 3 + round_, status=statuses) for _ in range(chance.choice([1, 40]))]
        )
        world.feed.drop(*chance.sample(list(world.feed.replica.rows), chance.choice([0, 3])))
    await world.settled()
    for params in PARAMS:
        assert world.shown(params) == world.expected(params), params
        result, asked = world.results.open_result(query(params)), query(params).without_statuses()
        rows = [row for row in world.feed.replica.rows.values() if asked.matches(row, world.clock.time())]
        assert result.facets.total() == len(rows), params


@pytest.mark.slow
async def test_a_relist_is_taken_in_by_slices_and_ends_as_the_list() -> None:
    world = World(MANY)
    result = world.results.open_result(query("q=status=Running&sort=-restarts"))
    await world.settled()
    before = result.window(0, 10)
    world.feed.put_and_drop([made(n, 2, restarts=0) for n in range(MANY, MANY * 2)], list(world.feed.replica.rows))
    assert len(world.slices) == 1
    assert all(uid in result.rows for uid in result.window(0, 100)), "what is shown is there, while it lasts"
    await world.settled()
    assert result.window(0, 10) != before
    assert world.shown("q=status=Running&sort=-restarts") == world.expected("q=status=Running&sort=-restarts")


def test_views_of_one_filter_and_order_share_a_result_and_orders_share_a_filter() -> None:
    world = World(20)
    one, page = world.results.open_result(query("q=status=Running&sort=-restarts")), query("q=status=Running&page=2")
    assert world.results.open_result(query("q=status=Running&sort=-restarts&page=4&columns=name")) is one
    other = world.results.open_result(page)
    assert other is not one
    assert other.matches is one.matches
    assert world.results.open_result(query("sort=-restarts")).sort_index is one.sort_index


def test_who_looks_is_told_what_changed_and_what_is_gone_and_of_nothing_else() -> None:
    world, told = World(30), list[tuple[set[str], set[str]]]()
    result = world.results.open_result(query("namespace=team-3"))
    result.listeners["me"] = lambda changed, gone: told.append((changed, gone))
    world.feed.put(made(4, 2))
    assert told == []
    world.feed.put(made(3, 2))
    world.feed.drop("uid-team-3-p-00010")
    assert told == [({"uid-team-3-p-00003"}, set()), (set(), {"uid-team-3-p-00010"})]


def test_time_alone_takes_rows_out() -> None:
    world = World()
    now = world.clock.time()
    world.feed.put(pod("old", created=now - 3590), pod("young", created=now))
    result = world.results.open_result(query("q=age<1h"))
    assert len(result) == 2
    assert world.results.next_due() == now + 10
    world.clock.skip(11)
    world.results.pass_time(world.clock.time())
    assert world.shown("q=age<1h") == ["uid-default-young"]


def test_what_nobody_looks_at_is_forgotten_after_a_while() -> None:
    world = World(5)
    kept, left = world.results.open_result(query("sort=node")), world.results.open_result(query("q=status=Failed"))
    kept.listeners["me"] = lambda changed, gone: None
    world.clock.skip(RESULT_TTL + 1)
    world.results.sweep()
    assert len(world.results) == 1
    assert world.results.open_result(query("sort=node")) is kept
    assert world.results.open_result(query("q=status=Failed")) is not left
    assert not left.listeners


@pytest.mark.slow
async def test_filters_that_nobody_waits_for_leave_no_work_behind() -> None:
    """Requests for one new filter after the other took the event loop for minutes."""
    world = World(MANY)
    viewed = world.results.open_result(query("q=p-0000"))
    viewed.listeners["a view"] = lambda *_: None
    results = [world.results.open_result(query(f"q=x{number}")) for number in range(50)]
    assert [each.is_dropped for each in results] == [True] * (50 - MAX_UNVIEWED_BUILDS) + [False] * MAX_UNVIEWED_BUILDS
    await asyncio.sleep(0)
    await world.settled()
    assert [each.ready for each in (viewed, *results)] == [True, *(not each.is_dropped for each in results)]
    assert world.shown("q=x3") == world.expected("q=x3")


@pytest.mark.slow
async def test_what_is_computed_for_nobody_is_dropped_after_a_while() -> None:
    world = World(MANY)
    result = world.results.open_result(query("q=p-0000"))
    world.clock.skip(UNVIEWED_BUILD_TTL / 2)
    world.results.sweep()
    assert not result.is_dropped
    world.clock.skip(UNVIEWED_BUILD_TTL)
    world.results.sweep()
    assert (result.is_dropped, len(world.results)) == (True, 0)
    await world.settled()
    assert not result.ready


def test_of_what_nobody_looks_at_only_the_latest_are_kept() -> None:
    world = World(5)
    seen = world.results.open_result(query("q=status=Failed"))
    seen.listeners["me"] = lambda changed, gone: None
    for number in range(MAX_IDLE_RESULTS + 10):
        world.clock.skip(0.1)
        world.results.open_result(query(f"q=restarts>{number}"))
    world.results.sweep()
    assert len(world.results) == MAX_IDLE_RESULTS + 1
    assert world.results.open_result(query("q=status=Failed")) is seen
    latest = world.results.open_result(query(f"q=restarts>{MAX_IDLE_RESULTS + 9}"))
    world.results.sweep()
    assert world.results.open_result(query(f"q=restarts>{MAX_IDLE_RESULTS + 9}")) is latest


def test_a_change_that_cannot_be_taken_in_ends_all_lists_and_freezes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(20)
    everybody, failed = world.results.open_result(query("")), world.results.open_result(query("q=status=Failed"))

    def broken(*_: object) -> None:
        raise RuntimeError("half taken in")

    monkeypatch.setattr(world.results.path_presence, "update", broken)
    world.feed.put(made(3, 2, node="node-x"))
    for result in (everybody, failed):
        assert isinstance(result.error, RuntimeError)
        with pytest.raises(RuntimeError, match="half taken in"):
            result.window(0, 10)
    assert isinstance(world.results.error, RuntimeError)
    assert len(world.results) == 0
    world.feed.put(made(4, 2))  # taken in by nobody, and harms nobody


async def test_lists_are_made_anew_after_all_of_them_had_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    feed = Feeder("pods", clock, [made(n) for n in range(9)])
    store, kind = IndexStore(Feeders(feed), clock), parse_kinds(["pods"])[0]
    feed.replica.on_change(lambda change: store.apply("pods", change))
    old = store.open_result(kind, query(""))
    with monkeypatch.context() as patch:
        patch.setattr("dashboard.live.index.path_presence.PathPresence.update", lambda *_: 1 / 0)
        feed.put(made(9))
    assert isinstance(old.error, ZeroDivisionError)
    feed.put(made(10))
    rows = await store.all_rows(kind, query(""))
    assert {row.name for row in rows} == {row.name for row in feed.replica.rows.values()}
    assert len(rows) == 11


def test_a_filter_that_fails_on_a_row_ends_its_own_result_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(5)
    failing, other = world.results.open_result(query("q=p-0")), world.results.open_result(query("q=status=Running"))
    told: list[ResultSet] = []
    failing.listeners["me"] = lambda changed, gone: told.append(failing)
    with monkeypatch.context() as patched:
        patched.setattr(WordTerm, "matches", lambda *_: 1 / 0)
        world.feed.put(made(2, 2, status="Pending"))
    assert told == [failing]
    with pytest.raises(ZeroDivisionError):
        failing.window(0, 9)
    assert other.window(0, 9) == world.expected("q=status=Running")
    assert world.shown("q=p-0") == world.expected("q=p-0"), "who asks again gets a new one"


def test_a_filter_that_cannot_be_found_says_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(5)
    with monkeypatch.context() as patched:
        patched.setattr(BatchFilter, "through", lambda *_: 1 / 0)
        result = world.results.open_result(query("q=p-0"))
    assert result.found_event.is_set()
    with pytest.raises(ZeroDivisionError):
        result.window(0, 9)


def test_time_takes_rows_out_though_they_are_due_in_a_year() -> None:
    world = World()
    now = world.clock.time()
    world.feed.put(pod("old", created=now - 3600), pod("young", created=now))
    result = world.results.open_result(query("q=age<365d"))
    year = 365 * 86400.0
    for seconds, left in ((year - 3700, 2), (year - 3590, 1), (year - 30, 1), (year + 500, 0)):
        world.clock.skip(now + seconds - world.clock.time())
        while (due := world.results.next_due()) is not None and due <= world.clock.time():
            world.results.pass_time(world.clock.time())
        assert len(result) == left, seconds
