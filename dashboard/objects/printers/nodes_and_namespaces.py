"""Printers of nodes and namespaces, as ``kubectl get -o wide`` prints them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from dashboard.objects.kinds.row import Tone
from dashboard.objects.printers.pod_projection import Amounts, Condition
from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    STATUS_COLUMN,
    Column,
    PrintedRow,
    Printer,
    cluster_columns,
    created_at,
    to_unix_seconds,
)
from informerd.objects import Object

_ROLE_PREFIX = "node-role.kubernetes.io/"
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")


class Address(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    address: str = ""


class NodeInfo(msgspec.Struct, frozen=True, rename="camel", gc=False):
    kubelet_version: str = ""
    os_image: str = ""
    kernel_version: str = ""
    architecture: str = ""
    container_runtime_version: str = ""


class NodeSpec(msgspec.Struct, frozen=True, gc=False):
    unschedulable: bool = False


class NodeStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    conditions: tuple[Condition, ...] = ()
    addresses: tuple[Address, ...] = ()
    node_info: NodeInfo = NodeInfo()
    allocatable: Amounts = Amounts()


class Node(Object, frozen=True, kw_only=True):
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class NamespaceStatus(msgspec.Struct, frozen=True, gc=False):
    phase: str = ""
    conditions: tuple[Condition, ...] = ()


class Namespace(Object, frozen=True, kw_only=True):
    status: NamespaceStatus = NamespaceStatus()


def read_node(node: Node) -> PrintedRow:
    """The cells of a node; a node under pressure or unready says why."""
    ready = next((c for c in node.status.conditions if c.type == "Ready"), None)
    word = "Unknown" if ready is None else "Ready" if ready.status == "True" else "NotReady"
    status = f"{word},SchedulingDisabled" if node.spec.unschedulable else word
    tone, reason, since = _node_health(node, ready)
    info = node.status.node_info
    cells = (
        status,
        _roles(node.metadata.labels),
        created_at(node),
        info.kubelet_version or None,
        _address(node, "InternalIP"),
        _address(node, "ExternalIP"),
        info.os_image or None,
        _kernel(info),
        info.container_runtime_version or None,
        str(node.status.allocatable.cpu) or None,
        str(node.status.allocatable.memory) or None,
    )
    return PrintedRow(status, tone, cells, reason, since)


def _node_health(node: Node, ready: Condition | None) -> tuple[Tone, str, float | None]:
    if ready is None:
        return "warn", "its kubelet has not reported yet", created_at(node)
    if ready.status != "True":
        message = ready.message or ready.reason or "its kubelet says so"
        return "bad", f"not ready: {message}", to_unix_seconds(ready.last_transition_time)
    for condition in node.status.conditions:
        if condition.type in _PRESSURES and condition.status == "True":
            words = f"{condition.type}: {condition.message or condition.reason}"
            return "warn", words, to_unix_seconds(condition.last_transition_time)
    return ("idle" if node.spec.unschedulable else "ok"), "", None


def _roles(labels: Mapping[str, str]) -> str | None:
    roles = {label.removeprefix(_ROLE_PREFIX) for label in labels if label.startswith(_ROLE_PREFIX)} - {""}
    roles |= {value for label, value in labels.items() if label == "kubernetes.io/role" and value}
    return ",".join(sorted(roles)) or None


def _kernel(info: NodeInfo) -> str | None:
    if not info.kernel_version:
        return None
    return f"{info.kernel_version} ({info.architecture})" if info.architecture else info.kernel_version


def _address(node: Node, kind: str) -> str | None:
    return next((a.address for a in node.status.addresses if a.type == kind), None)


def read_namespace(namespace: Namespace) -> PrintedRow:
    """The cells of a namespace; a namespace that cannot be deleted says what is left in it."""
    status = namespace.status.phase or "Active"
    if status != "Terminating":
        return PrintedRow(status, "ok", (status, created_at(namespace)))
    left = [c.message for c in namespace.status.conditions if c.status == "True" and c.message]
    since = to_unix_seconds(namespace.metadata.deletion_timestamp)
    return PrintedRow(
        status, "busy", (status, created_at(namespace)), f"being deleted: {'; '.join(left)}" if left else "", since
    )


NODES = Printer(
    cluster_columns(
        STATUS_COLUMN,
        Column("roles", "Roles", words="roles"),
        AGE_COLUMN,
        Column("version", "Version", "mono", order="natural", words="version"),
        Column("internal-ip", "Internal IP", "mono", priority=1, order="ip", words="internal IP"),
        Column("external-ip", "External IP", "mono", priority=2, order="ip", words="external IP"),
        Column("os-image", "OS image", priority=1),
        Column("kernel", "Kernel version", "mono", priority=2, order="natural"),
        Column("runtime", "Container runtime", "mono", priority=1, order="natural"),
        Column("cpu-allocatable", "CPU allocatable", priority=2, order="number"),
        Column("memory-allocatable", "Memory allocatable", priority=2, order="number"),
    ),
    Node,
    read_node,
    namespaced=False,
)
NAMESPACES = Printer(cluster_columns(STATUS_COLUMN, AGE_COLUMN), Namespace, read_namespace, namespaced=False)
