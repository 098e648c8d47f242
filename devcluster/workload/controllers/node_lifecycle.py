"""Node lifecycle controller: marks nodes that no longer report, and their pods, and evicts these pods.

Source: kube-controller-manager's nodelifecycle/node_lifecycle_controller.go and tainteviction/taint_eviction.go.
"""

from __future__ import annotations

from devcluster.workload.api_types import Node, Pod, Taint, condition_body, find_condition
from devcluster.workload.cluster_client import NODE_INDEX, Cluster
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.kubelet.node_faults import NodeFaults
from devcluster.workload.object_builders import Json
from devcluster.workload.scheduler.filters import tolerates
from devcluster.workload.times import parse_timestamp, timestamp
from informerd.controller.request import Request
from informerd.controller.result import Result

NODE_MONITOR_GRACE_SECONDS = 40.0
"""Seconds for which a node may be silent."""
UNREACHABLE_TAINT = "node.kubernetes.io/unreachable"
MEMORY_PRESSURE_TAINT = "node.kubernetes.io/memory-pressure"
UNSCHEDULABLE_TAINT = "node.kubernetes.io/unschedulable"
_OURS = (UNREACHABLE_TAINT, MEMORY_PRESSURE_TAINT, UNSCHEDULABLE_TAINT)


class NodeLifecycleController:
    """Reconciles every node: its condition Ready, its taints, and the pods that do not tolerate these."""

    def __init__(self, cluster: Cluster, recorders: Recorders, node_faults: NodeFaults) -> None:
        self._cluster = cluster
        self._recorder = recorders.for_component("node-controller")
        self._evictor = recorders.for_component("taint-eviction-controller")
        self._machines = node_faults
        self._silent_since: dict[str, float] = {}
        self._marked: dict[str, Pod] = {}
        """Uids of pods that are marked for eviction."""

    async def reconcile(self, request: Request) -> Result | None:
        """Mark and taint the node, and evict its pods, as its silence or return requires."""
        node = self._cluster.nodes.get(request)
        if node is None:  # its pods are the pod garbage collector's
            self._silent_since.pop(request.name, None)
            return None
        left = self._grace_left(request.name)
        if (
            left == 0.0
            and (condition := find_condition(node.status.conditions, "Ready"))
            and condition.status != "Unknown"
        ):
            await self._mark_silent(node)
        node = self._cluster.nodes.get(request) or node
        await self._taint(node)
        wait = await self._evict(self._cluster.nodes.get(request) or node)
        times = [each for each in (left, wait) if each]
        return Result(requeue_after=min(times)) if times else None

    def forget(self, pod: Pod) -> None:
        """Drop the records of a deleted object."""
        self._marked.pop(pod.metadata.uid, None)

    def _grace_left(self, name: str) -> float | None:
        """Seconds until the node counts as lost, 0 once it does; None while it reports."""
        if self._machines.is_responding(name):
            self._silent_since.pop(name, None)
            return None
        since = self._silent_since.setdefault(name, self._cluster.clock.now())
        return max(0.0, since + NODE_MONITOR_GRACE_SECONDS - self._cluster.clock.now())

    async def _mark_silent(self, node: Node) -> None:
        name, now = node.metadata.name, timestamp(self._cluster.clock.time())
        unknown = {"status": "Unknown", "reason": "NodeStatusUnknown", "lastTransitionTime": now}
        words = {"message": "Kubelet stopped posting node status."}
        conditions = [{"type": each.type, **unknown, **words} for each in node.status.conditions]
        for body in conditions:
            body["lastHeartbeatTime"] = now
        await self._cluster.nodes.patch(node, {"status": {"conditions": conditions}}, status=True)
        self._recorder.event(node, "Normal", "NodeNotReady", f"Node {name} status is now: NodeNotReady")
        for pod in self._cluster.pods.by_index(NODE_INDEX, name):
            if not pod.has_ended:
                await self._mark_unready(pod, now)

    async def _mark_unready(self, pod: Pod, now: str) -> None:
        self._recorder.event(pod, "Warning", "NodeNotReady", "Node is not ready")
        if pod.is_ready:
            conditions = [condition_body(each) for each in pod.status.conditions]
            for body in conditions:
                if body["type"] == "Ready":
                    body |= {"status": "False", "lastTransitionTime": now}
            await self._cluster.pods.patch(pod, {"status": {"conditions": conditions}}, status=True)

    async def _taint(self, node: Node) -> None:
        """Give the node the taints that its conditions and its cordon ask for, and take back those that do not."""
        ready, pressed = (find_condition(node.status.conditions, kind) for kind in ("Ready", "MemoryPressure"))
        wanted: list[tuple[str, str]] = []
        if ready is not None and ready.status == "Unknown":
            wanted = [(UNREACHABLE_TAINT, "NoSchedule"), (UNREACHABLE_TAINT, "NoExecute")]
        if pressed is not None and pressed.status == "True":
            wanted.append((MEMORY_PRESSURE_TAINT, "NoSchedule"))
        if node.spec.unschedulable:
            wanted.append((UNSCHEDULABLE_TAINT, "NoSchedule"))
        have = [(each.key, each.effect) for each in node.spec.taints if each.key in _OURS]
        if sorted(have) == sorted(wanted):
            return
        taints = [
            _taint(each) for each in node.spec.taints if each.key not in _OURS or (each.key, each.effect) in wanted
        ]
        now = timestamp(self._cluster.clock.time())
        new = [{"key": key, "effect": effect, "timeAdded": now} for key, effect in wanted if (key, effect) not in have]
        await self._cluster.nodes.patch(node, {"spec": {"taints": [*taints, *new] or None}})

    async def _evict(self, node: Node) -> float:
        """Delete the pods whose toleration of a NoExecute taint has expired. Returns the seconds until the next."""
        taints = [each for each in node.spec.taints if each.effect == "NoExecute"]
        if not taints:
            self._spare(node.metadata.name)
            return 0.0
        next_one = 0.0
        for pod in self._cluster.pods.by_index(NODE_INDEX, node.metadata.name):
            if pod.is_terminating:
                continue
            left = self._patience(pod, taints)
            if left is not None and left <= 0:
                await self._delete(pod)
            elif left is not None:
                self._marked[pod.metadata.uid] = pod
                next_one = min(left, next_one) if next_one else left
        return next_one

    def _patience(self, pod: Pod, taints: list[Taint]) -> float | None:
        """Seconds for which the pod stays: None for ever."""
        now, times = self._cluster.clock.time(), []
        for taint in taints:
            if not tolerates(pod.spec.tolerations, taint):
                return 0.0
            limits = [
                each.toleration_seconds for each in pod.spec.tolerations
                if each.toleration_seconds is not None and tolerates([each], taint)
            ]  # fmt: skip
            added = parse_timestamp(taint.time_added) if taint.time_added else now
            times += [added + seconds - now for seconds in limits]
        return min(times, default=None)

    async def _delete(self, pod: Pod) -> None:
        self._marked.pop(pod.metadata.uid, None)
        self._evictor.event(pod, "Normal", "TaintManagerEviction", f"Marking for deletion Pod {pod.key}")
        target = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}
        target |= {"message": "Taint manager: deleting due to NoExecute taint"}
        target["lastTransitionTime"] = timestamp(self._cluster.clock.time())
        conditions = [condition_body(each) for each in pod.status.conditions if each.type != "DisruptionTarget"]
        await self._cluster.pods.patch(pod, {"status": {"conditions": [*conditions, target]}}, status=True)
        await self._cluster.pods.delete(pod)

    def _spare(self, node: str) -> None:
        """Cancel pending evictions: the node came back in time."""
        for pod in [each for each in self._marked.values() if each.spec.node_name == node]:
            del self._marked[pod.metadata.uid]
            self._evictor.event(pod, "Normal", "TaintManagerEviction", f"Cancelling deletion of Pod {pod.key}")


def _taint(each: Taint) -> Json:
    body = {"key": each.key, "value": each.value, "effect": each.effect, "timeAdded": each.time_added}
    return {name: value for name, value in body.items() if value}
