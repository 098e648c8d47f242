"""The scheduler: puts pods on nodes, evenly, and says so where one fits nowhere."""

from __future__ import annotations

from collections import Counter

from devcluster.workload import statuses
from devcluster.workload.building import BEHAVIOUR, Json
from devcluster.workload.cluster import NODES, Cluster
from devcluster.workload.queue import DueQueue
from informerd.resource import PODS

SOURCE = "default-scheduler"
RETRY_SECONDS = 75.0
"""Pause before a pod that fits nowhere is tried, and complained about, again."""


class Scheduler:
    """Binds every pod without a node."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._queue = DueQueue(cluster.clock)
        cluster.on_change(PODS, lambda obj: self._queue.add(obj.key, cluster.rng.uniform(0.15, 0.6)))

    async def run(self) -> None:
        await self._queue.work(self.reconcile)

    async def reconcile(self, key: str) -> None:
        """Bind the pod, or tell why not."""
        pod = self._cluster.get(PODS, key)
        if pod is None or pod["spec"].get("nodeName") or "deletionTimestamp" in pod["metadata"]:
            return
        nodes = [node for node in self._cluster.all(NODES) if _takes_pods(node)]
        if not nodes or (pod["metadata"].get("annotations") or {}).get(BEHAVIOUR) == "pending":
            await self._refuse(pod)
            self._queue.add(key, RETRY_SECONDS)
            return
        node = self._emptiest(nodes)
        await self._cluster.bind(pod, node)
        name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        await self._cluster.recorder.normal(pod, SOURCE, "Scheduled", f"Successfully assigned {name} to {node}")

    def _emptiest(self, nodes: list[Json]) -> str:
        used = Counter(pod["spec"].get("nodeName", "") for pod in self._cluster.all(PODS))
        names: list[str] = [node["metadata"]["name"] for node in nodes]
        return min(names, key=lambda name: (used[name], self._cluster.rng.random()))

    async def _refuse(self, pod: Json) -> None:
        nodes = self._cluster.all(NODES)
        tainted = sum(bool(node["spec"].get("taints")) for node in nodes)
        message = f"0/{len(nodes)} nodes are available: {len(nodes) - tainted} Insufficient memory"
        if tainted:
            message += f", {tainted} node(s) had untolerated taint(s)"
        message += ". preemption: 0/{0} nodes are available: {0} Preemption is not helpful for scheduling.".format(
            len(nodes)
        )
        if not pod.get("status", {}).get("conditions"):
            status = statuses.unschedulable(self._cluster.clock.time(), message)
            await self._cluster.patch(PODS, pod, {"status": status}, status=True)
        await self._cluster.recorder.warning(pod, SOURCE, "FailedScheduling", message)


def _takes_pods(node: Json) -> bool:
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in node.get("status", {}).get("conditions") or ())
    return ready and not node["spec"].get("taints") and not node["spec"].get("unschedulable")
