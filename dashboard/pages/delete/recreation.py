"""Who is likely to make a deleted object again, or an equal one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.removal.descending import Replicas
from dashboard.resources.words import object_href

_HABITS: Mapping[str, str] = MappingProxyType({
    "ReplicaSet": "makes another one under a new name at once, so that its number of replicas is kept",
    "ReplicationController": "makes another one under a new name at once, so that its number of replicas is kept",
    "StatefulSet": "makes it again under the same name, with the same volumes",
    "DaemonSet": "makes another one on the same node, unless the node no longer fits",
    "Job": "may make another one until enough of them have succeeded; one that finished stays gone",
    "CronJob": "makes new ones on its schedule, but not this one again",
    "Deployment": "makes it again if it is the current one, and starts its pods anew",
    "Node": "runs it from a file of its own and shows it again: only taking the file away ends it",
})  # fmt: skip
"""What controllers do when something of theirs is deleted, by their kind."""

_AT_ONCE = "makes one in every namespace, and this one again at once"
_OF_ITS_OWN: Mapping[tuple[str, str], str] = MappingProxyType({
    ("ServiceAccount", "default"): _AT_ONCE,
    ("ConfigMap", "kube-root-ca.crt"): _AT_ONCE,
})  # fmt: skip
"""What the kube-controller-manager makes without owning it, by kind and name, both of v1."""
_BOOTSTRAPPED = ("kubernetes.io/bootstrapping", "rbac-defaults")
"""The label of the roles and bindings without which a cluster does not work."""


@dataclass(frozen=True, slots=True)
class Recreation:
    """Who makes it again: the controller that owns it, or a part of the cluster itself."""

    owner: str
    """Kind and name; or what the program is called."""
    href: str
    """Its details; empty where its kind is not watched here."""
    words: str
    """What it will do, to go on from its name."""
    by_itself: bool
    """Whether to make the object again by hand makes no sense: its controller does, or wants it no more."""


def recreation_of(live: Mapping[str, Any], replicas: Replicas) -> Recreation | None:
    """None where nobody is known to."""
    metadata = live["metadata"]
    owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
    if owner is None:
        return _by_the_cluster(live)
    kind, name = str(owner.get("kind", "")), str(owner.get("name", ""))
    words = _HABITS.get(kind) or "is its controller: the program behind it is likely to make a new one at once"
    return Recreation(f"{kind} {name}", _href(owner, metadata.get("namespace", ""), replicas), words, kind in _HABITS)


def _by_the_cluster(live: Mapping[str, Any]) -> Recreation | None:
    metadata = live["metadata"]
    label, value = _BOOTSTRAPPED
    is_rights = str(live.get("apiVersion")).startswith("rbac.authorization.k8s.io/")
    if is_rights and (metadata.get("labels") or {}).get(label) == value:
        words = "makes it again whenever it starts; until then, whoever works by these rights does not"
        return Recreation("the cluster itself", "", words, by_itself=False)
    words = _OF_ITS_OWN.get((str(live.get("kind")), str(metadata.get("name"))), "")
    if not words or live.get("apiVersion") != "v1":
        return None
    return Recreation("kube-controller-manager", "", words, by_itself=True)


def _href(owner: Mapping[str, Any], namespace: str, replicas: Replicas) -> str:
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    for kind in replicas.kinds:
        if (kind.resource.kind, kind.resource.group) == (owner.get("kind"), group):
            return object_href(kind.key, namespace if kind.namespaced else "", str(owner.get("name", "")))
    return ""
