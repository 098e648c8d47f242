"""Fields that a fieldSelector may name, for each kind, and their values."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from devcluster.server.kinds import Kind

_NAME_FIELDS = ("metadata.name", "metadata.namespace")
_SELECTABLE: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "pods": (
            "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
            "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
        ),
        "events": (
            "involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
            "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
            "reportingComponent", "source", "type",
        ),
        "namespaces": ("status.phase",),
        "nodes": ("spec.unschedulable",),
        "secrets": ("type",),
        "jobs.batch": ("status.successful",),
        "services": ("spec.clusterIP", "spec.type"),
    }
)  # fmt: skip
_UNSET: MappingProxyType[str, str] = MappingProxyType({"nodes": "spec.unschedulable", "pods": "spec.hostNetwork"})
"""Flags that can be selected where they are not set."""


def selectable_fields(kind: Kind) -> tuple[tuple[str, ...], str]:
    """The fields that a fieldSelector of this kind may name, and the message for others, with ``{}`` for the field."""
    own = _SELECTABLE.get(kind.key, ())
    if own or kind.custom:
        return _NAME_FIELDS + own, "field label not supported: {}"
    return _NAME_FIELDS, '"{}" is not a known field selector: only "metadata.name", "metadata.namespace"'


def selectable_values(obj: dict[str, Any], kind: Kind) -> dict[str, str]:
    fields: dict[str, str] = {}
    for path in _SELECTABLE.get(kind.key, ()):
        value: Any = obj
        for step in path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if path == "source" and isinstance(value, dict):
            value = value.get("component")
        elif path == "status.podIPs" and isinstance(value, list):
            value = value[0].get("ip") if value else None
        if value is not None:
            fields[path] = str(value).lower() if isinstance(value, bool) else str(value)
    if kind.key in _UNSET:
        fields.setdefault(_UNSET[kind.key], "false")
    return fields
