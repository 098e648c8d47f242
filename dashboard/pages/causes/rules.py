"""Rules that say which cause an unhealthy object has. What no rule knows is its own cause.

1. A pod on a node that is not ready is the node's, unless its own problem is older.
2. What cannot be created because a quota would be exceeded is that quota's, by the API server's own words.
3. Anything else is that of its topmost owner: a pod that of its Deployment, by the uids of owner references. An owner
   is the controller, or the only owner.
4. A Warning Event is that of what it is about, or of its topmost owner. Where neither is part of a cause, it is one
   of the other warnings, or of those about what is gone.
5. An owner of a lost node's pods that has no other unhealthy pod, and no problem from before, is that node's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dashboard.live.hub.kind_summaries import UNKNOWN_SINCE
from dashboard.objects.kinds.catalog import find_builtin_kind
from dashboard.objects.printers.pods import node_of_pod
from dashboard.pages.causes.top_owner import Subject, TopOwners
from dashboard.pages.causes.unhealthy_object import PODS, UnhealthyObject

NODES, EVENT_KINDS = "nodes", frozenset({"events", "events.events.k8s.io"})
NODE_GRACE = 60.0
"""Seconds before a node is not ready in which its pods may be unhealthy because of it: the kubelet is silent first."""
_QUOTA = re.compile(r"exceeded quota: ([a-z0-9][a-z0-9.-]*)")
"""Source: Kubernetes' staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota."""
_CREATORS = EVENT_KINDS | {
    "deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch",
    "replicationcontrollers",
}  # fmt: skip
"""Kinds that repeat what the API server says when something cannot be created. Programs may write it, too."""
Rule = Literal["node", "quota", "owner", "other", "gone"]


@dataclass(frozen=True, slots=True)
class CauseKey:
    """What the objects of one cause have in common."""

    rule: Rule
    place: tuple[str, str, str] = ("", "", "")
    """Key of the kind, namespace and name of the object that they are about; empty for warnings without a cause."""


OTHER_WARNINGS, WARNINGS_OF_GONE = CauseKey("other"), CauseKey("gone")
WARNING_KEYS = (OTHER_WARNINGS, WARNINGS_OF_GONE)
"""Keys of warnings without a cause, in the order in which they are shown."""


class Rules:
    """Assigns objects to causes. For one calculation; `lost_nodes` are the unhealthy nodes, by name."""

    def __init__(self, owners: TopOwners, lost_nodes: Mapping[str, UnhealthyObject]) -> None:
        self._owners = owners
        self._lost_nodes = lost_nodes

    def of_object(self, found: UnhealthyObject) -> tuple[CauseKey, Subject]:
        """The cause of an unhealthy object that is no Event, and what it is about."""
        node = self._lost_node(found)
        if node is not None:
            return _key("node", node)
        if (quota := quota_of(found)) is not None:
            return _key("quota", quota)
        return _key("owner", self._owners.of_row(found.kind, found.row))

    def of_event(self, event: UnhealthyObject, known: Mapping[tuple[str, str, str], CauseKey]) -> CauseKey:
        """The cause that a Warning tells about; `known` has the causes of places that are part of one."""
        if (quota := quota_of(event)) is not None and quota.place in known:
            return known[quota.place]
        places = (place for place in self._owners.places_of_event(event.row) if place in known)
        return next((known[place] for place in places), WARNINGS_OF_GONE if event.is_gone else OTHER_WARNINGS)

    def _lost_node(self, found: UnhealthyObject) -> Subject | None:
        if found.kind.key == NODES:
            return Subject(found.kind, "", found.row.name, found.row) if found.row.name in self._lost_nodes else None
        node = self._lost_nodes.get(node_of_pod(found.row)) if found.kind.key == PODS else None
        if node is None or not node.since_seconds - NODE_GRACE <= found.since_seconds < UNKNOWN_SINCE:
            return None
        return subject_of_node(node)


def subject_of_node(node: UnhealthyObject) -> Subject:
    return Subject(node.kind, "", node.row.name, node.row)


def cause_of_node(node: UnhealthyObject) -> CauseKey:
    return CauseKey("node", (NODES, "", node.row.name))


def is_lost(node: UnhealthyObject) -> bool:
    """Whether a node is not ready, or nobody knows whether it is."""
    return node.row.status.partition(",")[0] in ("NotReady", "Unknown")


def quota_of(found: UnhealthyObject) -> Subject | None:
    """The quota that the API server says would be exceeded; None where it does not say so."""
    row = found.row
    match = _QUOTA.search(row.reason) if found.kind.key in _CREATORS else None
    kind = find_builtin_kind("resourcequota", "") if match is not None else None
    return Subject(kind, row.namespace, match[1]) if match is not None and kind is not None else None


def _key(rule: Rule, subject: Subject) -> tuple[CauseKey, Subject]:
    return CauseKey(rule, subject.place), subject
