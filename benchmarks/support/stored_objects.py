"""Objects as the API server has them in etcd: those of a cluster of a chosen size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.support.load_server_pods import START, pod

NAMESPACES = 20
"""Number of the pods' namespaces where nothing else is said: team-0 to team-19."""
NODES = 100
"""Number of nodes that pods name where nothing else is said; none of them exists then."""
Stored = tuple[str, bytes]
"""Key and content."""


@dataclass(frozen=True, slots=True)
class ClusterSize:
    """Numbers of objects."""

    pods: int
    namespaces: int = NAMESPACES
    nodes: int = 0
    events: int = 0
    mydemos: int = 0


def stored_objects(size: ClusterSize) -> Iterator[Stored]:
    """All objects. Namespaces are called team-0, team-1, …, nodes node-0, …, Mydemos demo-0, …; pods of 4.8 kB run."""
    yield from (_namespace(number) for number in range(size.namespaces))
    yield from (_node(number) for number in range(size.nodes))
    yield from (_pod(number, size) for number in range(size.pods))
    yield from (_event(number, size) for number in range(size.events))
    yield from (_mydemo(number, size) for number in range(size.mydemos))


def _namespace(number: int) -> Stored:
    name = f"team-{number}"
    meta = {**_meta(name, number, "9000"), "labels": {"kubernetes.io/metadata.name": name}}
    return _stored(f"namespaces/{name}", "v1", "Namespace", meta, {
        "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}
    })  # fmt: skip


def _node(number: int) -> Stored:
    name = f"node-{number}"
    conditions = [
        {"type": kind, "status": str(kind == "Ready"), "reason": "Kubelet", "message": "kubelet says so",
         "lastHeartbeatTime": START, "lastTransitionTime": START}
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]  # fmt: skip
    capacity = {"cpu": "32", "memory": "131072Mi", "pods": "110"}
    status = {"capacity": capacity, "allocatable": capacity, "conditions": conditions}
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{number % 3}"}
    meta = {**_meta(name, number, "a000"), "labels": labels}
    return _stored(f"minions/{name}", "v1", "Node", meta, {"spec": {"podCIDR": "10.0.0.0/24"}, "status": status})


def _pod(number: int, size: ClusterSize) -> Stored:
    found: dict[str, Any] = json.loads(pod(number, 1))
    meta = found["metadata"]
    meta["namespace"] = f"team-{number % size.namespaces}"
    del meta["resourceVersion"]
    app = meta["labels"]["app"]  # one ReplicaSet in each namespace
    meta["ownerReferences"][0] |= {"name": f"{app}-7d9c", "uid": f"u-{app}-{number % size.namespaces}"}
    meta["uid"] = f"00000000-0000-4000-8000-{number:012d}"
    found["spec"]["nodeName"] = f"node-{number % (size.nodes or NODES)}"
    return f"/registry/pods/{meta['namespace']}/{meta['name']}", json.dumps(found).encode()


def _event(number: int, size: ClusterSize) -> Stored:
    about = number % max(1, size.pods)
    namespace, name = f"team-{about % size.namespaces}", f"web-7d9c-{about:05d}"
    uid = f"00000000-0000-4000-8000-{about:012d}"
    meta = {**_meta(f"{name}.{number:x}", number, "b000"), "namespace": namespace}
    return _stored(f"events/{namespace}/{meta['name']}", "v1", "Event", meta, {
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": name, "uid": uid},
        "reason": ("Pulled", "Created", "Started", "BackOff")[number % 4],
        "type": "Warning" if number % 4 == 3 else "Normal",
        "message": f"message {number % 100} about a container of this pod",
        "source": {"component": "kubelet", "host": f"node-{about % (size.nodes or NODES)}"},
        "firstTimestamp": START, "lastTimestamp": START, "count": 1 + number % 9,
    })  # fmt: skip


def _mydemo(number: int, size: ClusterSize) -> Stored:
    namespace, name = f"team-{number % size.namespaces}", f"demo-{number}"
    meta = {**_meta(name, number, "c000"), "namespace": namespace, "generation": 1}
    spec = {"ip": f"10.2.{number // 250 % 250}.{number % 250}", "port": 1024 + number % 60_000}
    key = f"crddemo.k8s.io/mydemos/{namespace}/{name}"
    return _stored(key, "crddemo.k8s.io/v1", "Mydemo", meta, {"spec": spec})


def _meta(name: str, number: int, kind: str) -> dict[str, Any]:
    return {"name": name, "uid": f"00000000-0000-4000-{kind}-{number:012d}", "creationTimestamp": START}


def _stored(key: str, version: str, kind: str, meta: dict[str, Any], content: dict[str, Any]) -> Stored:
    return f"/registry/{key}", json.dumps({"apiVersion": version, "kind": kind, "metadata": meta, **content}).encode()
