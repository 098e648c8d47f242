"""Printers of CSI drivers, CSI nodes and storage capacities."""

from __future__ import annotations

import msgspec

from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import AGE_CELL, table_column, table_printer
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


class StorageCapacity(Object, frozen=True, kw_only=True):
    storage_class_name: str = ""
    capacity: str = ""
    maximum_volume_size: str = ""


DRIVERS = table_printer(
    Driver,
    table_column("attach-required", "Attach required", "spec.attach_required"),
    table_column("pod-info", "Pod info on mount", "spec.pod_info_on_mount"),
    table_column("storage-capacity", "Storage capacity", "spec.storage_capacity"),
    table_column("token-requests", "Token requests", lambda driver: [r.audience for r in driver.spec.token_requests]),
    table_column("requires-republish", "Requires republish", "spec.requires_republish"),
    table_column("modes", "Modes", "spec.volume_lifecycle_modes"),
    AGE_CELL,
    namespaced=False,
)
NODES = table_printer(
    Node,
    table_column("drivers", "Drivers", lambda node: len(node.spec.drivers or ()), "number"),
    AGE_CELL,
    namespaced=False,
)
STORAGE_CAPACITIES = table_printer(
    StorageCapacity,
    table_column("storageclass", "Storage class", "storage_class_name"),
    table_column("capacity", "Capacity", "capacity", "number"),
    table_column("largest", "Largest volume", "maximum_volume_size", "number", priority=1),
    AGE_CELL,
)
PRINTERS: dict[str, Printer] = {
    "csidrivers.storage.k8s.io": DRIVERS,
    "csinodes.storage.k8s.io": NODES,
    "csistoragecapacities.storage.k8s.io": STORAGE_CAPACITIES,
}
