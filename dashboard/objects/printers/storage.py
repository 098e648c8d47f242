"""Printers of volumes, claims, storage classes and attachments."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Printer, created_at, to_unix_seconds
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    STATUS_CELL,
    condition_since,
    condition_text,
    find_condition,
    table_column,
    table_printer,
)
from informerd.objects import Object

_CLASS = "volume.beta.kubernetes.io/storage-class"
_DEFAULTS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
"""Access modes in kubectl's order."""


class ClaimSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    volume_name: str = ""
    storage_class_name: str | None = None
    volume_attributes_class_name: str = ""
    volume_mode: str = ""


class ClaimStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    phase: str = ""
    access_modes: tuple[str, ...] = ()
    capacity: dict[str, str] = {}
    conditions: tuple[Condition, ...] = ()


class Claim(Object, frozen=True, kw_only=True):
    spec: ClaimSpec = ClaimSpec()
    status: ClaimStatus = ClaimStatus()

    @property
    def storage_class(self) -> str:
        """The class; the deprecated annotation wins over the field."""
        return self.metadata.annotations.get(_CLASS, self.spec.storage_class_name or "")


class ClaimReference(msgspec.Struct, frozen=True, gc=False):
    namespace: str = ""
    name: str = ""


class VolumeSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    capacity: dict[str, str] = {}
    access_modes: tuple[str, ...] = ()
    persistent_volume_reclaim_policy: str = ""
    claim_ref: ClaimReference | None = None
    storage_class_name: str = ""
    volume_attributes_class_name: str = ""
    volume_mode: str = ""


class VolumeStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    phase: str = ""
    reason: str = ""
    message: str = ""
    last_phase_transition_time: datetime | None = None


class Volume(Object, frozen=True, kw_only=True):
    spec: VolumeSpec = VolumeSpec()
    status: VolumeStatus = VolumeStatus()


class StorageClass(Object, frozen=True, kw_only=True):
    provisioner: str = ""
    reclaim_policy: str = "Delete"
    volume_binding_mode: str = "Immediate"
    allow_volume_expansion: bool = False


class AttributesClass(Object, frozen=True, kw_only=True):
    driver_name: str = ""


class Source(msgspec.Struct, frozen=True, rename="camel", gc=False):
    persistent_volume_name: str = ""


class AttachmentSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    attacher: str = ""
    node_name: str = ""
    source: Source = Source()


class VolumeError(msgspec.Struct, frozen=True, gc=False):
    message: str = ""
    time: datetime | None = None


class AttachmentStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    attached: bool = False
    attach_error: VolumeError | None = None


class Attachment(Object, frozen=True, kw_only=True):
    spec: AttachmentSpec = AttachmentSpec()
    status: AttachmentStatus = AttachmentStatus()


def _claim_standing(claim: Claim) -> Health:
    phase, wanted = claim.status.phase or "Pending", claim.storage_class
    if phase == "Lost":
        return Health(phase, "bad", f"its volume {claim.spec.volume_name} is gone", created_at(claim))
    if phase != "Bound":
        waits = f"volume {claim.spec.volume_name}" if claim.spec.volume_name else "volume"
        words = f"waiting for a {waits}" + (f" of class {wanted}" if wanted else ", and names no storage class")
        return Health(phase, "warn", words, created_at(claim))
    for name in ("ControllerResizeError", "NodeResizeError", "ModifyVolumeError"):
        if (failed := find_condition(claim.status.conditions, name, "True")) is not None:
            return Health(phase, "warn", f"{name}: {condition_text(failed)}", condition_since(failed))
    for name in ("Resizing", "FileSystemResizePending", "ModifyingVolume"):
        if (condition := find_condition(claim.status.conditions, name, "True")) is not None:
            return Health(phase, "busy", f"{name}: {condition_text(condition)}", condition_since(condition))
    return Health(phase, "ok")


def _volume_standing(volume: Volume) -> Health:
    status, moment = volume.status, to_unix_seconds(volume.status.last_phase_transition_time)
    if status.phase == "Failed":
        words = status.message or status.reason or "it could not be reclaimed"
        return Health("Failed", "bad", f"failed: {words}", moment or created_at(volume))
    if status.phase == "Released":
        policy = volume.spec.persistent_volume_reclaim_policy
        return Health("Released", "idle", f"its claim is gone; policy {policy or 'Retain'}", moment)
    if status.phase in ("Bound", "Available"):
        return Health(status.phase, "ok")
    return Health(status.phase or "Pending", "busy", "", created_at(volume))


def _attachment_standing(attachment: Attachment) -> Health:
    if attachment.status.attached:
        return Health("Attached", "ok")
    error = attachment.status.attach_error
    if error is not None:
        return Health("Failed", "bad", f"cannot be attached: {error.message}", to_unix_seconds(error.time))
    return Health("Attaching", "busy", f"waiting for {attachment.spec.attacher}", created_at(attachment))


def _modes(modes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(short for mode, short in _MODES.items() if mode in modes)


def _capacity(claim: Claim) -> str | None:
    return claim.status.capacity.get("storage", "0") if claim.spec.volume_name else None


def _bound_to(volume: Volume) -> str:
    claim = volume.spec.claim_ref
    return f"{claim.namespace}/{claim.name}" if claim is not None else ""


def _class_of(volume: Volume) -> str:
    return volume.metadata.annotations.get(_CLASS, volume.spec.storage_class_name)


def _default(storage_class: StorageClass) -> str:
    return "yes" if any(storage_class.metadata.annotations.get(name) == "true" for name in _DEFAULTS) else ""


CLAIMS = table_printer(
    Claim,
    STATUS_CELL,
    table_column("volume", "Volume", "spec.volume_name", "mono"),
    table_column("capacity", "Capacity", _capacity, "number"),
    table_column("access-modes", "Access modes", lambda c: _modes(c.status.access_modes) if c.spec.volume_name else ()),
    table_column("storageclass", "Storage class", "storage_class"),
    table_column("attributes-class", "Volume attributes class", "spec.volume_attributes_class_name"),
    AGE_CELL,
    table_column("volume-mode", "Volume mode", "spec.volume_mode", priority=1),
    health_of=_claim_standing,
)
VOLUMES = table_printer(
    Volume,
    table_column("capacity", "Capacity", lambda v: v.spec.capacity.get("storage"), "number"),
    table_column("access-modes", "Access modes", lambda v: _modes(v.spec.access_modes)),
    table_column("reclaim-policy", "Reclaim policy", "spec.persistent_volume_reclaim_policy"),
    STATUS_CELL,
    table_column("claim", "Claim", _bound_to, "mono"),
    table_column("storageclass", "Storage class", _class_of),
    table_column("attributes-class", "Volume attributes class", "spec.volume_attributes_class_name"),
    table_column("reason", "Reason", "status.reason"),
    AGE_CELL,
    table_column("volume-mode", "Volume mode", "spec.volume_mode", priority=1),
    health_of=_volume_standing,
    namespaced=False,
)
STORAGE_CLASSES = table_printer(
    StorageClass,
    table_column("default", "Default", _default),
    table_column("provisioner", "Provisioner", "provisioner", "mono"),
    table_column("reclaim-policy", "Reclaim policy", "reclaim_policy"),
    table_column("binding-mode", "Volume binding mode", "volume_binding_mode"),
    table_column("expansion", "Allow volume expansion", "allow_volume_expansion"),
    AGE_CELL,
    namespaced=False,
)
ATTRIBUTES_CLASSES = table_printer(
    AttributesClass, table_column("driver", "Driver name", "driver_name", "mono"), AGE_CELL, namespaced=False
)
ATTACHMENTS = table_printer(
    Attachment,
    STATUS_CELL,
    table_column("attacher", "Attacher", "spec.attacher", "mono"),
    table_column("pv", "PV", "spec.source.persistent_volume_name", "mono"),
    table_column("node", "Node", "spec.node_name", "mono"),
    table_column("attached", "Attached", "status.attached"),
    AGE_CELL,
    health_of=_attachment_standing,
    namespaced=False,
)
PRINTERS: dict[str, Printer] = {
    "persistentvolumeclaims": CLAIMS,
    "persistentvolumes": VOLUMES,
    "storageclasses.storage.k8s.io": STORAGE_CLASSES,
    "volumeattributesclasses.storage.k8s.io": ATTRIBUTES_CLASSES,
    "volumeattachments.storage.k8s.io": ATTACHMENTS,
}
