"""Tests of the limits of path columns: their caps, eviction, and the message when there is no room."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.live.hub.hub import Hub
from dashboard.live.index.index_store import IndexStore, PathCacheFull
from dashboard.live.index.path_columns import MAX_COLUMNS
from dashboard.live.index.result_set import ResultSet
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.lists.live_list import open_list
from tests.dashboard.live.index.test_path_columns import query, whole
from tests.support.clock import FakeClock
from tests.support.live.hub_with_browsers import Browser
from tests.support.live.replica_feeder import Feeder, Feeders, pod

PODS = KINDS["pods"]


def some_pods(clock: FakeClock, number: int) -> Feeders:
    return Feeders(Feeder("pods", clock, [pod(f"pod-{each:05d}", obj=whole(each)) for each in range(number)]))


def look(result: ResultSet) -> None:
    result.listeners["a view"] = lambda *_: None


def kept(store: IndexStore) -> int:
    return sum(each.path_columns.size for each in store._by_key.values())


async def test_what_asks_for_all_rows_keeps_to_the_cap_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.index.index_store.MAX_VALUES", 30)
    store = IndexStore(some_pods(clock := FakeClock(), 10), clock)
    for number in range(5):  # nobody looks at these: the later make the earlier go
        await store.all_rows(PODS, query(f"q=.spec.f{number}"))
        assert kept(store) <= 30
    look(store.open_result(PODS, query("q=.spec.f2 .spec.f3 .spec.f4")))
    with pytest.raises(PathCacheFull, match=r"^\.spec\.other is left out: this server keeps at most [\d,]+ values"):
        await store.all_rows(PODS, query("sort=.spec.other"))
    assert len(await store.all_rows(PODS, query("sort=-.spec.f3"))) == 10


async def test_a_kind_of_few_rows_has_no_endless_columns() -> None:
    store = IndexStore(some_pods(clock := FakeClock(), 3), clock)
    for start in range(0, MAX_COLUMNS, 10):
        look(store.open_result(PODS, query("q=" + "+".join(f".spec.f{start + each}" for each in range(10)))))
    fitted = store.fit_query(PODS, query("q=.spec.f7 .spec.other"))
    assert fitted.query_string() == "q=.spec.f7"
    assert f"keeps at most {MAX_COLUMNS} fields by path of a kind" in fitted.problems[0].message


async def test_of_new_paths_the_first_have_the_room_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.index.index_store.MAX_VALUES", 25)
    store = IndexStore(some_pods(clock := FakeClock(), 10), clock)
    assert store.fit_query(PODS, query("q=.spec.a .spec.b .spec.c")).query_string() == "q=.spec.a+.spec.b"


async def test_idle_results_make_room_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.index.index_store.MAX_VALUES", 30)
    store = IndexStore(some_pods(clock := FakeClock(), 10), clock)
    results = {}
    for name in ("seen", "older", "newer"):
        results[name] = store.open_result(PODS, query(f"q=.spec.{name}"))
        await clock.advance(1)
    look(results["seen"])
    assert store.fit_query(PODS, query("q=.spec.fresh")).problems == ()
    store.open_result(PODS, query("q=.spec.fresh"))
    assert store.open_result(PODS, query("q=.spec.seen")) is results["seen"]
    assert store.open_result(PODS, query("q=.spec.newer")) is results["newer"]
    assert kept(store) == 30


async def test_idle_lists_make_room_and_those_that_somebody_looks_at_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.index.index_store.MAX_VALUES", 20)
    hub = Hub(some_pods(clock := FakeClock(), 10), clock)
    left = Browser(hub, clock).join("q=.spec.nodeName=node-1")
    hub.leave(left.socket)
    await clock.advance(1)
    stays = Browser(hub, clock).join("q=.spec.priority=3")
    new = open_list(hub, PODS, query("sort=.spec.foo"))
    assert (new.query.problems, new.query.sort) == ((), (".spec.foo", False))
    assert len(hub.views) == 2
    assert not stays.closed
    Browser(hub, clock).join("sort=.spec.foo")
    assert open_list(hub, PODS, query("q=.spec.nodeName=node-1")).query.problems


@pytest.mark.slow
async def test_rows_that_somebody_waits_for_are_not_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.index.index_store.MAX_VALUES", 3000)
    store = IndexStore(some_pods(clock := FakeClock(), 3000), clock)
    rows = asyncio.create_task(store.all_rows(PODS, query("sort=.spec.priority")))
    await asyncio.sleep(0)
    while not rows.done():
        assert store.fit_query(PODS, query("sort=.spec.other")).problems
        await asyncio.sleep(0)
        if store.open_result(PODS, query("sort=.spec.priority")).ready:
            break
    assert len(await rows) == 3000
    assert store.fit_query(PODS, query("sort=.spec.other")).problems == ()
