"""Tests of a run's checks: counting many rows for a review leaves time to the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.live.hub.hub import Hub
from dashboard.live.hub.on_demand_kinds import Interest
from dashboard.live.replication.replicas import REPLICAS, Replicas
from dashboard.objects.kinds.catalog import KINDS, parse_kinds
from dashboard.pages.bulk.request_context import RunRequest
from dashboard.pages.bulk.run import Item
from dashboard.pages.bulk.run_checks import count_dependents, filter_changes
from dashboard.runtime.shard import WHOLE
from informerd.clock import SystemClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replica_feeder import Feeder, put_feeders
from tests.support.objects.rows import row_of
from tests.support.pages.app_state import AttributeState


def place_with(key: str, pods: Iterable[dict[str, Any]]) -> RunRequest:
    """A place on objects of that kind, beside these pods."""
    clock = SystemClock()
    replicas = Replicas(RecordingLayer(), parse_kinds([key, "pods"]), clock)
    put_feeders(replicas, Feeder("pods", clock, [row_of("pods", each) for each in pods]))
    hub = Hub(replicas, clock)
    parts = SimpleNamespace(replicas=replicas, hub=hub, interest=Interest(replicas, hub, clock), clock=clock)
    run = SimpleNamespace(matching=True, back=f"/resources/{key}/")
    return cast("RunRequest", SimpleNamespace(app_state=AttributeState(parts), kind=KINDS[key], run=run))


def pod(number: int, namespace: str, *, owner: dict[str, Any] | None = None) -> dict[str, Any]:
    metadata = {"name": f"p-{number}", "namespace": namespace, "uid": f"p-{number}"}
    return {"metadata": {**metadata, "ownerReferences": [{**owner, "controller": True}] if owner else []}}


async def turns_during(work: Any) -> tuple[Any, int]:
    """What came of it, and how often others had a turn."""
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    task = asyncio.create_task(others())
    try:
        return await work, turns
    finally:
        task.cancel()


async def test_what_is_in_many_namespaces_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    owned = [pod(n, f"n-{n}", owner={"kind": "Namespace", "name": f"n-{n}", "uid": f"n-{n}"}) for n in range(20)]
    place = place_with("namespaces", [*owned, pod(20, "elsewhere"), pod(21, "n-1")])
    replica = place.app_state[REPLICAS].get("pods")
    looks, possible_uids = list[None](), replica.possible_uids

    def count() -> list[str]:
        looks.append(None)
        return possible_uids()

    monkeypatch.setattr(replica, "possible_uids", count)
    found = await count_dependents(place, [Item("", f"n-{n}", f"n-{n}", "tried") for n in range(20)])
    assert found == ("21 Pods",), "what a namespace owns besides is counted once"
    assert len(looks) == 1


async def test_what_several_own_is_counted_where_all_of_them_are_deleted() -> None:
    def owned(number: int, *owners: str) -> dict[str, Any]:
        references = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": each, "uid": each} for each in owners]
        return {
            "metadata": {"name": f"p-{number}", "namespace": "x", "uid": f"p-{number}", "ownerReferences": references}
        }

    place = place_with("replicasets.apps", [owned(0, "one"), owned(1, "one", "two"), owned(2, "one", "three")])
    undivided = place.app_state[REPLICAS].get("replicasets.apps").replica_of(WHOLE)
    assert undivided is not None
    undivided.state = "stale"  # nobody knows that there is no set at all
    found = await count_dependents(place, [Item("x", each, each, "tried") for each in ("one", "two")])
    assert found == ("2 Pods",)


@pytest.mark.parametrize("key", ["namespaces", "replicasets.apps"])
async def test_others_have_turns_while_what_belongs_to_one_object_is_counted(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.runtime.time_slicing.SLICE_SECONDS", 0.0)
    owner = {"kind": KINDS[key].resource.kind, "name": "one", "uid": "one"}
    place = place_with(key, [pod(n, "one", owner=owner) for n in range(500)])
    found, turns = await turns_during(count_dependents(place, [Item("", "one", "one", "tried")]))
    assert found == ("500 Pods",)
    assert turns > 100


async def test_what_matches_is_compared_with_the_run_beside_the_loop() -> None:
    threads: list[threading.Thread] = []

    class Noted(tuple[Item, ...]):
        def __iter__(self) -> Iterator[Item]:
            threads.append(threading.current_thread())
            return super().__iter__()

    place = place_with("pods", [pod(0, "x"), pod(1, "x")])
    matching = await filter_changes(place, Noted([Item("x", f"p-{n}", f"p-{n}", "tried") for n in (1, 2, 3)]))
    assert matching is not None
    assert (matching.is_known, matching.added_count, matching.removed_count) == (True, 1, 2)
    assert threads
    assert threading.main_thread() not in threads
