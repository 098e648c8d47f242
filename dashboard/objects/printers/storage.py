"""Volumes, claims to them, and the classes and drivers that make them."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.resources.rows.declared import (
    AGE_SHOWN,
    STATUS_SHOWN,
    Standing,
    condition,
    declare,
    said,
    shown,
    since,
)
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import Shape, age, seconds
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
        """The annotation of old times wins over the field."""
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


def _claim_standing(claim: Claim) -> Standing:
    phase, wanted = claim.status.phase or "Pending", claim.storage_class
    if phase == "Lost":
        return Standing(phase, "bad", f"its volume {claim.spec.volume_name} is gone", age(claim))
    if phase != "Bound":
        waits = f"volume {claim.spec.volume_name}" if claim.spec.volume_name else "volume"
        words = f"waiting for a {waits}" + (f" of class {wanted}" if wanted else ", and names no storage class")
        return Standing(phase, "warn", words, age(claim))
    for name in ("ControllerResizeError", "NodeResizeError", "ModifyVolumeError"):
        if (failed := condition(claim.status.conditions, name, "True")) is not None:
            return Standing(phase, "warn", f"{name}: {said(failed)}", since(failed))
    for name in ("Resizing", "FileSystemResizePending", "ModifyingVolume"):
        if (going := condition(claim.status.conditions, name, "True")) is not None:
            return Standing(phase, "busy", f"{name}: {said(going)}", since(going))
    return Standing(phase, "ok")


def _volume_standing(volume: Volume) -> Standing:
    status, moment = volume.status, seconds(volume.status.last_phase_transition_time)
    if status.phase == "Failed":
        words = status.message or status.reason or "it could not be reclaimed"
        return Standing("Failed", "bad", f"failed: {words}", moment or age(volume))
    if status.phase == "Released":
        policy = volume.spec.persistent_volume_reclaim_policy
        return Standing("Released", "idle", f"its claim is gone; policy {policy or 'Retain'}", moment)
    if status.phase in ("Bound", "Available"):
        return Standing(status.phase, "ok")
    return Standing(status.phase or "Pending", "busy", "", age(volume))


def _attachment_standing(attachment: Attachment) -> Standing:
    if attachment.status.attached:
        return Standing("Attached", "ok")
    error = attachment.status.attach_error
    if error is not None:
        return Standing("Failed", "bad", f"cannot be attached: {error.message}", seconds(error.time))
    return Standing("Attaching", "busy", f"waiting for {attachment.spec.attacher}", age(attachment))


def _modes(modes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(short for mode, short in _MODES.items() if mode in modes)


def _room(claim: Claim) -> str | None:
    return claim.status.capacity.get("storage", "0") if claim.spec.volume_name else None


def _bound_to(volume: Volume) -> str:
    claim = volume.spec.claim_ref
    return f"{claim.namespace}/{claim.name}" if claim is not None else ""


def _class_of(volume: Volume) -> str:
    return volume.metadata.annotations.get(_CLASS, volume.spec.storage_class_name)


def _default(found: StorageClass) -> str:
    return "yes" if any(found.metadata.annotations.get(name) == "true" for name in _DEFAULTS) else ""


CLAIMS = declare(
    Claim,
    STATUS_SHOWN,
    shown("volume", "Volume", "spec.volume_name", "mono"),
    shown("capacity", "Capacity", _room, "number"),
    shown("access-modes", "Access modes", lambda c: _modes(c.status.access_modes) if c.spec.volume_name else ()),
    shown("storageclass", "Storage class", "storage_class"),
    shown("attributes-class", "Volume attributes class", "spec.volume_attributes_class_name"),
    AGE_SHOWN,
    shown("volume-mode", "Volume mode", "spec.volume_mode", priority=1),
    judge=_claim_standing,
)
VOLUMES = declare(
    Volume,
    shown("capacity", "Capacity", lambda v: v.spec.capacity.get("storage"), "number"),
    shown("access-modes", "Access modes", lambda v: _modes(v.spec.access_modes)),
    shown("reclaim-policy", "Reclaim policy", "spec.persistent_volume_reclaim_policy"),
    STATUS_SHOWN,
    shown("claim", "Claim", _bound_to, "mono"),
    shown("storageclass", "Storage class", _class_of),
    shown("attributes-class", "Volume attributes class", "spec.volume_attributes_class_name"),
    shown("reason", "Reason", "status.reason"),
    AGE_SHOWN,
    shown("volume-mode", "Volume mode", "spec.volume_mode", priority=1),
    judge=_volume_standing,
    namespaced=False,
)
STORAGE_CLASSES = declare(
    StorageClass,
    shown("default", "Default", _default),
    shown("provisioner", "Provisioner", "provisioner", "mono"),
    shown("reclaim-policy", "Reclaim policy", "reclaim_policy"),
    shown("binding-mode", "Volume binding mode", "volume_binding_mode"),
    shown("expansion", "Allow volume expansion", "allow_volume_expansion"),
    AGE_SHOWN,
    namespaced=False,
)
ATTRIBUTES_CLASSES = declare(
    AttributesClass, shown("driver", "Driver name", "driver_name", "mono"), AGE_SHOWN, namespaced=False
)
ATTACHMENTS = declare(
    Attachment,
    STATUS_SHOWN,
    shown("attacher", "Attacher", "spec.attacher", "mono"),
    shown("pv", "PV", "spec.source.persistent_volume_name", "mono"),
    shown("node", "Node", "spec.node_name", "mono"),
    shown("attached", "Attached", "status.attached"),
    AGE_SHOWN,
    judge=_attachment_standing,
    namespaced=False,
)
SHAPES: dict[str, Shape] = {
    "persistentvolumeclaims": CLAIMS,
    "persistentvolumes": VOLUMES,
    "storageclasses.storage.k8s.io": STORAGE_CLASSES,
    "volumeattributesclasses.storage.k8s.io": ATTRIBUTES_CLASSES,
    "volumeattachments.storage.k8s.io": ATTACHMENTS,
}
