"""The scheduler: puts pods on nodes, evenly, and says so where one fits nowhere."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from devcluster.workload import statuses
from devcluster.workload.cluster import NODE, Cluster
from devcluster.workload.fit import misfit, refusal
from devcluster.workload.projections import Node, Pod, condition
from devcluster.workload.room import Room, allocatable
from devcluster.workload.voices import Voices
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import Conflict

COMPONENT = "default-scheduler"
RETRY_SECONDS = (20.0, 40.0)
"""Pause before a pod that fits nowhere is tried, and complained about, again."""
ENOUGH = 12
"""Nodes that fit, after which no further ones are looked at (kube-scheduler's percentageOfNodesToScore)."""


class Scheduler:
    """Binds every pod without a node."""

    def __init__(self, cluster: Cluster, voices: Voices) -> None:
        self._cluster = cluster
        self._recorder = voices.of(COMPONENT)
        self.room = Room()
        self._turn = 0
        self.requeue: Callable[[Request], None] = lambda _: None
        """Has a pod looked at again; set by whoever runs this controller."""

    async def reconcile(self, request: Request) -> Result | None:
        """Bind the pod, or tell why not."""
        pod = self._cluster.pods.get(request)
        if pod is None or pod.spec.node_name or pod.is_leaving or pod.spec.scheduler_name != COMPONENT:
            return None
        node = self._chosen(pod)
        if node is None:
            await self._refuse(pod)
            return Result(requeue_after=self._cluster.dice.between(*RETRY_SECONDS, "schedule", pod.key))
        self.room.place(pod, node)
        try:
            await self._cluster.bind(pod, node)
        except Conflict:  # somebody else has bound it
            self.room.remove(pod)
            return None
        message = f"Successfully assigned {pod.key} to {node}"
        self._recorder.event(pod, "Normal", "Scheduled", message)
        return None

    def node_changed(self, old: Node | None, new: Node) -> None:
        """Try those again that wait for a node, if more may fit on it than before."""
        if old is not None and _offer(old) == _offer(new):
            return
        for pod in self._cluster.pods.by(NODE, ""):
            self.requeue(Request.of(pod))

    def _chosen(self, pod: Pod) -> str | None:
        """Of the first so many that fit, from another one on each time, that on which least is used."""
        fitting: list[Node] = []
        self._turn += 1
        nodes = self._cluster.nodes.informer.store.list()
        for place in range(len(nodes)):
            node = nodes[(self._turn * ENOUGH + place) % len(nodes)]
            if misfit(pod, node, self.room.used(node.metadata.name)) is None:
                fitting.append(node)
                if len(fitting) == ENOUGH:
                    break
        return min(fitting, key=lambda node: self._rank(pod, node)).metadata.name if fitting else None

    def _rank(self, pod: Pod, node: Node) -> tuple[float, int]:
        """Among equals chance decides."""
        used, has = self.room.used(node.metadata.name), allocatable(node)
        share = used.pods / max(has.pods, 1) + used.cpu / max(has.cpu, 0.001)
        return round(share, 1), zlib.crc32(f"{pod.key}{node.metadata.name}".encode())

    async def _refuse(self, pod: Pod) -> None:
        nodes = self._cluster.nodes.all()
        found = (misfit(pod, node, self.room.used(node.metadata.name)) for node in nodes)
        message = refusal([each for each in found if each is not None])
        said = condition(pod.status.conditions, "PodScheduled")
        if said is None or said.message != message:
            status = statuses.unschedulable(self._cluster.clock.time(), message)
            await self._cluster.pods.patch(pod, {"status": status}, status=True)
        self._recorder.event(pod, "Warning", "FailedScheduling", message)


def _offer(node: Node) -> tuple[object, ...]:
    """What of a node matters to a pod that looks for one."""
    return node.spec, node.metadata.labels, node.status.allocatable
