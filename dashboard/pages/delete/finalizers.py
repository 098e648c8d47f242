"""Finalizers that delay a deletion, with the known facts of each and its manager."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.objects.fields.field_access import ItemKey
from dashboard.objects.fields.managed_fields import field_managers

FOREGROUND_FINALIZER = "foregroundDeletion"
ORPHAN_FINALIZER = "orphan"
PROTECTION_FINALIZERS = frozenset({"kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"})
"""Finalizers that are removed once nothing uses the object."""


@dataclass(frozen=True, slots=True)
class Finalizer:
    """A finalizer, which delays a deletion until its controller removes it."""

    name: str
    meaning: str
    remover: str
    """The component that should remove it."""
    field_manager: str = ""
    """The field manager that added it; empty where it is unknown."""
    last_write: str = ""
    """RFC 3339 time of that manager's last write; empty where it is unknown."""


@dataclass(frozen=True, slots=True)
class _Known:
    meaning: str
    remover: str


_GARBAGE = "the garbage collector (kube-controller-manager)"
_KNOWN: Mapping[str, _Known] = MappingProxyType({
    FOREGROUND_FINALIZER: _Known(
        "The garbage collector deletes what belongs to it first, then removes this.", _GARBAGE
    ),
    ORPHAN_FINALIZER: _Known(
        "The garbage collector first removes the owner from everything that belongs to it, then removes this.", _GARBAGE
    ),
    "kubernetes": _Known(
        "The namespace controller deletes everything in the namespace first, then removes this.",
        "the namespace controller (kube-controller-manager)",
    ),
    "kubernetes.io/pvc-protection": _Known(
        "It is removed once no pod on a node names the claim.",
        "the PVC protection controller (kube-controller-manager)",
    ),
    "kubernetes.io/pv-protection": _Known(
        "It is removed once the volume is bound to no claim.",
        "the PV protection controller (kube-controller-manager)",
    ),
    "kubernetes.io/vac-protection": _Known(
        "It is removed once no claim and no volume names the class.",
        "the VolumeAttributesClass protection controller (kube-controller-manager)",
    ),
    "networking.k8s.io/service-cidr-finalizer": _Known(
        "It is removed once no Service has an address of the range, or another range contains them all too.",
        "the ServiceCIDR controller (kube-controller-manager)",
    ),
    "resource.kubernetes.io/delete-protection": _Known(
        "It is removed once the devices are no longer allocated and no pod has them reserved.",
        "the resource claim controller (kube-controller-manager)",
    ),
    "batch.kubernetes.io/job-tracking": _Known(
        "The job controller counts the pod first, then removes this.", "the job controller (kube-controller-manager)"
    ),
    "service.kubernetes.io/load-balancer-cleanup": _Known(
        "The cloud's load balancer is removed first, then this is removed.",
        "the service controller (cloud-controller-manager)",
    ),
    "customresourcecleanup.apiextensions.k8s.io": _Known(
        "The API server deletes every object of this kind first, then removes this.", "the API server"
    ),
    "external-provisioner.volume.kubernetes.io/finalizer": _Known(
        "The storage behind the volume is deleted first, then this is removed.", "the CSI driver's external-provisioner"
    ),
    "external-attacher": _Known("The volume is detached from its node first.", "the CSI driver's external-attacher"),
    "argoproj.io": _Known("Argo CD deletes the application's resources first.", "Argo CD"),
})  # fmt: skip
"""By name, or by the domain before its slash."""


def finalizers_of(live: Mapping[str, Any]) -> tuple[Finalizer, ...]:
    """The finalizers of an object as the API server sent it, those of a namespace's spec included."""
    metadata = live["metadata"]
    names = [*(metadata.get("finalizers") or ())]
    if is_namespace(live):  # the spec of any other kind may have any shape
        names += (live.get("spec") or {}).get("finalizers") or ()
    return tuple(finalizer_of(name, *_put_by(live, name)) for name in dict.fromkeys(names))


def finalizer_of(name: str, manager: str = "", managed_at: str = "") -> Finalizer:
    """The known facts of one finalizer."""
    known = _KNOWN.get(name) or _KNOWN.get(domain_of(name))
    if known is not None:
        return Finalizer(name, known.meaning, known.remover, manager, managed_at)
    owner = manager or domain_of(name)
    meaning = f"{domain_of(name)} has something to clean up first; the controller that added this removes it then."
    return Finalizer(name, meaning, f"the controller behind {owner}", manager, managed_at)


def domain_of(name: str) -> str:
    """The domain of a finalizer: ``example.com`` of ``example.com/hold``."""
    return name.partition("/")[0]


def is_namespace(live: Mapping[str, Any]) -> bool:
    """Whether its spec and status can be read as a namespace's."""
    return live.get("apiVersion") == "v1" and live.get("kind") == "Namespace"


def _put_by(live: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Manager and time of the finalizer's last owner; empty where there is none."""
    owners = field_managers(live, ("metadata", "finalizers", ItemKey((("", name),))))
    return (owners[-1].name, owners[-1].time) if owners else ("", "")
