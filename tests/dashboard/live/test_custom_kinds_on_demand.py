"""Tests of a kind followed on demand, worker to web process, on a real API server: columns, definition and version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.hub.hub import Hub
from dashboard.live.hub.on_demand_kinds import Interest
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replicas import Replicas
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import KindInfo, kind_of_key, parse_kinds
from dashboard.objects.printers import columns_for
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.live_list import open_list
from informerd.clock import SystemClock
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually, until


@pytest.fixture
async def web(controlplane: ControlPlane) -> AsyncIterator[tuple[Worker, list[tuple[Interest, Replicas]]]]:
    """A worker of namespaces and two web processes, over one layer."""
    layer, clock, kinds = InMemoryChannelLayer(capacity=1000), SystemClock(), parse_kinds(["namespaces"])
    client = Client(load_kubeconfig(controlplane.kubeconfig), clock=clock)
    worker = Worker(client, layer, kinds, clock)
    webs = []
    running = [asyncio.create_task(worker.run())]
    for _ in range(2):
        replicas = Replicas(layer, kinds, clock)
        interest = Interest(replicas, Hub(replicas, clock), clock)
        webs.append((interest, replicas))
        running += [asyncio.create_task(each()) for each in (replicas.run, interest.run)]
    yield worker, webs
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await client.close()


async def test_objects_of_a_kind_that_somebody_looks_at_reach_both_processes_that_look(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    worker, ((first, one), (second, two)) = web
    kind = _generic("flowschemas.flowcontrol.apiserver.k8s.io")
    assert first.follow(kind)
    assert second.follow(kind)
    await eventually(lambda: one.get(kind.key).is_live and two.get(kind.key).is_live)
    for replicas in (one, two):
        assert replicas.get(kind.key).get("", "exempt") is not None
    assert worker.on_demand.keys == (kind.key,)
    await worker.on_demand.stop()  # as a worker that is started again: it is told once more
    await eventually(lambda: worker.on_demand.keys == (kind.key,))
    await eventually(lambda: one.get(kind.key).is_live and two.get(kind.key).is_live)


DIALS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "dials.anykind.example.com"},
    "spec": {
        "group": "anykind.example.com",
        "scope": "Cluster",
        "names": {"plural": "dials", "singular": "dial", "kind": "Dial", "listKind": "DialList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                "additionalPrinterColumns": [
                    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                    {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
                    {"name": "Image", "type": "string", "jsonPath": ".spec.image", "priority": 1},
                ],
            }
        ],
    },
}
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_DIALS_PATH = "/apis/anykind.example.com"


def _definition(kind: KindInfo) -> str:
    return f"{_DEFINITIONS}/{kind.key}"


def _version(name: str, *, storage: bool = True) -> dict[str, object]:
    return {**DIALS["spec"]["versions"][0], "name": name, "storage": storage}  # type: ignore[index]


def _dial(name: str, size: int, version: str) -> dict[str, object]:
    return {
        "apiVersion": f"anykind.example.com/{version}",
        "kind": "Dial",
        "metadata": {"name": name},
        "spec": {"size": size, "image": "web:1"},
        "status": {"conditions": [{"type": "Ready", "status": "True" if size > 9 else "False"}]},
    }


async def _served_at(controlplane: ControlPlane, version: str) -> None:
    await asyncio.to_thread(until, lambda: controlplane.exists(f"{_DIALS_PATH}/{version}/dials"))


def _create_dials(controlplane: ControlPlane, version: str) -> None:
    definition = {**DIALS, "spec": {**DIALS["spec"], "versions": [_version(version)]}}  # type: ignore[dict-item]
    controlplane.create(_DEFINITIONS, definition)
    until(lambda: controlplane.exists(f"{_DIALS_PATH}/{version}/dials"))
    for name, size in (("a", 10), ("b", 9), ("c", 100)):
        controlplane.create(f"{_DIALS_PATH}/{version}/dials", _dial(name, size, version))


async def _follow_dials(interest: Interest, controlplane: ControlPlane, version: str = "v1") -> KindInfo:
    await asyncio.to_thread(_create_dials, controlplane, version)
    kind = _generic("dials.anykind.example.com")
    assert interest.follow(kind)
    return kind


async def test_a_custom_kind_has_the_columns_of_its_definition_and_is_sorted_and_filtered_by_them(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    _, ((first, one), _) = web
    kind = await _follow_dials(first, controlplane)
    replica = one.get(kind.key)
    await eventually(lambda: replica.is_live and len(replica.rows) == 3)
    assert [(column.id, column.header, column.priority) for column in columns_for(kind.key)] == [
        ("name", "Name", 0),
        ("size", "Size", 0),
        ("ready", "Ready", 0),
        ("image", "Image", 1),
        ("status", "Health", 0),
        ("age", "Age", 0),
    ]
    query = Query.parse({"sort": ["-size"], "q": ["ready=True"]}, kind.key)
    assert query.problems == ()
    result = first._hub.index.open_result(kind, query)
    await eventually(lambda: result.ready)
    rows = [result.rows[uid] for uid in result.window(0, 9)]
    assert [(row.name, row.cells[1]) for row in rows] == [("c", 100), ("a", 10)]
    window = open_list(first._hub, kind, query).render_window(first._hub._updates.render)
    assert f'hx-target="#head-{open_list(first._hub, kind, query).id}"' in window
    assert ">Size<" in window
    await asyncio.to_thread(controlplane.delete_crd, kind.key)


@pytest.mark.long
async def test_a_definition_that_changes_gives_the_rows_their_new_columns_while_the_kind_is_followed(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    _, ((first, one), _) = web
    kind = await _follow_dials(first, controlplane)
    replica = one.get(kind.key)
    await eventually(lambda: replica.is_live and len(replica.rows) == 3)
    before, entries = replica.epoch, len(replica.entries)
    changes: list[Change] = []
    replica.on_change(changes.append)
    version = {**DIALS["spec"]["versions"][0]}  # type: ignore[index]
    version["additionalPrinterColumns"] = [{"name": "Picture", "type": "string", "jsonPath": ".spec.image"}]
    await asyncio.to_thread(controlplane.patch, _definition(kind), {"spec": {"versions": [version]}})
    await eventually(lambda: replica.is_live and [c.id for c in columns_for(kind.key)][1:2] == ["picture"])
    assert sorted((row.name, row.cells[1]) for row in replica.rows.values()) == [(name, "web:1") for name in "abc"]
    assert [change.has_new_columns for change in changes if change.rows] == [True]  # columns and cells in one moment
    assert replica.epoch > before
    assert len(replica.entries) == entries  # nothing happened to the objects
    await asyncio.to_thread(controlplane.create, f"{_DIALS_PATH}/v1/dials", _dial("d", 1, "v1"))
    await eventually(lambda: (row := replica.get("", "d")) is not None and row.cells[1] == "web:1")
    await asyncio.to_thread(controlplane.delete_crd, kind.key)


async def test_a_kind_turns_to_the_version_that_is_served_still_and_its_objects_stay(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    worker, ((first, one), _) = web
    kind = await _follow_dials(first, controlplane, version="v1beta1")
    replica = one.get(kind.key)
    await eventually(lambda: replica.is_live and len(replica.rows) == 3)
    await worker.factory.wait_for_cache_sync(30)  # its definition is watched, too
    entries, states, fewest = len(replica.entries), set[str](), [3]

    def seen(_: Change) -> None:
        states.add(replica.health.state)
        fewest.append(len(replica.rows))

    replica.on_change(seen)
    # served in both, then not in the one that is followed
    for served in (True, False):
        versions = [{**_version("v1beta1", storage=False), "served": served}, _version("v1")]
        await asyncio.to_thread(controlplane.patch, _definition(kind), {"spec": {"versions": versions}})
        if served:
            await _served_at(controlplane, "v1")
    await eventually(lambda: replica.is_live and replica.table is not None and replica.table.version == "v1")
    assert {row.decode_object()["apiVersion"] for row in replica.rows.values()} == {"anykind.example.com/v1"}
    assert (min(fewest), len(replica.entries)) == (3, entries)  # none of them was deleted
    assert "absent" not in states
    await asyncio.to_thread(controlplane.create, f"{_DIALS_PATH}/v1/dials", _dial("d", 1, "v1"))
    await eventually(lambda: replica.get("", "d") is not None)
    await asyncio.to_thread(controlplane.delete_crd, kind.key)
    await eventually(lambda: replica.health.state == "absent" and not replica.rows)


async def test_a_definition_that_is_made_again_otherwise_is_followed_as_it_is_then(
    web: tuple[Worker, list[tuple[Interest, Replicas]]], controlplane: ControlPlane
) -> None:
    _, ((first, one), _) = web
    kind = await _follow_dials(first, controlplane)
    replica = one.get(kind.key)
    await eventually(lambda: replica.is_live and len(replica.rows) == 3)
    await asyncio.to_thread(controlplane.delete_crd, kind.key)
    await eventually(lambda: replica.health.state == "absent" and not replica.rows)
    again = {**DIALS, "spec": {**DIALS["spec"], "scope": "Namespaced", "versions": [_version("v2")]}}  # type: ignore[dict-item]
    await asyncio.to_thread(controlplane.create, _DEFINITIONS, again)
    await _served_at(controlplane, "v2")
    path = f"{_DIALS_PATH}/v2/namespaces/default/dials"
    await asyncio.to_thread(controlplane.create, path, _dial("e", 1, "v2"))
    await eventually(lambda: replica.is_live and replica.get("default", "e") is not None)
    assert columns_for(kind.key)[0].id == "namespace"
    await asyncio.to_thread(controlplane.delete_crd, kind.key)


def _generic(key: str) -> KindInfo:
    kind = kind_of_key(key)
    assert kind is not None
    return kind
