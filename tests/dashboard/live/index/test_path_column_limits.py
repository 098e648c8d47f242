"""The room for fields by path: what keeps to the caps, who makes room for others, and what is said where none is."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.live.hub import Hub
from dashboard.live.path_columns import MOST_COLUMNS
from dashboard.live.result import Result
from dashboard.live.result_store import NoRoom, ResultStore
from dashboard.resources.kinds import KINDS
from informerd.testing import FakeClock
from tests.live.feeder import Feeder, Feeders, pod
from tests.live.test_hub import Browser
from tests.live.test_path_columns import query, whole

PODS = KINDS["pods"]


def some_pods(clock: FakeClock, number: int) -> Feeders:
    return Feeders(Feeder("pods", clock, [pod(f"pod-{each:05d}", obj=whole(each)) for each in range(number)]))


def look(result: Result) -> None:
    result.views["a view"] = lambda *_: None


def kept(store: ResultStore) -> int:
    return sum(each.fields.size for each in store._by_key.values())


async def test_what_asks_for_all_rows_keeps_to_the_cap_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.result_store.MOST_VALUES", 30)
    store = ResultStore(some_pods(clock := FakeClock(), 10), clock)
    for number in range(5):  # nobody looks at these: the later make the earlier go
        await store.all_rows(PODS, query(f"q=.spec.f{number}"))
        assert kept(store) <= 30
    look(store.open(PODS, query("q=.spec.f2 .spec.f3 .spec.f4")))
    with pytest.raises(NoRoom, match=r"^\.spec\.other is left out: this server keeps [\d,]+ values"):
        await store.all_rows(PODS, query("sort=.spec.other"))
    assert len(await store.all_rows(PODS, query("sort=-.spec.f3"))) == 10


async def test_a_kind_of_few_rows_has_no_endless_columns() -> None:
    store = ResultStore(some_pods(clock := FakeClock(), 3), clock)
    for start in range(0, MOST_COLUMNS, 10):
        look(store.open(PODS, query("q=" + "+".join(f".spec.f{start + each}" for each in range(10)))))
    fitted = store.fitting(PODS, query("q=.spec.f7 .spec.other"))
    assert fitted.query_string() == "q=.spec.f7"
    assert f"keeps {MOST_COLUMNS} fields by path of a kind at most" in fitted.problems[0].message


async def test_of_new_paths_the_first_have_the_room_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.result_store.MOST_VALUES", 25)
    store = ResultStore(some_pods(clock := FakeClock(), 10), clock)
    assert store.fitting(PODS, query("q=.spec.a .spec.b .spec.c")).query_string() == "q=.spec.a+.spec.b"


async def test_idle_results_make_room_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.result_store.MOST_VALUES", 30)
    store = ResultStore(some_pods(clock := FakeClock(), 10), clock)
    results = {}
    for name in ("seen", "older", "newer"):
        results[name] = store.open(PODS, query(f"q=.spec.{name}"))
        await clock.advance(1)
    look(results["seen"])
    assert store.fitting(PODS, query("q=.spec.fresh")).problems == ()
    store.open(PODS, query("q=.spec.fresh"))
    assert store.open(PODS, query("q=.spec.seen")) is results["seen"]
    assert store.open(PODS, query("q=.spec.newer")) is results["newer"]
    assert kept(store) == 30


async def test_idle_lists_make_room_and_those_that_somebody_looks_at_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.result_store.MOST_VALUES", 20)
    hub = Hub(some_pods(clock := FakeClock(), 10), clock)
    left = Browser(hub, clock).join("q=.spec.nodeName=node-1")
    hub.leave(left.socket)
    await clock.advance(1)
    stays = Browser(hub, clock).join("q=.spec.priority=3")
    new = hub.list_view(PODS, query("sort=.spec.foo"))
    assert (new.query.problems, new.query.sort) == ((), (".spec.foo", False))
    assert len(hub.views) == 2
    assert not stays.closed
    Browser(hub, clock).join("sort=.spec.foo")
    assert hub.list_view(PODS, query("q=.spec.nodeName=node-1")).query.problems


async def test_rows_that_somebody_waits_for_are_not_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.result_store.MOST_VALUES", 3000)
    store = ResultStore(some_pods(clock := FakeClock(), 3000), clock)
    rows = asyncio.create_task(store.all_rows(PODS, query("sort=.spec.priority")))
    await asyncio.sleep(0)
    while not rows.done():
        assert store.fitting(PODS, query("sort=.spec.other")).problems
        await asyncio.sleep(0)
        if store.open(PODS, query("sort=.spec.priority")).ready:
            break
    assert len(await rows) == 3000
    assert store.fitting(PODS, query("sort=.spec.other")).problems == ()
