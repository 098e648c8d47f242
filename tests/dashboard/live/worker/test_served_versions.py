"""Tests of configured kinds whose version is no longer served: another version is used, and no deletion is reported.

The worker has the rights of a person who may read the objects and no definition, unless a test says otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.hub.hub import Hub
from dashboard.live.hub.kind_discovery import KindDiscovery
from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replicas import Replicas
from dashboard.live.worker.published_health import NOT_SERVED_TEXT
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import parse_kinds
from informerd.clock import SystemClock
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.long_tests import long_but
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import eventually, until

GROUP, RBAC = "turning.example.com", "/apis/rbac.authorization.k8s.io/v1"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GAUGES, MYDEMOS = f"gauges.{GROUP}", "mydemos.crddemo.k8s.io"


def versions(**served: bool) -> list[dict[str, Any]]:
    """By name; the last one is stored."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    last = list(served)[-1]
    return [{"name": name, "served": each, "storage": name == last, "schema": schema} for name, each in served.items()]


def definition(plural: str, group: str, kind: str, **served: bool) -> dict[str, Any]:
    names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": versions(**served)}
    annotations = {"api-approved.kubernetes.io": "unapproved, experimental-only"}
    return {"metadata": {"name": f"{plural}.{group}", "annotations": annotations}, "spec": spec}


def create(cluster: ControlPlane, what: dict[str, Any], version: str) -> str:
    """A definition, and three objects in this version; the path of these."""
    cluster.create(DEFINITIONS, what)
    spec = what["spec"]
    path = f"/apis/{spec['group']}/{version}/namespaces/default/{spec['names']['plural']}"
    until(lambda: cluster.exists(path))
    head = {"apiVersion": f"{spec['group']}/{version}", "kind": spec["names"]["kind"]}
    for name in "abc":
        cluster.create(path, {**head, "metadata": {"name": name}, "spec": {"ip": "10.0.0.1", "port": 80}})
    return path


@pytest.fixture(scope="module")
def controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server of this file's own: its Mydemos are of other versions than those that other files ask for."""
    made = ControlPlane(tmp_path_factory.mktemp("served_versions"), controlplane_binaries())
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture
def reader(controlplane: ControlPlane) -> Iterator[str]:
    """Somebody who may read all objects of these kinds, and no definition."""
    rules = [{"apiGroups": [GROUP, "crddemo.k8s.io"], "resources": ["*"], "verbs": ["list", "watch", "get"]}]
    controlplane.create(f"{RBAC}/clusterroles", {"metadata": {"name": "turning"}, "rules": rules})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "turning"}
    subjects = [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}]
    binding = {"metadata": {"name": "turning"}, "roleRef": role, "subjects": subjects}
    controlplane.create(f"{RBAC}/clusterrolebindings", binding)
    yield str(controlplane.kubeconfig_of("bob"))
    for plural in ("clusterrolebindings", "clusterroles"):
        controlplane.delete(f"{RBAC}/{plural}/turning")


class Watched:
    """The replica of a kind, and what was ever seen of it."""

    def __init__(self, replicas: Replicas, naming: KindDiscovery, key: str) -> None:
        self.replicas, self.naming = replicas, naming
        self.replica: KindReplica = replicas.get(key)
        self.states: list[str] = []
        self.problems: set[str] = set()
        self.fewest = 0

    def begin(self) -> None:
        """Note all from here on."""
        self.fewest, self.states = len(self.replica.rows), []
        self.replica.on_change(self._seen)

    @property
    def told(self) -> list[str]:
        return [entry.op for entry in self.replica.entries]

    @property
    def versions(self) -> set[str]:
        """Those that the rows' objects are of."""
        return {row.decode_object()["apiVersion"].rpartition("/")[2] for row in self.replica.rows.values()}

    def _seen(self, _: Change) -> None:
        self.states.append(self.replica.health.state)
        self.problems.add(self.replica.health.problem)
        self.fewest = min(self.fewest, len(self.replica.rows))


@asynccontextmanager
async def watched(kubeconfig: str, key: str) -> AsyncIterator[Watched]:
    """By a worker and a web process whose settings name the kind."""
    layer, clock, kinds = InMemoryChannelLayer(capacity=1000), SystemClock(), parse_kinds([key])
    client = Client(load_kubeconfig(kubeconfig), clock=clock)
    worker, replicas = Worker(client, layer, kinds, clock), Replicas(layer, kinds, clock)
    discovery = Discovery(client, clock=clock)
    naming = KindDiscovery(replicas, Hub(replicas, clock), lambda: discovery, clock)
    running = [asyncio.create_task(each()) for each in (worker.run, replicas.run, naming.run)]
    made = Watched(replicas, naming, key)
    try:
        await eventually(lambda: made.replica.is_live and len(made.replica.rows) == 3)
        yield made
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await client.close()


async def serve(cluster: ControlPlane, key: str, **served: bool) -> None:
    await asyncio.to_thread(cluster.patch, f"{DEFINITIONS}/{key}", {"spec": {"versions": versions(**served)}})


@pytest.mark.long
@pytest.mark.parametrize("may_read_definitions", long_but([True, False], False))
async def test_a_kind_of_the_settings_turns_to_the_version_that_is_served_still(
    controlplane: ControlPlane, reader: str, may_read_definitions: bool
) -> None:
    gauges = definition("gauges", GROUP, "Gauge", v1beta1=True)
    await asyncio.to_thread(create, controlplane, gauges, "v1beta1")
    try:
        async with watched(str(controlplane.kubeconfig) if may_read_definitions else reader, GAUGES) as seen:
            seen.begin()
            await serve(controlplane, GAUGES, v1beta1=True, v1=True)
            await serve(controlplane, GAUGES, v1beta1=False, v1=True)
            await eventually(lambda: seen.replica.is_live and seen.versions == {"v1"})
            assert (seen.fewest, seen.told) == (3, [])
            assert "stale" in seen.states
            path = f"/apis/{GROUP}/v1/namespaces/default/gauges"
            body = {"apiVersion": f"{GROUP}/v1", "kind": "Gauge", "metadata": {"name": "d"}}
            await asyncio.to_thread(controlplane.create, path, body)
            await eventually(lambda: seen.replica.get("default", "d") is not None)
            assert seen.told == ["added"]
            await eventually(lambda: seen.replicas.kinds[0].resource.version == "v1", what="pages write in it, too")
    finally:
        await asyncio.to_thread(controlplane.delete_crd, GAUGES)


async def test_a_kind_that_is_served_in_no_version_is_followed_no_longer_and_none_of_it_is_told_as_deleted(
    controlplane: ControlPlane, reader: str
) -> None:
    await asyncio.to_thread(create, controlplane, definition("gauges", GROUP, "Gauge", v1=True), "v1")
    try:
        async with watched(reader, GAUGES) as seen:
            seen.begin()
            await serve(controlplane, GAUGES, v1=False)
            await eventually(lambda: seen.replica.health.state == "absent" and not seen.replica.rows)
            assert seen.told == []
            assert "stale" in seen.states
            assert any(problem.startswith(NOT_SERVED_TEXT) for problem in seen.problems)
            await serve(controlplane, GAUGES, v1=True)
            await eventually(lambda: seen.replica.is_live and len(seen.replica.rows) == 3)
            assert seen.told == []
    finally:
        await asyncio.to_thread(controlplane.delete_crd, GAUGES)


@pytest.mark.long
async def test_a_kind_that_has_a_version_of_its_own_here_turns_too(controlplane: ControlPlane, reader: str) -> None:
    demos = definition("mydemos", "crddemo.k8s.io", "Mydemo", v1=True)
    await asyncio.to_thread(create, controlplane, demos, "v1")
    try:
        async with watched(reader, MYDEMOS) as seen:
            seen.begin()
            await serve(controlplane, MYDEMOS, v1=True, v2=True)
            await serve(controlplane, MYDEMOS, v1=False, v2=True)
            await eventually(lambda: seen.replica.is_live and seen.versions == {"v2"})
            assert (seen.fewest, seen.told) == (3, [])
            assert [row.cells[2:4] for row in seen.replica.rows.values()] == [("10.0.0.1", 80)] * 3
            await eventually(lambda: seen.replicas.kinds[0].resource.version == "v2", what="pages write in it, too")
            assert seen.replicas.kinds[0].title == "Mydemos"
    finally:
        await asyncio.to_thread(controlplane.delete_crd, MYDEMOS)


async def test_it_is_found_in_another_version_from_the_start_and_no_other_kind_suffers(
    controlplane: ControlPlane, reader: str
) -> None:
    demos = definition("mydemos", "crddemo.k8s.io", "Mydemo", v2=True)
    await asyncio.to_thread(create, controlplane, demos, "v2")
    try:
        async with watched(reader, MYDEMOS) as seen:
            assert seen.versions == {"v2"}
            path = "/apis/crddemo.k8s.io/v2/namespaces/default/mydemos"
            body = {"apiVersion": "crddemo.k8s.io/v2", "kind": "Mydemo", "metadata": {"name": "d"}}
            await asyncio.to_thread(controlplane.create, path, body)
            await eventually(lambda: seen.replica.get("default", "d") is not None, what="the worker goes on")
    finally:
        await asyncio.to_thread(controlplane.delete_crd, MYDEMOS)
