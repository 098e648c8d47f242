"""Effect of an update on status, metadata and generation, as each kind's update strategy has it."""

from __future__ import annotations

from types import MappingProxyType

from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS, Kind
from devcluster.server.storage.object_codec import Object

_STATUS_KEEPS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "deployments.apps": ("labels",),
        "pods": ("ownerReferences",),
        CUSTOM_RESOURCE_DEFINITIONS.key: ("labels", "annotations", "finalizers", "ownerReferences"),
    }
)
"""Metadata of built-in kinds that a write of the status leaves as it is."""


def merge_status_update(kind: Kind, new: Object, old: Object) -> Object:
    """The object after a write of its status, which may change metadata too, except for the protected fields."""
    meta = {**new["metadata"]}
    fixed = _STATUS_KEEPS.get(kind.key, ()) if not kind.custom else tuple({*meta, *old["metadata"]})
    for key in fixed:
        meta.pop(key, None)
        if key in old["metadata"]:
            meta[key] = old["metadata"][key]
    unchanged, status = {key: value for key, value in old.items() if key != "status"}, new.get("status")
    if status is None and kind.custom:
        return {**unchanged, "metadata": meta}
    quality = (old.get("status") or {}).get("qosClass")
    if kind.key == "pods" and quality and not (status or {}).get("qosClass"):
        status = {**(status or {}), "qosClass": quality}
    return {**unchanged, "metadata": meta, "status": status or {}}


def has_new_generation(kind: Kind, new: Object, old: Object) -> bool:
    """Whether metadata.generation counts the change."""
    if kind.key == "deployments.apps" and new["metadata"].get("annotations") != old["metadata"].get("annotations"):
        return True
    if not kind.custom:
        return bool(new.get("spec") != old.get("spec"))
    ignored = ("metadata", "status") if kind.has_status else ("metadata",)
    return {k: v for k, v in new.items() if k not in ignored} != {k: v for k, v in old.items() if k not in ignored}
