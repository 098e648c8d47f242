"""Who re-creates a deleted object, or an equal one: its controller or the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.pages.delete.descendants import ReplicaLookup
from dashboard.runtime.text_with_links import object_href

_HABITS: Mapping[str, str] = MappingProxyType({
    "ReplicaSet": "creates another one under a new name immediately, to restore its number of replicas",
    "ReplicationController": "creates another one under a new name immediately, to restore its number of replicas",
    "StatefulSet": "creates it again under the same name, with the same volumes",
    "DaemonSet": "creates another one on the same node, unless the node no longer matches",
    "Job": "may create another one until enough of them have succeeded; a finished one is not replaced",
    "CronJob": "creates new ones on its schedule, but not this one again",
    "Deployment": "creates it again if it is the current one, and starts new pods",
    "Node": "runs it from a file on its node and shows it again: only the removal of the file ends it",
})  # fmt: skip
"""Reactions of controllers to a deletion of their objects, by the controller's kind."""

_AT_ONCE = "creates one in every namespace, and this one again immediately"
_OF_ITS_OWN: Mapping[tuple[str, str], str] = MappingProxyType({
    ("ServiceAccount", "default"): _AT_ONCE,
    ("ConfigMap", "kube-root-ca.crt"): _AT_ONCE,
})  # fmt: skip
"""Objects that the kube-controller-manager creates without owning them, by kind and name, both of v1."""
_BOOTSTRAPPED = ("kubernetes.io/bootstrapping", "rbac-defaults")
"""The label of the roles and bindings that a cluster needs."""


@dataclass(frozen=True, slots=True)
class Recreation:
    """The component that re-creates it: the controller that owns it, or a part of the cluster."""

    owner: str
    """Kind and name; or the program's name."""
    href: str
    """Its details; empty where its kind is not watched here."""
    words: str
    """What it will do, as the end of a sentence that starts with its name."""
    is_automatic: bool
    """Whether a re-creation by hand is pointless: its controller re-creates it, or does not want it any more."""


def recreation_of(live: Mapping[str, Any], replicas: ReplicaLookup) -> Recreation | None:
    """The expected re-creation; None where none is known."""
    metadata = live["metadata"]
    owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
    if owner is None:
        return _by_the_cluster(live)
    kind, name = str(owner.get("kind", "")), str(owner.get("name", ""))
    words = _HABITS.get(kind) or "is its controller: it is likely to create a new one immediately"
    return Recreation(f"{kind} {name}", _href(owner, metadata.get("namespace", ""), replicas), words, kind in _HABITS)


def _by_the_cluster(live: Mapping[str, Any]) -> Recreation | None:
    metadata = live["metadata"]
    label, value = _BOOTSTRAPPED
    is_rights = str(live.get("apiVersion")).startswith("rbac.authorization.k8s.io/")
    if is_rights and (metadata.get("labels") or {}).get(label) == value:
        words = "creates it again whenever it starts; until then, its subjects lack these permissions"
        return Recreation("the cluster itself", "", words, is_automatic=False)
    words = _OF_ITS_OWN.get((str(live.get("kind")), str(metadata.get("name"))), "")
    if not words or live.get("apiVersion") != "v1":
        return None
    return Recreation("kube-controller-manager", "", words, is_automatic=True)


def _href(owner: Mapping[str, Any], namespace: str, replicas: ReplicaLookup) -> str:
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    for kind in replicas.kinds:
        if (kind.resource.kind, kind.resource.group) == (owner.get("kind"), group):
            return object_href(kind.key, namespace if kind.namespaced else "", str(owner.get("name", "")))
    return ""
