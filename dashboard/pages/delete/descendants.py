"""Descendants of an object: all that is deleted with it, found by a walk through the owner indexes.

The garbage collector deletes an object once none of its owners is left, and removes owners that are gone from an object
with others (kubernetes pkg/controller/garbagecollector, attemptToDeleteItem). A cycle of owners therefore keeps itself
alive.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Owner, Row
from dashboard.objects.kinds.row_owners import blocks_owner_deletion, can_own
from dashboard.pages.writes.target import Target

NAMESPACES = "namespaces"
DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
NEVER_OWNED = frozenset({"events", "events.events.k8s.io"})
"""Kinds whose objects are never deleted with an owner: their omission from the uncounted ones hides nothing."""

OwnedRow = tuple[KindInfo, Row]
ObjectsByUid = Mapping[str, tuple[str, str]]


class ReplicaLookup(Protocol):
    """The part of dashboard.live.replication.replicas.Replicas that the walk needs."""

    @property
    def kinds(self) -> tuple[KindInfo, ...]: ...

    def get(self, key: str) -> Any: ...


class DescendantWalk:
    """All that is deleted with objects of a kind, nearer ones first; `objects` are their namespaces and names by uid.

    Objects of a namespace belong to it, and every object of a kind to its definition. Rows may change meanwhile.
    """

    def __init__(
        self, kind: KindInfo, objects: ObjectsByUid, replicas: ReplicaLookup, *, only_blocking: bool = False
    ) -> None:
        """`only_blocking`: leave out objects that a foreground deletion does not wait for."""
        self.staying: dict[str, OwnedRow] = {}
        """By uid, objects of a descendant that other owners keep; complete at the end of the walk."""
        self._kind = kind
        self._objects = objects
        self._kinds = [(each, replicas.get(each.key)) for each in replicas.kinds]
        self._by_name = {(each.resource.group, each.resource.kind): (each, replica) for each, replica in self._kinds}
        self._only_blocking = only_blocking
        self._deleted = set(objects)

    def __iter__(self) -> Iterator[tuple[KindInfo, Row, str] | None]:
        """Each object once, with its kind and that of the owner in between; None for other checked objects."""
        waiting = deque((uid, namespace, "") for uid, (namespace, _) in self._objects.items())
        for kind, row in self._contents():
            yield (kind, row, "") if row is not None else None
            if row is not None:
                self._deleted.add(row.uid)
                waiting.append((row.uid, row.namespace, kind.singular))
        while waiting:
            yield None
            owner, namespace, words = waiting.popleft()
            for kind, row in self._owned_by(owner):
                if row.uid in self._deleted or namespace not in ("", row.namespace):
                    yield None
                elif self.keeping_owners(row):
                    self.staying[row.uid] = kind, row
                    yield None
                else:
                    self.staying.pop(row.uid, None)
                    self._deleted.add(row.uid)
                    waiting.append((row.uid, row.namespace, kind.singular))
                    yield kind, row, words

    def keeping_owners(self, row: Row) -> tuple[Owner, ...]:
        """Where it has several owners, those that are not deleted."""
        if len(row.owners) < 2:
            return ()
        return tuple(owner for owner in row.owners if owner.uid not in self._deleted and self._may_keep(owner, row))

    def _may_keep(self, owner: Owner, row: Row) -> bool:
        """False only where all objects of its kind may be seen and are known, and none of them is this owner."""
        kind, replica = self._by_name.get((owner.group, owner.kind), (None, None))
        if kind is None or replica is None or (kind.namespaced and not row.namespace) or not replica.is_live:
            return True  # the garbage collector keeps a cluster-scoped object whose owner is namespaced
        owner_row = replica.rows.get(owner.uid)
        return can_own(owner_row, row) if owner_row is not None else replica.is_partial

    def _owned_by(self, owner: str) -> Iterator[OwnedRow]:
        for kind, replica in self._kinds:
            if not replica.by_owner:  # most kinds have no owners at all
                continue
            for uid in list(replica.by_owner.uids_of(owner)):
                row = replica.rows.get(uid)
                if row is not None and (not self._only_blocking or blocks_owner_deletion(row, owner)):
                    yield kind, row

    def _contents(self) -> Iterator[tuple[KindInfo, Row | None]]:
        """Objects in the namespaces, or of the definitions, of these names; with None for each other row."""
        names = {name for _, name in self._objects.values()}
        if self._kind.key == DEFINITIONS:
            for kind, replica in self._kinds:
                if kind.key in names:
                    yield from ((kind, row) for row in list(replica.rows.values()))
        elif self._kind.key == NAMESPACES:
            for kind, replica in self._kinds:
                if kind.namespaced and kind.key not in NEVER_OWNED:
                    rows = list(replica.rows.values())
                    yield from ((kind, row if row.namespace in names else None) for row in rows)


@dataclass(frozen=True, slots=True)
class Descendants:
    """Objects that are deleted with an object, by the garbage collector's rules."""

    by_uid: Mapping[str, OwnedRow]
    """By uid, nearer ones first."""
    owner_kinds: Mapping[str, set[str]]
    """Kinds of owners in between, as in DependentGroup, by key."""
    kept_by_owners: tuple[tuple[OwnedRow, tuple[Owner, ...]], ...]
    """Objects of a descendant that other owners keep, with those owners."""


def find_descendants(target: Target, uid: str, replicas: ReplicaLookup, *, only_blocking: bool = False) -> Descendants:
    """The descendants, as DescendantWalk finds them."""
    descendants: dict[str, OwnedRow] = {}
    owner_kinds: dict[str, set[str]] = defaultdict(set)
    descending = DescendantWalk(
        target.kind, {uid: (target.namespace, target.name)}, replicas, only_blocking=only_blocking
    )
    for step in descending:
        if step is not None:
            kind, row, words = step
            descendants[row.uid] = kind, row
            if words:
                owner_kinds[kind.key].add(words)
    kept_by_owners = tuple((owned, descending.keeping_owners(owned[1])) for owned in descending.staying.values())
    return Descendants(descendants, owner_kinds, kept_by_owners)
