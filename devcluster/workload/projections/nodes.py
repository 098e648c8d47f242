"""Nodes."""

from __future__ import annotations

import msgspec

from devcluster.workload.projections.parts import Condition, Part, condition
from informerd.objects import Object


class Taint(Part, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None


class NodeSpec(Part, frozen=True):
    pod_cidr: str = msgspec.field(default="", name="podCIDR")
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class Address(Part, frozen=True):
    type: str = ""
    address: str = ""


class NodeStatus(Part, frozen=True):
    conditions: tuple[Condition, ...] = ()
    allocatable: dict[str, str] = {}
    addresses: tuple[Address, ...] = ()


class Node(Object, frozen=True):
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def is_ready(self) -> bool:
        """Whether its kubelet says that it is ready."""
        found = condition(self.status.conditions, "Ready")
        return found is not None and found.status == "True"
