"""API type of Nodes."""

from __future__ import annotations

import msgspec

from devcluster.workload.api_types.shared_structs import ApiStruct, Condition, find_condition
from informerd.objects import Object


class Taint(ApiStruct, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None


class NodeSpec(ApiStruct, frozen=True):
    pod_cidr: str = msgspec.field(default="", name="podCIDR")
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class Address(ApiStruct, frozen=True):
    type: str = ""
    address: str = ""


class NodeStatus(ApiStruct, frozen=True):
    conditions: tuple[Condition, ...] = ()
    allocatable: dict[str, str] = {}
    addresses: tuple[Address, ...] = ()


class Node(Object, frozen=True):
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def is_ready(self) -> bool:
        """Whether its kubelet reports that it is ready."""
        condition = find_condition(self.status.conditions, "Ready")
        return condition is not None and condition.status == "True"
