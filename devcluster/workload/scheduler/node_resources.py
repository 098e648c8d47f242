"""Room: what the pods on each node ask for, kept up as they come and go, so that scheduling looks at no pod twice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from devcluster.workload.projections import Container, Node, Pod

_FORM = re.compile(r"(\d*\.?\d*)([A-Za-z]*)")
_FACTORS = MappingProxyType(
    {"m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
    | {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
)


@dataclass(frozen=True, slots=True)
class Load:
    """Cores, bytes and pods."""

    cpu: float = 0.0
    memory: float = 0.0
    pods: int = 0

    def __add__(self, other: Load) -> Load:
        return Load(self.cpu + other.cpu, self.memory + other.memory, self.pods + other.pods)

    def __sub__(self, other: Load) -> Load:
        return Load(self.cpu - other.cpu, self.memory - other.memory, self.pods - other.pods)


NOTHING = Load()


def requests(pod: Pod) -> Load:
    """What a pod asks for: its containers together."""
    cpu = sum(_asked(each, "cpu") for each in pod.spec.containers)
    return Load(cpu, sum(_asked(each, "memory") for each in pod.spec.containers), 1)


def allocatable(node: Node) -> Load:
    """What a node has."""
    has = node.status.allocatable
    return Load(_number(has.get("cpu", "0")), _number(has.get("memory", "0")), int(_number(has.get("pods", "110"))))


class Room:
    """Told of every pod; `used` is what those on a node ask for."""

    def __init__(self) -> None:
        self._used: dict[str, Load] = {}
        self._placed: dict[str, tuple[str, Load]] = {}
        """By the pod's uid."""

    def used(self, node: str) -> Load:
        return self._used.get(node, NOTHING)

    def place(self, pod: Pod, node: str) -> None:
        """The pod is on this node, or about to be."""
        uid = pod.metadata.uid
        before = self._placed.get(uid)
        if before is None or before[0] != node:
            self.remove(pod)
            load = requests(pod)
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

    def notice(self, pod: Pod) -> None:
        """A pod came or changed."""
        if pod.has_ended:
            self.remove(pod)
        elif pod.spec.node_name:
            self.place(pod, pod.spec.node_name)


def _asked(container: Container, name: str) -> float:
    return _number((container.resources.requests or {}).get(name, "0"))


@lru_cache(maxsize=1024)
def _number(text: str) -> float:
    """A quantity; 0 for what is none."""
    found = _FORM.fullmatch(text)
    return float(found[1] or 0) * _FACTORS.get(found[2], 0.0) if found else 0.0
