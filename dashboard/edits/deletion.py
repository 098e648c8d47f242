"""What deleting an object means: what it waits for, who would make it again, what goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from dashboard.live.lines import object_href
from dashboard.live.messages import Row
from dashboard.resources.kinds import KindInfo

NAMED = 12
"""Dependents of a kind that are named; the rest is counted."""

_MEANINGS: Mapping[str, str] = MappingProxyType({
    "foregroundDeletion": "The garbage collector deletes what belongs to it first, then removes this.",
    "orphan": "The garbage collector first takes the owner out of everything that belongs to it, then removes this.",
    "kubernetes": "The namespace controller deletes everything in the namespace first, then removes this.",
    "kubernetes.io/pvc-protection": "The volume is still used by a pod; this is removed when no pod uses it.",
    "kubernetes.io/pv-protection": "The volume is still bound to a claim; this is removed when it is not.",
    "batch.kubernetes.io/job-tracking": "The job controller counts the pod first, then removes this.",
})  # fmt: skip


class Replicas(Protocol):
    """What is needed of dashboard.live.replicas.Replicas."""

    @property
    def kinds(self) -> tuple[KindInfo, ...]: ...

    def get(self, key: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Finalizer:
    """Something that holds a deletion up until whoever put it there removes it."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Dependent:
    """An object that names the deleted one as its owner."""

    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Dependents:
    """Those of one kind."""

    kind: KindInfo
    count: int
    named: tuple[Dependent, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.named)


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a person should know before deleting."""

    uid: str
    version: str
    created: str
    """RFC 3339."""
    since: str
    """RFC 3339 of the deletionTimestamp; empty while nobody has deleted it."""
    finalizers: tuple[Finalizer, ...]
    owner: str
    """Kind and name of the controller that is likely to make it again; empty where none is."""
    dependents: tuple[Dependents, ...]


def deletion_of(live: Mapping[str, Any], replicas: Replicas) -> Deletion:
    """What is known of an object as the API server gave it; dependents come from the watched kinds only."""
    metadata = live["metadata"]
    owners = [owner for owner in metadata.get("ownerReferences", ()) if owner.get("controller")]
    return Deletion(
        uid=metadata["uid"],
        version=metadata["resourceVersion"],
        created=metadata.get("creationTimestamp", ""),
        since=metadata.get("deletionTimestamp", ""),
        finalizers=tuple(Finalizer(name, _meaning(name)) for name in metadata.get("finalizers", ())),
        owner=f"{owners[0].get('kind', '')} {owners[0].get('name', '')}" if owners else "",
        dependents=tuple(_dependents(metadata["uid"], replicas)),
    )


def _meaning(finalizer: str) -> str:
    known = _MEANINGS.get(finalizer)
    if known is not None:
        return known
    domain = finalizer.partition("/")[0]
    return f"{domain} has something to clean up first; whatever put this here removes it when that is done."


def _dependents(uid: str, replicas: Replicas) -> Iterable[Dependents]:
    for kind in replicas.kinds:
        rows: Iterable[Row] = replicas.get(kind.key).rows.values()
        owned = [row for row in rows if row.owner is not None and row.owner[2] == uid]
        if owned:
            named = sorted(owned, key=lambda row: row.key)[:NAMED]
            links = (Dependent(row.key, object_href(kind.key, row.namespace, row.name)) for row in named)
            yield Dependents(kind, len(owned), tuple(links))
