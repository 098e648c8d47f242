"""Dependents of an object among the watched kinds, with their numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Owner, Row
from dashboard.pages.delete.descendants import (
    NEVER_OWNED,
    DescendantWalk,
    ObjectsByUid,
    OwnedRow,
    ReplicaLookup,
    find_descendants,
)
from dashboard.pages.writes.target import Target
from dashboard.runtime.text_with_links import object_href
from informerd.cache.health import Health
from informerd.resource import Resource

MAX_NAMED = 12
"""Most dependents of a kind that are listed; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Dependent:
    """An object that is deleted too."""

    name: str
    href: str


@dataclass(frozen=True, slots=True)
class DependentGroup:
    """Dependents of one kind."""

    kind: KindInfo
    count: int
    first_dependents: tuple[Dependent, ...]
    owner_kinds: tuple[str, ...] = ()
    """Kinds of the owners in between, where they do not belong to the object directly: ``ReplicaSet``."""

    @property
    def more_count(self) -> int:
        return self.count - len(self.first_dependents)

    @property
    def words(self) -> str:
        """``1 Pod``, ``3 ReplicaSets``."""
        return f"{self.count:,} {self.kind.singular if self.count == 1 else self.kind.title}"


def find_dependents(
    target: Target, uid: str, replicas: ReplicaLookup, *, only_blocking: bool = False
) -> tuple[DependentGroup, ...]:
    """The dependents by kind, in the order of the replicas' kinds; or only those that its deletion waits for."""
    descent = find_descendants(target, uid, replicas, only_blocking=only_blocking)
    return tuple(group_by_kind(replicas, descent.by_uid.values(), descent.owner_kinds))


def find_direct_dependents(uid: str, replicas: ReplicaLookup) -> tuple[DependentGroup, ...]:
    """Objects that name it as an owner, whatever other owners they have."""
    known = [(kind, replicas.get(kind.key)) for kind in replicas.kinds]
    dependents = [(kind, replica.rows[each]) for kind, replica in known for each in replica.by_owner.uids_of(uid)]
    return tuple(group_by_kind(replicas, dependents, {}))


def each_dependent(kind: KindInfo, objects: ObjectsByUid, replicas: ReplicaLookup) -> Iterator[KindInfo | None]:
    """The kind of each object that is deleted with any of these, once each; see DescendantWalk.

    None stands for a checked object that stays, so that the caller can yield often; rows may change meanwhile.
    """
    return (step[0] if step is not None else None for step in DescendantWalk(kind, objects, replicas))


def uncounted_kinds(
    replicas: ReplicaLookup, resources: Iterable[Resource], *, cluster_scoped: bool, namespace: str = ""
) -> tuple[str, ...]:
    """Kinds whose dependents in a namespace or, empty, in all are unknown here: not watched there, not read yet, or
    some of them hidden from whoever asks.

    A namespaced object owns no cluster-scoped ones.
    """
    synced = (replicas.get(each.key) for each in replicas.kinds if is_kind_synced(replicas, each.key))
    read = {each.key for each in synced if not each.is_partial and _is_listed(each.health, namespace)}
    return tuple(
        sorted(
            resource.key
            for resource in resources
            if resource.key not in read | NEVER_OWNED
            and {"list", "delete"} <= resource.verbs
            and (cluster_scoped or resource.namespaced)
        )
    )


def _is_listed(health: Health, namespace: str) -> bool:
    return not health.is_by_namespace or namespace in health.namespaces


def is_kind_synced(replicas: ReplicaLookup, key: str) -> bool:
    """Whether all objects of a watched kind are known."""
    return bool(replicas.get(key).state != "starting" and replicas.get(key).health.state in ("live", "stale", "absent"))


def group_by_kind(
    replicas: ReplicaLookup, owned: Iterable[OwnedRow], owner_kinds: Mapping[str, set[str]]
) -> Iterable[DependentGroup]:
    """Groups by kind, in the order of the replicas' kinds, the first objects of each listed; `owner_kinds` as in
    Descendants.
    """
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for kind, row in owned:
        by_kind[kind.key].append(row)
    for kind in replicas.kinds:
        if rows := by_kind.get(kind.key):
            named = nsmallest(MAX_NAMED, rows, key=lambda row: row.key)
            links = tuple(Dependent(row.key, object_href(kind.key, row.namespace, row.name)) for row in named)
            yield DependentGroup(kind, len(rows), links, tuple(sorted(owner_kinds.get(kind.key, ()))))


@dataclass(frozen=True, slots=True)
class SharedDependent:
    """An object with several owners, of which at least one is deleted."""

    words: str
    """Its kind and name."""
    href: str
    keeping_owners: tuple[str, ...]
    """Kind and name of the owners that keep it; none where all of them are deleted, so that it is deleted too."""


@dataclass(frozen=True, slots=True)
class SharedDependents:
    """Shared dependents among the watched kinds."""

    dependents: tuple[DependentGroup, ...]
    """Deleted objects, without those that another owner keeps and their dependents."""
    first_shared: tuple[SharedDependent, ...]
    """The first MAX_NAMED objects with several owners, kept ones first."""
    has_more: bool


def find_shared_dependents(target: Target, uid: str, replicas: ReplicaLookup) -> SharedDependents:
    """All objects deleted with the object of this uid, and those that only other owners keep."""
    descent = find_descendants(target, uid, replicas)
    several = [_belonging(owned, keeping) for owned, keeping in sorted(descent.kept_by_owners, key=_by_name)]
    several += [_belonging(owned, ()) for owned in descent.by_uid.values() if len(owned[1].owners) > 1]
    dependents = tuple(group_by_kind(replicas, descent.by_uid.values(), descent.owner_kinds))
    return SharedDependents(dependents, tuple(several[:MAX_NAMED]), len(several) > MAX_NAMED)


def _by_name(each: tuple[OwnedRow, tuple[Owner, ...]]) -> tuple[str, str]:
    (kind, row), _ = each
    return kind.key, row.key


def _belonging(owned: OwnedRow, others: tuple[Owner, ...]) -> SharedDependent:
    kind, row = owned
    words = tuple(f"{each.kind} {each.name}" for each in others)
    return SharedDependent(f"{kind.singular} {row.key}", object_href(kind.key, row.namespace, row.name), words)
