"""Scheduler that spreads pods over nodes, and records an event where a pod fits on no node."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from devcluster.workload.api_types import Node, Pod, find_condition
from devcluster.workload.cluster_client import NODE_INDEX, Cluster
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.kubelet import pod_status
from devcluster.workload.scheduler.filters import filter_node, unschedulable_message
from devcluster.workload.scheduler.node_resources import NodeResources, allocatable
from devcluster.workload.times import parse_timestamp
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import Conflict

COMPONENT = "default-scheduler"
RETRY_SECONDS = (20.0, 40.0)
"""Seconds before a pod that fits nowhere is tried, and reported, again."""
MAX_FEASIBLE_NODES = 12
"""Number of fitting nodes after which the search ends (kube-scheduler's percentageOfNodesToScore)."""


class Scheduler:
    """Binds every pod without a node."""

    def __init__(self, cluster: Cluster, recorders: Recorders) -> None:
        self._cluster = cluster
        self._recorder = recorders.for_component(COMPONENT)
        self.node_resources = NodeResources()
        self._turn = 0
        self.requeue: Callable[[Request], None] = lambda _: None
        """Requeues a pod; set by the runner of this controller."""

    async def reconcile(self, request: Request) -> Result | None:
        """Bind the pod, or record why not."""
        pod = self._cluster.pods.get(request)
        if pod is None or pod.spec.node_name or pod.is_terminating or pod.spec.scheduler_name != COMPONENT:
            return None
        node = self._chosen(pod)
        if node is None:
            await self._refuse(pod)
            return Result(requeue_after=self._cluster.random_source.uniform(*RETRY_SECONDS, "schedule", pod.key))
        self.node_resources.assign(pod, node)
        try:
            await self._cluster.bind(pod, node)
        except Conflict:  # somebody else has bound it
            self.node_resources.remove(pod)
            return None
        message = f"Successfully assigned {pod.key} to {node}"
        self._recorder.event(pod, "Normal", "Scheduled", message)
        return None

    def node_changed(self, old: Node | None, new: Node) -> None:
        """Requeue the pods that wait for a node, if more may fit on this one than before."""
        if old is not None and _offer(old) == _offer(new):
            return
        for pod in self._cluster.pods.by_index(NODE_INDEX, ""):
            self.requeue(Request.of(pod))

    def _chosen(self, pod: Pod) -> str | None:
        """The least used of the first nodes that fit. Each search starts at another node."""
        fitting: list[Node] = []
        self._turn += 1
        nodes = self._cluster.nodes.informer.store.list()
        for place in range(len(nodes)):
            node = nodes[(self._turn * MAX_FEASIBLE_NODES + place) % len(nodes)]
            if filter_node(pod, node, self.node_resources.used(node.metadata.name)) is None:
                fitting.append(node)
                if len(fitting) == MAX_FEASIBLE_NODES:
                    break
        return min(fitting, key=lambda node: self._rank(pod, node)).metadata.name if fitting else None

    def _rank(self, pod: Pod, node: Node) -> tuple[float, int]:
        """Among equals chance decides."""
        used, has = self.node_resources.used(node.metadata.name), allocatable(node)
        share = used.pods / max(has.pods, 1) + used.cpu / max(has.cpu, 0.001)
        return round(share, 1), zlib.crc32(f"{pod.key}{node.metadata.name}".encode())

    async def _refuse(self, pod: Pod) -> None:
        nodes = self._cluster.nodes.all()
        failures = (filter_node(pod, node, self.node_resources.used(node.metadata.name)) for node in nodes)
        message = unschedulable_message([each for each in failures if each is not None])
        condition = find_condition(pod.status.conditions, "PodScheduled")
        if condition is None or condition.message != message:
            known = condition.last_transition_time if condition and condition.status == "False" else None
            since = parse_timestamp(known) if known else self._cluster.clock.time()  # another message is no transition
            status = pod_status.unschedulable_status(since, message)
            await self._cluster.pods.patch(pod, {"status": status}, status=True)
        self._recorder.event(pod, "Warning", "FailedScheduling", message)


def _offer(node: Node) -> tuple[object, ...]:
    """The properties of a node that the scheduling of a pod depends on."""
    return node.spec, node.metadata.labels, node.status.allocatable
