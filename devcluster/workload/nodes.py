"""Nodes: their leases, and now and then one whose kubelet falls silent for a while."""

from __future__ import annotations

from devcluster.workload import building
from devcluster.workload.building import Json, micro_stamp, stamp
from devcluster.workload.cluster import LEASES, NODES, Cluster
from devcluster.workload.queue import DueQueue
from informerd.errors import NotFound

SOURCE = "node-controller"
LEASE_SECONDS = 10.0
_NAMESPACE = "kube-node-lease"


class NodeKeeper:
    """Renews the leases of all nodes, and lets one fail when asked to."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._queue = DueQueue(cluster.clock)
        self._silent: dict[str, float] = {}
        """Nodes that do not answer, until when (monotonic seconds)."""
        cluster.on_change(NODES, lambda obj: self._queue.add(obj.key, cluster.rng.uniform(0, LEASE_SECONDS)))

    async def run(self) -> None:
        await self._queue.work(self.reconcile)

    async def fail_one(self) -> None:
        """Let a worker's kubelet fall silent for half a minute or so; never two at a time."""
        workers = [node for node in self._cluster.all(NODES) if not node["spec"].get("taints")]
        if self._silent or len(workers) < 2:
            return
        node = self._cluster.rng.choice(workers)
        name = node["metadata"]["name"]
        seconds = self._cluster.rng.uniform(25, 50)
        self._silent[name] = self._cluster.clock.now() + seconds
        await self._set_ready(node, "Unknown")
        await self._cluster.recorder.normal(node, SOURCE, "NodeNotReady", f"Node {name} status is now: NodeNotReady")
        self._queue.add(name, seconds)

    async def reconcile(self, name: str) -> None:
        """Renew the lease; end a silence that is over."""
        node = self._cluster.get(NODES, name)
        if node is None:
            self._silent.pop(name, None)
            return
        until = self._silent.get(name)
        if until is not None and self._cluster.clock.now() < until:
            self._queue.add(name, until - self._cluster.clock.now())
            return
        if until is not None:
            del self._silent[name]
            await self._set_ready(node, "True")
            words = f"Node {name} status is now: NodeReady"
            await self._cluster.recorder.normal(node, "kubelet", "NodeReady", words, host=name)
        await self._renew(node)
        self._queue.add(name, LEASE_SECONDS)

    async def _set_ready(self, node: Json, ready: str) -> None:
        now = stamp(self._cluster.clock.time())
        conditions = building.node_conditions(ready, now, now)
        old = {c["type"]: c["lastTransitionTime"] for c in node["status"]["conditions"]}
        for condition in conditions:
            if condition["type"] != "Ready":
                condition["lastTransitionTime"] = old.get(condition["type"], now)
        await self._cluster.patch(NODES, node, {"status": {"conditions": conditions}}, status=True)

    async def _renew(self, node: Json) -> None:
        name, now = node["metadata"]["name"], micro_stamp(self._cluster.clock.time())
        spec = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": now}
        try:
            await self._cluster.client.patch(LEASES, name, _NAMESPACE, {"spec": spec})
        except NotFound:
            reference = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node["metadata"]["uid"]}
            meta = {"name": name, "namespace": _NAMESPACE, "ownerReferences": [reference]}
            await self._cluster.client.create(LEASES, {"metadata": meta, "spec": spec}, _NAMESPACE)
