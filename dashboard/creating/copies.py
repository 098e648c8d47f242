"""A new object from another one: without what the API server or a controller wrote, under a name of its own.

Sources: apimachinery's ObjectMeta (fields that are "populated by the system"), the strategies of
``kubernetes/pkg/registry`` (what PrepareForCreate resets or Validate refuses), and the controllers that write the
labels and annotations named here (``k8s.io/api/apps/v1``, ``batch/v1``, ``core/v1/annotation_key_constants.go``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.edits.editable import APPLIED, SET_BY_SERVER
from dashboard.edits.fields import Value, show

LONGEST_NAME = 253
"""Characters (DNS subdomain); many kinds take 63 only, which the API server says."""

Where = tuple[str, ...]
"""Field names from the object's root; ``*`` stands for every item of a list."""

_METADATA: tuple[Where, ...] = tuple(
    ("metadata", name) for name in (*SET_BY_SERVER, "finalizers", "generateName", "ownerReferences")
)
_ANNOTATIONS = (
    APPLIED,
    "autoscaling.alpha.kubernetes.io/conditions",
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "batch.kubernetes.io/job-tracking",
    "control-plane.alpha.kubernetes.io/leader",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "endpoints.kubernetes.io/last-change-trigger-time",
    "kubernetes.io/config.hash",
    "kubernetes.io/config.mirror",
    "kubernetes.io/config.seen",
    "kubernetes.io/config.source",
    "kubernetes.io/service-account.uid",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
    "volume.kubernetes.io/storage-provisioner",
)
_JOB_LABELS = (
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
)
_POD_LABELS = (
    *_JOB_LABELS,
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/job-completion-index",
    "controller-revision-hash",
    "pod-template-generation",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
)


def _labels(parent: Where, names: tuple[str, ...]) -> tuple[Where, ...]:
    return tuple((*parent, name) for name in names)


_OF_KIND: Mapping[str, tuple[Where, ...]] = MappingProxyType({
    "pods": (
        *_labels(("metadata", "labels"), _POD_LABELS),
        ("spec", "nodeName"),
        ("spec", "ephemeralContainers"),  # may only be added to a pod that runs
        ("spec", "priority"),  # admission works both out, and refuses others
        ("spec", "preemptionPolicy"),
    ),
    "replicasets.apps": (
        ("metadata", "labels", "pod-template-hash"),
        ("spec", "selector", "matchLabels", "pod-template-hash"),
        ("spec", "template", "metadata", "labels", "pod-template-hash"),
    ),
    "jobs.batch": (
        *_labels(("metadata", "labels"), _JOB_LABELS),
        *_labels(("spec", "template", "metadata", "labels"), _JOB_LABELS),
    ),
    "services": (
        ("spec", "ports", "*", "nodePort"),
        ("spec", "healthCheckNodePort"),
    ),
    "persistentvolumeclaims": (("spec", "volumeName"),),
    "persistentvolumes": (("spec", "claimRef"),),
    "serviceaccounts": (("secrets",),),
    "namespaces": (("metadata", "labels", "kubernetes.io/metadata.name"), ("spec",)),
    "nodes": (("spec", "podCIDR"), ("spec", "podCIDRs"), ("spec", "providerID")),
    "certificatesigningrequests.certificates.k8s.io": (
        ("spec", "extra"),
        ("spec", "groups"),
        ("spec", "uid"),
        ("spec", "username"),
    ),
})  # fmt: skip
_TOKEN_VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}")
"""The volume that the ServiceAccount admission plugin mounts into each pod."""


@dataclass(frozen=True, slots=True)
class Copy:
    """What a clone begins with, and which fields of the original are not in it."""

    value: dict[str, Value]
    left_out: tuple[str, ...]


def copy_of(key: str, live: dict[str, Value]) -> Copy:
    """The object `live` of the kind `key` as one that can be made anew, called ``NAME-copy``."""
    left_out: list[str] = []
    value: Value = live
    for where in _fields_to_leave_out(key, live):
        value, found = _without(value, where)
        left_out += [show(where)] if found else []
    if key == "pods":
        value = _without_token(value, left_out)
    name = str(value["metadata"].get("name", "example"))
    metadata = {"name": copy_name(name), **{key: each for key, each in value["metadata"].items() if key != "name"}}
    return Copy({**value, "metadata": metadata}, tuple(left_out))


def copy_name(name: str) -> str:
    """``web-copy`` for ``web``, ``web-copy-2`` for that."""
    found = re.fullmatch(r"(?P<stem>.*-copy)(-(?P<number>\d{1,6}))?", name)
    if found is not None:
        return f"{found['stem']}-{int(found['number'] or 1) + 1}"
    return f"{name[: LONGEST_NAME - 5]}-copy"


def _fields_to_leave_out(key: str, live: dict[str, Value]) -> Iterator[Where]:
    yield from _METADATA
    yield ("status",)
    yield from _labels(("metadata", "annotations"), _ANNOTATIONS)
    yield from _OF_KIND.get(key, ())
    spec = live.get("spec")
    if key == "services" and isinstance(spec, dict) and spec.get("clusterIP") != "None":
        yield ("spec", "clusterIP")
        yield ("spec", "clusterIPs")
    if key == "jobs.batch" and isinstance(spec, dict) and not spec.get("manualSelector"):
        yield ("spec", "selector")
    if key == "secrets" and live.get("type") == "kubernetes.io/service-account-token":
        yield ("data",)


def _without(value: Value, where: Where) -> tuple[Value, bool]:
    """A copy without the field, and whether it was there; maps that are empty for it go too."""
    name, rest = where[0], where[1:]
    if name == "*":
        if not isinstance(value, list):
            return value, False
        done = [_without(item, rest) for item in value]
        return [item for item, _ in done], any(found for _, found in done)
    if not isinstance(value, dict) or name not in value:
        return value, False
    others = {key: each for key, each in value.items() if key != name}
    if not rest:
        return others, True
    inner, found = _without(value[name], rest)
    if not found:
        return value, False
    return (others if inner == {} else {key: inner if key == name else each for key, each in value.items()}), True


def _without_token(pod: Value, left_out: list[str]) -> Value:
    """Without the token's volume, which admission adds again, and where it is mounted."""
    spec = pod.get("spec")
    volumes: list[Value] = (spec.get("volumes") or []) if isinstance(spec, dict) else []
    names = {each.get("name") for each in volumes if _TOKEN_VOLUME.fullmatch(str(each.get("name")))}
    if not names:
        return pod
    left_out.append(f"spec.volumes[name={','.join(sorted(map(str, names)))}]")
    new = {**spec, "volumes": [each for each in volumes if each.get("name") not in names]}
    if not new["volumes"]:
        del new["volumes"]
    for field in ("containers", "initContainers"):
        if field in spec:
            new[field] = [_unmounted(container, names) for container in spec[field]]
    return {**pod, "spec": new}


def _unmounted(container: Value, names: set[Value]) -> Value:
    mounts = [each for each in container.get("volumeMounts", ()) if each.get("name") not in names]
    others = {key: each for key, each in container.items() if key != "volumeMounts"}
    return {**others, "volumeMounts": mounts} if mounts else others
