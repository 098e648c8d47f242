"""The nodes' side: their kubelets renew leases, say now and then that all is well, fall silent, run short of memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from devcluster.workload import building
from devcluster.workload.building import Json, micro_stamp, stamp
from devcluster.workload.cluster import LEASES, Cluster
from devcluster.workload.machines import Machines
from devcluster.workload.projections import Node, condition
from devcluster.workload.voices import Voices
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyExists, NotFound

LEASE_SECONDS = 10.0
HEARTBEAT_SECONDS = 300.0
"""How often a kubelet writes a status in which nothing is new."""
_NAMESPACE = "kube-node-lease"


class NodeAgents:
    """What the kubelets do for their nodes."""

    def __init__(self, cluster: Cluster, voices: Voices, machines: Machines) -> None:
        self._cluster = cluster
        self._voices = voices
        self._machines = machines
        self._beats: dict[str, float] = {}
        """When each wrote its status, in monotonic seconds."""
        self.requeue: Callable[[Request], None] = lambda _: None
        self.on_return: Callable[[str], None] = lambda _: None
        """Told of a node that answers again."""

    async def reconcile(self, request: Request) -> Result | None:
        """Renew the lease, and write the status where it is due or wrong."""
        node = self._cluster.nodes.get(request)
        if node is None:
            self._beats.pop(request.name, None)
            return None
        if not self._machines.answers(request.name):
            return None
        first = LEASE_SECONDS if request.name in self._beats else 0.1
        if not node.is_ready:
            await self._came_back(node)
        now = self._cluster.clock.now()
        due = self._beats.setdefault(request.name, now - self._cluster.dice.between(0, HEARTBEAT_SECONDS, node.key))
        if now - due >= HEARTBEAT_SECONDS:
            await self._write(node)
        await self._renew(node)
        return Result(requeue_after=first)

    def silence(self, name: str) -> None:
        """Let a node's kubelet fall silent."""
        self._machines.silent.add(name)
        self.requeue(Request("", name))

    def end_silence(self, name: str) -> None:
        """Let it answer again."""
        self._machines.silent.discard(name)
        self.requeue(Request("", name))
        self.on_return(name)

    async def run_short(self, node: Node) -> None:
        """The node has too little memory left."""
        name = node.metadata.name
        self._machines.short_of_memory.add(name)
        voice = self._voices.kubelet(name)
        await self._write(node)
        voice.event(
            node, "Normal", "NodeHasInsufficientMemory", f"Node {name} status is now: NodeHasInsufficientMemory"
        )
        voice.event(node, "Warning", "EvictionThresholdMet", "Attempting to reclaim memory")

    async def have_enough(self, node: Node) -> None:
        """It has enough again."""
        name = node.metadata.name
        self._machines.short_of_memory.discard(name)
        await self._write(node)
        words = f"Node {name} status is now: NodeHasSufficientMemory"
        self._voices.kubelet(name).event(node, "Normal", "NodeHasSufficientMemory", words)

    async def _came_back(self, node: Node) -> None:
        await self._write(node)
        words = f"Node {node.metadata.name} status is now: NodeReady"
        self._voices.kubelet(node.metadata.name).event(node, "Normal", "NodeReady", words)

    async def _write(self, node: Node) -> None:
        """The conditions as the kubelet sees them; their times change only when they do."""
        now = stamp(self._cluster.clock.time())
        short = node.metadata.name in self._machines.short_of_memory
        found = building.node_conditions(now, now, short_of_memory=short)
        for each in found:
            before = condition(node.status.conditions, each["type"])
            if before is not None and before.status == each["status"]:
                each["lastTransitionTime"] = before.last_transition_time
        self._beats[node.metadata.name] = self._cluster.clock.now()
        await self._cluster.nodes.patch(node, {"status": {"conditions": found}}, status=True)

    async def _renew(self, node: Node) -> None:
        name, now = node.metadata.name, micro_stamp(self._cluster.clock.time())
        spec: Json = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": now}
        try:
            await self._cluster.client.patch(LEASES, name, _NAMESPACE, {"spec": spec})
        except NotFound:
            reference = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node.metadata.uid}
            meta = {"name": name, "namespace": _NAMESPACE, "ownerReferences": [reference]}
            with contextlib.suppress(AlreadyExists):
                await self._cluster.client.create(LEASES, {"metadata": meta, "spec": spec}, _NAMESPACE)
