"""Node status and lease, as each node's kubelet writes them, with silence and memory pressure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Node, find_condition
from devcluster.workload.cluster_client import LEASES, Cluster
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.kubelet.node_faults import NodeFaults
from devcluster.workload.object_builders import Json
from devcluster.workload.times import micro_timestamp, timestamp
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyExists, NotFound

LEASE_SECONDS = 10.0
HEARTBEAT_SECONDS = 300.0
"""Seconds between two writes of an unchanged status by a kubelet."""
_NAMESPACE = "kube-node-lease"


class NodeHeartbeats:
    """Kubelets' work for their nodes."""

    def __init__(self, cluster: Cluster, recorders: Recorders, node_faults: NodeFaults) -> None:
        self._cluster = cluster
        self._recorders = recorders
        self._machines = node_faults
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
        if not self._machines.is_responding(request.name):
            return None
        first = LEASE_SECONDS if request.name in self._beats else 0.1
        if not node.is_ready:
            await self._came_back(node)
        now = self._cluster.clock.now()
        due = self._beats.setdefault(
            request.name, now - self._cluster.random_source.uniform(0, HEARTBEAT_SECONDS, node.key)
        )
        if now - due >= HEARTBEAT_SECONDS:
            await self._write(node)
        await self._renew(node)
        return Result(requeue_after=first)

    def begin_silence(self, name: str) -> None:
        """Let a node's kubelet fall silent."""
        self._machines.silent_nodes.add(name)
        self.requeue(Request("", name))

    def end_silence(self, name: str) -> None:
        """Let it answer again."""
        self._machines.silent_nodes.discard(name)
        self.requeue(Request("", name))
        self.on_return(name)

    async def begin_memory_pressure(self, node: Node) -> None:
        """The node has too little memory left."""
        name = node.metadata.name
        self._machines.memory_pressure_nodes.add(name)
        voice = self._recorders.for_kubelet(name)
        await self._write(node)
        voice.event(
            node, "Normal", "NodeHasInsufficientMemory", f"Node {name} status is now: NodeHasInsufficientMemory"
        )
        voice.event(node, "Warning", "EvictionThresholdMet", "Attempting to reclaim memory")

    async def end_memory_pressure(self, node: Node) -> None:
        """It has enough again."""
        name = node.metadata.name
        self._machines.memory_pressure_nodes.discard(name)
        await self._write(node)
        words = f"Node {name} status is now: NodeHasSufficientMemory"
        self._recorders.for_kubelet(name).event(node, "Normal", "NodeHasSufficientMemory", words)

    async def _came_back(self, node: Node) -> None:
        await self._write(node)
        words = f"Node {node.metadata.name} status is now: NodeReady"
        self._recorders.for_kubelet(node.metadata.name).event(node, "Normal", "NodeReady", words)

    async def _write(self, node: Node) -> None:
        """The conditions as the kubelet sees them; their times change only when they do."""
        now = timestamp(self._cluster.clock.time())
        short = node.metadata.name in self._machines.memory_pressure_nodes
        conditions = objects.node_conditions(now, now, has_memory_pressure=short)
        for each in conditions:
            before = find_condition(node.status.conditions, each["type"])
            if before is not None and before.status == each["status"]:
                each["lastTransitionTime"] = before.last_transition_time
        self._beats[node.metadata.name] = self._cluster.clock.now()
        await self._cluster.nodes.patch(node, {"status": {"conditions": conditions}}, status=True)

    async def _renew(self, node: Node) -> None:
        name, now = node.metadata.name, micro_timestamp(self._cluster.clock.time())
        spec: Json = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": now}
        try:
            await self._cluster.client.patch(LEASES, name, _NAMESPACE, {"spec": spec})
        except NotFound:
            reference = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node.metadata.uid}
            meta = {"name": name, "namespace": _NAMESPACE, "ownerReferences": [reference]}
            with contextlib.suppress(AlreadyExists):
                await self._cluster.client.create(LEASES, {"metadata": meta, "spec": spec}, _NAMESPACE)
