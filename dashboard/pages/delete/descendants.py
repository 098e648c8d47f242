"""Descendants of an object: all that is deleted with it, found by a walk through the owner indexes.

The garbage collector deletes an object once none of its owners is left, and removes owners that are gone from an object
with others (kubernetes pkg/controller/garbagecollector, attemptToDeleteItem). A cycle of owners therefore keeps itself
alive.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Owner, Row
from dashboard.objects.kinds.row_owners import blocks_owner_deletion, can_own

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
            for owned in self._owned_by(owner):
                if owned is None:
                    yield None
                    continue
                kind, row = owned
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

    def _owned_by(self, owner: str) -> Iterator[OwnedRow | None]:
        """With None for each other row."""
        for kind, replica in self._kinds:
            if not replica.by_owner:  # most kinds have no owners at all
                continue
            for uid in list(replica.by_owner.possible_uids_of(owner)):
                row = replica.rows.get(uid)
                if row is None or (self._only_blocking and not blocks_owner_deletion(row, owner)):
                    yield None
                else:
                    yield kind, row

    def _contents(self) -> Iterator[tuple[KindInfo, Row | None]]:
        """Objects in the namespaces, or of the definitions, of these names; with None for each other row."""
        names = {name for _, name in self._objects.values()}
        if self._kind.key == DEFINITIONS:
            for kind, replica in self._kinds:
                if kind.key in names:
                    yield from ((kind, replica.rows.get(uid)) for uid in replica.possible_uids())
        elif self._kind.key == NAMESPACES:
            for kind, replica in self._kinds:
                if kind.namespaced and kind.key not in NEVER_OWNED:
                    rows = map(replica.rows.get, replica.possible_uids())
                    yield from ((kind, row if row is not None and row.namespace in names else None) for row in rows)
