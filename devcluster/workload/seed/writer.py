"""Writer of seed objects: puts them into the store as if they had been there for a while, and picks pods' nodes and
addresses.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import msgspec

from devcluster.server.api_server_core import ApiServer
from devcluster.workload import object_builders as objects
from devcluster.workload.demo_inventory import App, NodeProfile
from devcluster.workload.object_builders import Json
from devcluster.workload.random_source import RandomSource
from devcluster.workload.times import timestamp
from informerd.record.event import EventType, Source, make_event
from informerd.record.reference import ObjectReference

DAY = 86_400.0
"""Seconds."""


class SeedWriter:
    """Puts objects and Events into an empty core, and knows the nodes that pods are put on."""

    def __init__(self, core: ApiServer, random_source: RandomSource) -> None:
        self._core = core
        self.random_source = random_source
        self.now = core.now()
        self._hosts: dict[str, tuple[str, str]] = {}
        self._loads: list[tuple[float, int, str, int]] = []
        """A heap: share in use, number, name and cores of each worker."""
        self._events = 0
        self.node_count = 0
        self.tainted_node_count = 0

    def add_node(self, spec: NodeProfile, number: int) -> None:
        """Put a node, which pods may be put on from now on."""
        since = self.now - spec.age_days * DAY
        beat = self.now - self.random_source.uniform(5, 200, "beat", spec.name)
        stored = self.put("nodes", objects.node(spec, number, timestamp(since), timestamp(beat)), since)
        address, network = stored["status"]["addresses"][0]["address"], stored["spec"]["podCIDR"]
        self._hosts[spec.name] = (address, network.rpartition(".")[0])
        self.node_count += 1
        if spec.control_plane:
            self.tainted_node_count += 1
        else:
            heapq.heappush(self._loads, (0.0, number, spec.name, spec.cpu))

    def put(self, key: str, obj: Json, created: float, *, check: bool = True) -> Json:
        """Store an object as created at `created` (Unix seconds); unchecked where others like it have been."""
        obj["metadata"]["creationTimestamp"] = timestamp(created)
        return self._core.put_seed_object(self._core.kind(key), obj, check=check)

    def pick_node(self) -> tuple[str, str, str]:
        """A node for the next pod, the node's address and one for the pod."""
        share, number, name, cores = heapq.heappop(self._loads)
        heapq.heappush(self._loads, (share + 1 / cores, number, name, cores))
        host, network = self._hosts[name]
        return name, host, f"{network}.{2 + round(share * cores) % 126}"

    def address_on(self, node: str, number: int) -> tuple[str, str]:
        """The node's address, and one for a pod on it that no scheduler chose."""
        host, network = self._hosts[node]
        return host, f"{network}.{128 + number}"

    def node_names(self) -> Iterable[str]:
        """The names of all nodes."""
        return self._hosts

    def event(
        self, about: Json, kind: EventType, source: str, reason: str, message: str, ago: float, *,
        count: int = 1, field_path: str = "",
    ) -> None:  # fmt: skip
        """Write an Event that happened so many seconds ago."""
        host = about.get("spec", {}).get("nodeName", "") if source == "kubelet" else ""
        when = self.now - ago
        self._events += 1
        made = make_event(
            ObjectReference.to(about, field_path=field_path), Source(source, host), kind, reason, message, at=when,
            nanoseconds=round(when * 1e9) + self._events,
        )  # fmt: skip
        first = when - 60.0 * (count - 1)
        self.put("events", msgspec.structs.replace(made, count=count, first=first).body(), first)

    def put_status(self, key: str, obj: Json, status: Json, *, observed: bool = True) -> None:
        """Give a stored object its status, of its first generation."""
        self.update(key, obj, {**status, "observedGeneration": 1} if observed else status)

    def update(self, key: str, obj: Json, status: Json) -> None:
        """Give a stored object this status."""
        obj["status"] = status
        self._core.put_seed_object(self._core.kind(key), obj)

    def put_supporting_objects(self, app: App, created: float) -> None:
        """The Service, ConfigMap, Secret and budget that go with an application."""
        if app.budget is not None:
            self.put("poddisruptionbudgets.policy", objects.budget(app) | {"status": {}}, created)
        meta: Json = {"name": app.name, "namespace": app.namespace, "labels": {"app": app.name}}
        ports = [{"name": "http", "port": 80, "targetPort": app.port, "protocol": "TCP"}]
        spec = {"selector": {"app": app.name}, "ports": ports}
        self.put("services", {"metadata": dict(meta), "spec": spec, "status": {"loadBalancer": {}}}, created)
        data = {"LOG_LEVEL": "info", "PORT": str(app.port), "TIMEOUT": "30s"}
        self.put("configmaps", {"metadata": meta | {"name": f"{app.name}-config"}, "data": data}, created)
        secret = {
            "stringData": {"token": f"{self.random_source.rng_for('token', app.key).getrandbits(128):032x}"},
            "type": "Opaque",
        }
        self.put("secrets", {"metadata": meta | {"name": f"{app.name}-token"}, **secret}, created)
