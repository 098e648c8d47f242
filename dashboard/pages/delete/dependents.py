"""Dependents of an object among the watched kinds, with their numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
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
)
from dashboard.pages.writes.target import Target
from dashboard.runtime.text_with_links import object_href
from dashboard.runtime.time_slicing import in_turns
from informerd.cache.health import Health
from informerd.resource import Resource

MAX_NAMED = 12
"""Most dependents of a kind that are listed; the rest is counted."""
KEPT_MEANWHILE = 500
"""Rows among which the first ones are looked for at once: a fraction of a millisecond."""


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


async def find_dependents(
    target: Target, uid: str, replicas: ReplicaLookup, *, only_blocking: bool = False
) -> tuple[DependentGroup, ...]:
    """The dependents by kind, in the order of the replicas' kinds; or only those that its deletion waits for. Other
    tasks run meanwhile.
    """
    walk = DescendantWalk(target.kind, {uid: (target.namespace, target.name)}, replicas, only_blocking=only_blocking)
    found = DependentCount()
    async for step in in_turns(walk):
        if step is not None:
            found.add(*step)
    return found.groups(replicas)


async def find_direct_dependents(uid: str, replicas: ReplicaLookup) -> tuple[DependentGroup, ...]:
    """Objects that name it as an owner, whatever other owners they have. Other tasks run meanwhile."""
    found = DependentCount()
    for kind in replicas.kinds:
        replica = replicas.get(kind.key)
        async for each in in_turns(list(replica.by_owner.possible_uids_of(uid))):
            if (row := replica.rows.get(each)) is not None:
                found.add(kind, row)
    return found.groups(replicas)


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


class FirstObjects:
    """The first objects by kind and name of any number, of which it keeps a few."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._rows: list[OwnedRow] = []

    def add(self, owned: OwnedRow) -> None:
        self._rows.append(owned)
        if len(self._rows) >= KEPT_MEANWHILE:
            self._rows = self.sorted()

    def sorted(self) -> list[OwnedRow]:
        """The first ones."""
        return nsmallest(self._count, self._rows, key=lambda owned: (owned[0].key, owned[1].key))


class DependentCount:
    """Dependents by kind, counted one by one."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, FirstObjects] = defaultdict(lambda: FirstObjects(MAX_NAMED))
        self._owner_kinds: dict[str, set[str]] = defaultdict(set)

    def add(self, kind: KindInfo, row: Row, owner_kind: str = "") -> None:
        """`owner_kind`: that of the owner in between."""
        self._counts[kind.key] += 1
        self._first[kind.key].add((kind, row))
        if owner_kind:
            self._owner_kinds[kind.key].add(owner_kind)

    def groups(self, replicas: ReplicaLookup) -> tuple[DependentGroup, ...]:
        """In the order of the replicas' kinds, the first objects of each listed."""
        return tuple(self._group(kind) for kind in replicas.kinds if self._counts[kind.key])

    def _group(self, kind: KindInfo) -> DependentGroup:
        rows = (row for _, row in self._first[kind.key].sorted())
        links = tuple(Dependent(row.key, object_href(kind.key, row.namespace, row.name)) for row in rows)
        return DependentGroup(kind, self._counts[kind.key], links, tuple(sorted(self._owner_kinds[kind.key])))


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


async def find_shared_dependents(target: Target, uid: str, replicas: ReplicaLookup) -> SharedDependents:
    """All objects deleted with the object of this uid, and those that only other owners keep. Other tasks run
    meanwhile.
    """
    walk = DescendantWalk(target.kind, {uid: (target.namespace, target.name)}, replicas)
    found, deleted, kept = DependentCount(), list[OwnedRow](), FirstObjects(MAX_NAMED + 1)
    async for step in in_turns(walk):
        if step is not None:
            kind, row, owner_kind = step
            found.add(kind, row, owner_kind)
            if len(row.owners) > 1 and len(deleted) <= MAX_NAMED:
                deleted.append((kind, row))
    async for owned in in_turns(list(walk.staying.values())):
        kept.add(owned)
    several = [_belonging(owned, walk.keeping_owners(owned[1])) for owned in kept.sorted()]
    several += [_belonging(owned, ()) for owned in deleted]
    return SharedDependents(found.groups(replicas), tuple(several[:MAX_NAMED]), len(several) > MAX_NAMED)


def _belonging(owned: OwnedRow, others: tuple[Owner, ...]) -> SharedDependent:
    kind, row = owned
    words = tuple(f"{each.kind} {each.name}" for each in others)
    return SharedDependent(f"{kind.singular} {row.key}", object_href(kind.key, row.namespace, row.name), words)
