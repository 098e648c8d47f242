"""Resource requests of the pods on each node, updated with each pod, so that scheduling reads no pod twice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from devcluster.workload.api_types import Container, Node, Pod

_FORM = re.compile(r"(\d*\.?\d*)([A-Za-z]*)")
_FACTORS = MappingProxyType(
    {"m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
    | {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
)


@dataclass(frozen=True, slots=True)
class ResourceAmounts:
    """Cores, bytes and pods."""

    cpu: float = 0.0
    memory: float = 0.0
    pods: int = 0

    def __add__(self, other: ResourceAmounts) -> ResourceAmounts:
        return ResourceAmounts(self.cpu + other.cpu, self.memory + other.memory, self.pods + other.pods)

    def __sub__(self, other: ResourceAmounts) -> ResourceAmounts:
        return ResourceAmounts(self.cpu - other.cpu, self.memory - other.memory, self.pods - other.pods)


NO_RESOURCES = ResourceAmounts()


def pod_requests(pod: Pod) -> ResourceAmounts:
    """The resource requests of a pod: its containers together."""
    cpu = sum(_requested(each, "cpu") for each in pod.spec.containers)
    return ResourceAmounts(cpu, sum(_requested(each, "memory") for each in pod.spec.containers), 1)


def allocatable(node: Node) -> ResourceAmounts:
    """The resources of a node."""
    has = node.status.allocatable
    return ResourceAmounts(
        _number(has.get("cpu", "0")), _number(has.get("memory", "0")), int(_number(has.get("pods", "110")))
    )


class NodeResources:
    """Requested resources of each node's pods. To be told of every pod by `observe`, `assign` and `remove`."""

    def __init__(self) -> None:
        self._used: dict[str, ResourceAmounts] = {}
        self._placed: dict[str, tuple[str, ResourceAmounts]] = {}
        """By the pod's uid."""

    def used(self, node: str) -> ResourceAmounts:
        return self._used.get(node, NO_RESOURCES)

    def assign(self, pod: Pod, node: str) -> None:
        """The pod is on this node, or about to be."""
        uid = pod.metadata.uid
        before = self._placed.get(uid)
        if before is None or before[0] != node:
            self.remove(pod)
            load = pod_requests(pod)
            self._placed[uid] = (node, load)
            self._used[node] = self.used(node) + load

    def remove(self, pod: Pod) -> None:
        """The pod is on no node any more, or has ended."""
        before = self._placed.pop(pod.metadata.uid, None)
        if before is not None:
            node, load = before
            left = self._used.pop(node) - load
            if left.pods:
                self._used[node] = left

    def observe(self, pod: Pod) -> None:
        """A pod came or changed."""
        if pod.has_ended:
            self.remove(pod)
        elif pod.spec.node_name:
            self.assign(pod, pod.spec.node_name)


def _requested(container: Container, name: str) -> float:
    return _number((container.resources.requests or {}).get(name, "0"))


@lru_cache(maxsize=1024)
def _number(text: str) -> float:
    """The value of a quantity; 0 for an invalid one."""
    match = _FORM.fullmatch(text)
    return float(match[1] or 0) * _FACTORS.get(match[2], 0.0) if match else 0.0
