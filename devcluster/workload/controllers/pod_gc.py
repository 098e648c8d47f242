"""Pod garbage collector: removes pods of nodes that do not exist, after a delay in which the node may appear.

Source: kube-controller-manager's podgc/gc_controller.go (gcOrphaned).
"""

from __future__ import annotations

from collections.abc import Iterable

from devcluster.workload.api_types import Node, Pod, condition_body
from devcluster.workload.cluster_client import NODE_INDEX, Cluster
from devcluster.workload.object_builders import Json
from devcluster.workload.times import timestamp
from informerd.controller.request import Request
from informerd.controller.result import Result

QUARANTINE_SECONDS = 40.0
"""Seconds for which a node may be missing before its pods go."""


class PodGarbageCollector:
    """Removes orphaned pods, whose node does not exist; see `requests_for_pod` and `requests_for_node`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._missing: dict[str, float] = {}
        """By the pod's key, since when its node has been missing, in monotonic seconds."""

    def requests_for_pod(self, pod: Pod) -> Iterable[Request]:
        """The pod, where its node does not exist."""
        return (Request.of(pod),) if self._is_orphan(pod) else ()

    def requests_for_node(self, node: Node) -> Iterable[Request]:
        """The pods of a node that has gone."""
        if self._cluster.nodes.get(node.key) is not None:
            return ()
        return map(Request.of, self._cluster.pods.by_index(NODE_INDEX, node.metadata.name))

    async def reconcile(self, request: Request) -> Result | None:
        """Wait for the node; without it, say why the pod ends, and delete it."""
        pod = self._cluster.pods.get(request)
        if pod is None or not self._is_orphan(pod):
            self._missing.pop(request.key, None)
            return None
        now = self._cluster.clock.now()
        left = self._missing.setdefault(request.key, now) + QUARANTINE_SECONDS - now
        if left > 0:
            return Result(requeue_after=left)
        if not pod.has_ended:
            await self._cluster.pods.patch(pod, {"status": self._ended(pod)}, status=True)
        await self._cluster.pods.delete(pod, grace=0)
        self._missing.pop(request.key, None)
        return None

    def _is_orphan(self, pod: Pod) -> bool:
        name = pod.spec.node_name
        return bool(name) and self._cluster.nodes.get(name) is None

    def _ended(self, pod: Pod) -> Json:
        target = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC"}
        target |= {
            "message": "PodGC: node no longer exists",
            "lastTransitionTime": timestamp(self._cluster.clock.time()),
        }
        conditions = [condition_body(each) for each in pod.status.conditions if each.type != "DisruptionTarget"]
        return {"phase": "Failed", "conditions": [*conditions, target]}
