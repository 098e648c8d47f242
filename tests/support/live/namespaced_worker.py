"""Worker with an account that may list some namespaces only, on a real API server, and the replicas that follow it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from channels.layers import InMemoryChannelLayer

from dashboard.live.history.recorder import Recorder
from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.replicas import Replicas
from dashboard.live.worker.namespace_access import NamespaceAccess
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import parse_kinds
from informerd.clock import SystemClock
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig, load_kubeconfig
from tests.support.controlplane import ApiFailure, ControlPlane
from tests.support.wait import until

RBAC = "/apis/rbac.authorization.k8s.io/v1"
CLUSTER = "see-all"
READ = ("get", "list", "watch")


class Rights:
    """Rights of one user to list and watch: a Role in a namespace, or a ClusterRole. Each call waits for its effect."""

    def __init__(self, cluster: ControlPlane, user: str, name: str) -> None:
        self.cluster = cluster
        self.user = user
        """A key of tests.support.controlplane.USERS."""
        self.name = name
        """The user's name in bindings."""

    def give(self, namespace: str, *resources: str, verbs: Sequence[str] = READ) -> None:
        """Let the user read these resources (by default ConfigMaps and Secrets) of a namespace."""
        rules = [{"apiGroups": [""], "resources": [*(resources or ("configmaps", "secrets"))], "verbs": [*verbs]}]
        path = f"{RBAC}/namespaces/{namespace}"
        _made(self.cluster, f"{path}/roles", {"metadata": {"name": self.user}, "rules": rules})
        _made(self.cluster, f"{path}/rolebindings", self._binding("Role", self.user))
        self._wait(f"/api/v1/namespaces/{namespace}/configmaps", is_allowed=True)

    def take(self, namespace: str) -> None:
        """Let the user read nothing of a namespace."""
        self.cluster.delete(f"{RBAC}/namespaces/{namespace}/rolebindings/{self.user}", {})
        self._wait(f"/api/v1/namespaces/{namespace}/configmaps", is_allowed=False)

    def give_all(self, *resources: str, verbs: Sequence[str] = READ, name: str = CLUSTER) -> None:
        """Let the user read these resources of the whole cluster."""
        rules = [{"apiGroups": [""], "resources": [*resources], "verbs": [*verbs]}]
        name = f"{name}-{self.user}"
        _made(self.cluster, f"{RBAC}/clusterroles", {"metadata": {"name": name}, "rules": rules})
        _made(self.cluster, f"{RBAC}/clusterrolebindings", self._binding("ClusterRole", name))
        self._wait(f"/api/v1/{resources[0]}", is_allowed=True)

    def take_all(self, resource: str) -> None:
        """Take back what `give_all` gave."""
        self.cluster.delete(f"{RBAC}/clusterrolebindings/{CLUSTER}-{self.user}", {})
        self._wait(f"/api/v1/{resource}", is_allowed=False)

    def _binding(self, kind: str, role: str) -> dict[str, Any]:
        return {
            "metadata": {"name": role},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
            "subjects": [{"kind": "User", "name": self.name, "apiGroup": "rbac.authorization.k8s.io"}],
        }

    def _wait(self, path: str, *, is_allowed: bool) -> None:
        until(lambda: self._may(path) == is_allowed, within=30, what=f"{self.user} {path} {is_allowed}")

    def _may(self, path: str) -> bool:
        try:
            self.cluster.request("GET", f"{path}?limit=1", user=self.user)
        except ApiFailure as failure:
            if failure.code != 403:
                raise
            return False
        return True


def _made(cluster: ControlPlane, collection: str, body: dict[str, Any]) -> None:
    try:
        cluster.create(collection, body)
    except ApiFailure as failure:
        if failure.code != 409:
            raise


class NamespacedWorker:
    """A worker and its replicas."""

    def __init__(self, worker: Worker, replicas: Replicas) -> None:
        self.worker = worker
        self.replicas = replicas

    def replica(self, key: str = "configmaps") -> KindReplica:
        return self.replicas.get(key)

    def rows(self, key: str = "configmaps") -> set[str]:
        """Keys of the objects whose names begin with ``own``; others are the cluster's."""
        return {row.key for row in self.replica(key).rows.values() if row.name.startswith("own")}


@asynccontextmanager
async def namespaced_worker(
    cluster: ControlPlane,
    user: str,
    *kinds: str,
    chosen: tuple[str, ...] = (),
    near: tuple[str, ...] = ("default",),
    history: Recorder | None = None,
) -> AsyncIterator[NamespacedWorker]:
    """Runs a worker with the rights of `user`."""
    config = load_kubeconfig(cluster.kubeconfig_of(user))
    async with worker_of(config, *kinds, chosen=chosen, near=near, history=history) as running:
        yield running


@asynccontextmanager
async def worker_of(
    config: ClusterConfig,
    *kinds: str,
    chosen: tuple[str, ...] = (),
    near: tuple[str, ...] = ("default",),
    history: Recorder | None = None,
) -> AsyncIterator[NamespacedWorker]:
    """Runs a worker of this cluster."""
    layer, clock, infos = InMemoryChannelLayer(capacity=1000), SystemClock(), parse_kinds([*kinds])
    client = Client(config, clock=clock)
    access = NamespaceAccess(client, clock, chosen=chosen, near=near)
    worker, replicas = (
        Worker(client, layer, infos, clock, access=access, history=history),
        Replicas(layer, infos, clock),
    )
    running = [asyncio.create_task(worker.run()), asyncio.create_task(replicas.run())]
    try:
        yield NamespacedWorker(worker, replicas)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await client.close()
