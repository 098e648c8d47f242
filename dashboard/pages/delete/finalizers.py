"""What holds a deletion up: finalizers, with what is known of each and who put it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"
PROTECTION = frozenset({"kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"})
"""Those that are taken away once nobody uses the object."""


@dataclass(frozen=True, slots=True)
class Finalizer:
    """Something that holds a deletion up until whoever is responsible for it takes it away."""

    name: str
    meaning: str
    remover: str
    """Who should take it away."""
    by: str = ""
    """Who put it there, as far as the API server tells (a field manager)."""
    at: str = ""
    """RFC 3339 of when that manager last wrote; empty where that is not told."""


@dataclass(frozen=True, slots=True)
class _Known:
    meaning: str
    remover: str


_GARBAGE = "the garbage collector (kube-controller-manager)"
_KNOWN: Mapping[str, _Known] = MappingProxyType({
    FOREGROUND: _Known("The garbage collector deletes what belongs to it first, then removes this.", _GARBAGE),
    ORPHAN: _Known(
        "The garbage collector first takes the owner out of everything that belongs to it, then removes this.", _GARBAGE
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
        "It is removed once no Service has an address of the range, or another range has them all, too.",
        "the ServiceCIDR controller (kube-controller-manager)",
    ),
    "resource.kubernetes.io/delete-protection": _Known(
        "It is removed once the devices are allocated no more and no pod has them reserved.",
        "the resource claim controller (kube-controller-manager)",
    ),
    "batch.kubernetes.io/job-tracking": _Known(
        "The job controller counts the pod first, then removes this.", "the job controller (kube-controller-manager)"
    ),
    "service.kubernetes.io/load-balancer-cleanup": _Known(
        "The cloud's load balancer is taken down first, then this is removed.",
        "the service controller (cloud-controller-manager)",
    ),
    "customresourcecleanup.apiextensions.k8s.io": _Known(
        "The API server deletes every object of this kind first, then removes this.", "the API server"
    ),
    "external-provisioner.volume.kubernetes.io/finalizer": _Known(
        "The storage behind the volume is deleted first, then this is removed.", "the CSI driver's external-provisioner"
    ),
    "external-attacher": _Known("The volume is detached from its node first.", "the CSI driver's external-attacher"),
    "argoproj.io": _Known("Argo CD deletes what the application made first.", "Argo CD"),
})  # fmt: skip
"""By name, or by the domain before its slash."""


def finalizers_of(live: Mapping[str, Any]) -> tuple[Finalizer, ...]:
    """The finalizers of an object as the API server gave it, those of a namespace's spec among them."""
    metadata = live["metadata"]
    put = _put_by(metadata.get("managedFields") or ())
    names = [*(metadata.get("finalizers") or ())]
    if is_namespace(live):  # of any other kind, spec may have whatever shape its author liked
        names += (live.get("spec") or {}).get("finalizers") or ()
    return tuple(finalizer_of(name, *put.get(name, ("", ""))) for name in dict.fromkeys(names))


def finalizer_of(name: str, by: str = "", at: str = "") -> Finalizer:
    """What is known of one."""
    known = _KNOWN.get(name) or _KNOWN.get(domain_of(name))
    if known is not None:
        return Finalizer(name, known.meaning, known.remover, by, at)
    owner = by or domain_of(name)
    meaning = f"{domain_of(name)} has something to clean up first; whatever put this here removes it when that is done."
    return Finalizer(name, meaning, f"the controller behind {owner}", by, at)


def domain_of(name: str) -> str:
    """The part that says whose it is: ``example.com`` of ``example.com/hold``."""
    return name.partition("/")[0]


def is_namespace(live: Mapping[str, Any]) -> bool:
    """Whether its spec and status may be read as a namespace's."""
    return live.get("apiVersion") == "v1" and live.get("kind") == "Namespace"


def _put_by(entries: Any) -> dict[str, tuple[str, str]]:
    """Manager and time of who owns each finalizer, by its name, as managedFields have it (``v:"name"``)."""
    found: dict[str, tuple[str, str]] = {}
    for entry in entries:
        fields = ((entry.get("fieldsV1") or {}).get("f:metadata") or {}).get("f:finalizers") or {}
        for field in fields:
            if field.startswith('v:"'):
                found[field[3:-1]] = (str(entry.get("manager", "")), str(entry.get("time", "")))
    return found
