"""Tests of a worker whose account may list some namespaces only, on a real API server."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.recorder import Recorder
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.history.verify import verify_part
from dashboard.live.history.version import Operation
from informerd.cache.list_watch import ListWatch
from informerd.clock import SystemClock
from informerd.errors import Unreachable
from informerd.testing import DemoCluster
from tests.support.controlplane import ControlPlane
from tests.support.live.namespaced_worker import NamespacedWorker, Rights, namespaced_worker, worker_of
from tests.support.program import ROOT
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import eventually

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def shared_controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    cluster = ControlPlane(tmp_path_factory.mktemp("namespaces_controlplane"), controlplane_binaries())
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(autouse=True)
def short_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rights are asked for each second, not each minute."""
    monkeypatch.setattr("dashboard.live.worker.kind_informer.ACCESS_INTERVAL", 1.0)
    monkeypatch.setattr("dashboard.live.worker.kind_informer.SHARED_FOR", 0.0)


class Cluster:
    """Five namespaces of a test's own, each with a ConfigMap, and a user with Roles in the first two."""

    def __init__(self, cluster: ControlPlane) -> None:
        self.api = cluster
        number = next(_numbers)
        self.names = [cluster.create_namespace(f"ns{number}-{letter}") for letter in "abcde"]
        for name in self.names:
            self.put(name, "own-1")
        self.rights = Rights(cluster, "alice", "alice")
        for name in self.names[:2]:
            self.rights.give(name)

    def put(self, namespace: str, name: str, **data: str) -> None:
        self.api.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": name}, "data": data})

    def close(self) -> None:
        for name in self.names:
            if self.api.exists(f"/apis/rbac.authorization.k8s.io/v1/namespaces/{name}/rolebindings/alice"):
                self.rights.take(name)


@pytest.fixture
def cluster(shared_controlplane: ControlPlane) -> Iterator[Cluster]:
    made = Cluster(shared_controlplane)
    yield made
    made.close()


async def shows(running: NamespacedWorker, *keys: str) -> None:
    try:
        await eventually(lambda: running.replica().is_live and running.rows() == set(keys))
    except AssertionError as error:
        raise AssertionError(f"{keys}, not {running.rows()}: {running.replica().health}") from error


@pytest.mark.long
@pytest.mark.parametrize("is_chosen", [True, False], ids=["of the setting", "found by asking"])
async def test_rows_are_exactly_those_of_the_two_namespaces_and_changes_come_live(
    cluster: Cluster, is_chosen: bool
) -> None:
    a, b, c, *_ = cluster.names
    chosen, near = ((a, b), ()) if is_chosen else ((), (*cluster.names,))
    async with namespaced_worker(cluster.api, "alice", "configmaps", chosen=chosen, near=near) as running:
        await shows(running, f"{a}/own-1", f"{b}/own-1")
        assert running.replica().health.namespaces == (a, b)
        epoch, entries = running.replica().epoch, len(running.replica().entries)
        await asyncio.to_thread(cluster.put, b, "own-2")
        await asyncio.to_thread(cluster.put, c, "own-2")
        await shows(running, f"{a}/own-1", f"{b}/own-1", f"{b}/own-2")
        assert running.replica().epoch == epoch
        lines = list(running.replica().entries)[entries:]
        assert [(line.op, line.namespace, line.name) for line in lines] == [("added", b, "own-2")]


async def test_a_namespace_of_the_setting_that_may_not_be_listed_is_named_and_holds_up_no_other(
    cluster: Cluster,
) -> None:
    a, _, c, *_ = cluster.names
    async with namespaced_worker(cluster.api, "alice", "configmaps", chosen=(a, c)) as running:
        await shows(running, f"{a}/own-1")
        health = running.replica().health
        assert (health.namespaces, health.forbidden_namespaces, health.lost_namespaces) == ((a,), (c,), ())
        assert health.problem == ""


@pytest.mark.long
async def test_rights_are_given_and_taken_while_it_runs(cluster: Cluster) -> None:
    a, b, c, *_ = cluster.names
    async with namespaced_worker(cluster.api, "alice", "configmaps", near=(*cluster.names,)) as running:
        await shows(running, f"{a}/own-1", f"{b}/own-1")
        epoch = running.replica().epoch
        await asyncio.to_thread(cluster.rights.give, c)
        await shows(running, f"{a}/own-1", f"{b}/own-1", f"{c}/own-1")
        assert running.replica().health.namespaces == (a, b, c)
        await asyncio.to_thread(cluster.rights.take, b)
        await shows(running, f"{a}/own-1", f"{c}/own-1")
        health = running.replica().health
        assert (health.namespaces, health.lost_namespaces) == ((a, c), (b,))
        assert not [line for line in running.replica().entries if line.op == "deleted"]
        await asyncio.to_thread(cluster.rights.give, b)
        await shows(running, f"{a}/own-1", f"{b}/own-1", f"{c}/own-1")
        assert running.replica().health.lost_namespaces == ()
        assert running.replica().epoch == epoch


@pytest.mark.long
async def test_history_says_of_a_namespace_that_it_is_no_longer_seen_and_not_that_it_was_deleted(
    cluster: Cluster, tmp_path: Path
) -> None:
    async def identity() -> str:
        return "cluster"

    a, b, *_ = cluster.names
    parts = SqliteParts(tmp_path)
    history, reader = Recorder(parts, identity, lambda _: True, SystemClock()), HistoryReader(parts, "cluster")

    def operations(namespace: str) -> list[Operation]:
        return [each.operation for each in reader.versions("configmaps", namespace, "own-1")]

    async with namespaced_worker(
        cluster.api, "alice", "configmaps", near=(*cluster.names,), history=history
    ) as running:
        await shows(running, f"{a}/own-1", f"{b}/own-1")
        await asyncio.to_thread(cluster.rights.take, b)
        await eventually(lambda: operations(b)[-1:] == [Operation.UNSEEN])
        await asyncio.to_thread(cluster.rights.give, b)
        await eventually(lambda: operations(b)[-1] is Operation.FOUND)
        assert set(operations(a)) == {Operation.FOUND}
    assert verify_part(parts, parts.list("cluster")[0]).problems == []


async def test_a_kind_that_is_forbidden_everywhere_appears_with_the_first_namespace(cluster: Cluster) -> None:
    a, b, c, *_ = cluster.names
    for name in (a, b):
        await asyncio.to_thread(cluster.rights.take, name)
    async with namespaced_worker(cluster.api, "alice", "configmaps", near=(*cluster.names,)) as running:
        await eventually(lambda: running.replica().health.state == "forbidden")
        health = running.replica().health
        assert not health.is_by_namespace
        assert "at the cluster scope" in health.problem
        await asyncio.to_thread(cluster.rights.give, c)
        await shows(running, f"{c}/own-1")


async def test_the_whole_cluster_is_listed_as_soon_as_that_is_allowed_and_no_longer_when_it_is_not(
    own_controlplane: ControlPlane,
) -> None:
    cluster = Cluster(own_controlplane)
    a, b, *_ = cluster.names
    async with namespaced_worker(cluster.api, "alice", "configmaps", near=(*cluster.names,)) as running:
        await shows(running, f"{a}/own-1", f"{b}/own-1")
        await asyncio.to_thread(cluster.rights.give_all, "configmaps")
        try:
            await eventually(lambda: {f"{name}/own-1" for name in cluster.names} <= running.rows())
            await eventually(lambda: running.replica().is_live and not running.replica().health.is_by_namespace)
        finally:
            await asyncio.to_thread(cluster.rights.take_all, "configmaps")
        await _end_watches(cluster)
        await shows(running, f"{a}/own-1", f"{b}/own-1")
        assert running.replica().health.namespaces == (a, b)


async def test_rows_stay_when_the_api_server_starts_again_and_knows_no_roles_yet(
    own_controlplane: ControlPlane,
) -> None:
    cluster = Cluster(own_controlplane)
    a, b, *_ = cluster.names
    async with namespaced_worker(cluster.api, "alice", "configmaps", chosen=(a, b)) as running:
        await shows(running, f"{a}/own-1", f"{b}/own-1")
        gone: list[str] = []
        running.replica().on_change(lambda change: gone.extend(old.key for old, new in change.rows if old and not new))
        await _end_watches(cluster)
        await asyncio.to_thread(cluster.put, a, "own-2")
        await shows(running, f"{a}/own-1", f"{a}/own-2", f"{b}/own-1")
        assert gone == []


async def _end_watches(cluster: Cluster) -> None:
    """Have the API server end all watches, as it does after some minutes: it starts again with the same data."""
    await asyncio.to_thread(cluster.api.kill)
    await asyncio.to_thread(cluster.api.start_apiserver)


async def test_a_namespace_that_is_deleted_and_made_again_comes_back(cluster: Cluster) -> None:
    a, b, *_ = cluster.names
    async with namespaced_worker(cluster.api, "alice", "configmaps", near=(*cluster.names,)) as running:
        await shows(running, f"{a}/own-1", f"{b}/own-1")
        await asyncio.to_thread(_empty, cluster, b)
        await shows(running, f"{a}/own-1")
        await asyncio.to_thread(cluster.rights.give, b)
        await asyncio.to_thread(cluster.put, b, "own-again")
        await shows(running, f"{a}/own-1", f"{b}/own-again")


def _empty(cluster: Cluster, namespace: str) -> None:
    """As the namespace controller does when a namespace is deleted; this API server has none."""
    cluster.api.delete(f"/api/v1/namespaces/{namespace}/configmaps/own-1", {})
    cluster.rights.take(namespace)


async def test_a_broken_watch_of_one_namespace_makes_the_kind_stale_and_costs_no_rows(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, *_ = cluster.names
    broken, watch = False, ListWatch.watch

    async def watch_unless_broken(self: ListWatch[Any], *arguments: Any, **options: Any) -> Any:
        if broken and self.namespace == b:
            raise Unreachable("the connection broke")
        return await watch(self, *arguments, **options)

    monkeypatch.setattr(ListWatch, "watch", watch_unless_broken)
    async with namespaced_worker(cluster.api, "alice", "configmaps", chosen=(a, b)) as running:
        await shows(running, f"{a}/own-1", f"{b}/own-1")
        broken = True
        (informer,) = [each for each in running.worker.factory.informers if each.namespace == b]
        informer._reflector.probe_failed("the connection broke")
        await eventually(lambda: running.replica().health.state == "stale")
        assert f"in namespace {b}: " in running.replica().health.problem
        await asyncio.to_thread(cluster.put, a, "own-2")
        await eventually(lambda: running.rows() == {f"{a}/own-1", f"{a}/own-2", f"{b}/own-1"})
        broken = False
        await asyncio.to_thread(cluster.put, b, "own-2")
        await shows(running, f"{a}/own-1", f"{a}/own-2", f"{b}/own-1", f"{b}/own-2")


async def test_the_roles_that_ship_let_deltaboard_follow_their_namespaces(shared_controlplane: ControlPlane) -> None:
    documents = [*YAML(typ="safe").load_all(ROOT / "deploy" / "rbac" / "namespaces.yaml")]
    teams = ("team-a", "team-b")
    for name in (*teams, "team-c"):
        shared_controlplane.create_namespace(name)
        body = {"metadata": {"name": "own-1"}}
        await asyncio.to_thread(shared_controlplane.create, f"/api/v1/namespaces/{name}/configmaps", body)
    for document in documents:
        if document["kind"] in ("Role", "RoleBinding"):
            space = document["metadata"]["namespace"]
            path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{space}/{document['kind'].lower()}s"
            await asyncio.to_thread(shared_controlplane.create, path, document)
    async with namespaced_worker(
        shared_controlplane, "deltaboard", "configmaps", "deployments", "nodes", near=(*teams, "team-c")
    ) as running:
        await shows(running, "team-a/own-1", "team-b/own-1")
        await eventually(lambda: running.replica("deployments.apps").health.namespaces == teams)
        await eventually(lambda: running.replica("nodes").health.state == "forbidden")
        assert not running.replica("nodes").health.is_by_namespace


@pytest.mark.program
async def test_the_demo_cluster_is_limited_to_the_namespaces_of_the_setting() -> None:
    async with DemoCluster() as demo:
        for name in ("shop", "search", "bank"):
            await demo.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            metadata = {"name": "own-1", "namespace": name}
            await demo.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        async with worker_of(demo.config, "configmaps", chosen=("search", "shop")) as running:
            await shows(running, "search/own-1", "shop/own-1")
            assert running.replica().health.namespaces == ("search", "shop")


async def test_fifty_namespaces_are_one_feed(shared_controlplane: ControlPlane) -> None:
    rights = Rights(shared_controlplane, "bob", "bob")
    names = [shared_controlplane.create_namespace(f"many-{number:02}") for number in range(50)]
    for name in names:
        await asyncio.to_thread(rights.give, name)
        body = {"metadata": {"name": "own-1"}}
        await asyncio.to_thread(shared_controlplane.create, f"/api/v1/namespaces/{name}/configmaps", body)
    rights.give_all("namespaces")
    async with namespaced_worker(shared_controlplane, "bob", "configmaps", "secrets") as running:
        await shows(running, *(f"{name}/own-1" for name in names))
        assert running.replica().health.namespaces == tuple(names)
        await asyncio.to_thread(rights.take, names[7])
        await shows(running, *(f"{name}/own-1" for name in names if name != names[7]))
        assert running.replica().health.lost_namespaces == (names[7],)
