"""What CSI drivers say of themselves: what they can, which nodes have them, how much room is left."""

from __future__ import annotations

import msgspec

from dashboard.resources.rows.declared import AGE_SHOWN, declare, shown
from dashboard.resources.rows.shape import Shape
from informerd.objects import Object


class TokenRequest(msgspec.Struct, frozen=True, gc=False):
    audience: str = ""


class DriverSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    attach_required: bool = True
    pod_info_on_mount: bool = False
    storage_capacity: bool = False
    token_requests: tuple[TokenRequest, ...] = ()
    requires_republish: bool = False
    volume_lifecycle_modes: tuple[str, ...] = ()


class Driver(Object, frozen=True, kw_only=True):
    spec: DriverSpec = DriverSpec()


class NodeSpec(msgspec.Struct, frozen=True, gc=False):
    drivers: tuple[msgspec.Raw, ...] | None = ()


class Node(Object, frozen=True, kw_only=True):
    spec: NodeSpec = NodeSpec()


class Room(Object, frozen=True, kw_only=True):
    storage_class_name: str = ""
    capacity: str = ""
    maximum_volume_size: str = ""


DRIVERS = declare(
    Driver,
    shown("attach-required", "Attach required", "spec.attach_required"),
    shown("pod-info", "Pod info on mount", "spec.pod_info_on_mount"),
    shown("storage-capacity", "Storage capacity", "spec.storage_capacity"),
    shown("token-requests", "Token requests", lambda driver: [r.audience for r in driver.spec.token_requests]),
    shown("requires-republish", "Requires republish", "spec.requires_republish"),
    shown("modes", "Modes", "spec.volume_lifecycle_modes"),
    AGE_SHOWN,
    namespaced=False,
)
NODES = declare(
    Node, shown("drivers", "Drivers", lambda node: len(node.spec.drivers or ()), "number"), AGE_SHOWN, namespaced=False
)
ROOMS = declare(
    Room,
    shown("storageclass", "Storage class", "storage_class_name"),
    shown("capacity", "Capacity", "capacity", "number"),
    shown("largest", "Largest volume", "maximum_volume_size", "number", priority=1),
    AGE_SHOWN,
)
SHAPES: dict[str, Shape] = {
    "csidrivers.storage.k8s.io": DRIVERS,
    "csinodes.storage.k8s.io": NODES,
    "csistoragecapacities.storage.k8s.io": ROOMS,
}
