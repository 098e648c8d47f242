"""Topmost owner of an object: of a pod its Deployment, and of an Event that of the object that it is about.

Owners are found by uid, as the garbage collector finds them. An object that is gone has none; then the newest lines of
the feed tell whose it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.catalog import KindInfo, find_builtin_kind
from dashboard.objects.kinds.row import Row
from dashboard.objects.kinds.row_owners import can_own, owner_references
from dashboard.objects.printers.events import row_subject

MAX_GENERATIONS = 8
_GROUPS = ("", "apps", "batch")
"""API groups in which a Kind is looked for that an owner reference names without one."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An object that problems are about; `row` is None where its kind is not followed, or it is gone."""

    kind: KindInfo
    namespace: str
    name: str
    row: Row | None = None

    @property
    def place(self) -> tuple[str, str, str]:
        return self.kind.key, self.namespace, self.name


class TopOwners:
    """Finds them among the rows of these kinds. For one calculation: rows are looked up as they are now."""

    def __init__(self, followed: Iterable[tuple[KindInfo, ReadableReplica]]) -> None:
        self._followed = list(followed)
        self._by_kind: dict[str, list[tuple[KindInfo, ReadableReplica]]] = {}
        for kind, replica in self._followed:
            self._by_kind.setdefault(kind.resource.kind.lower(), []).append((kind, replica))
        self._owners_of_gone: dict[tuple[str, str, str], str] | None = None

    def of_row(self, kind: KindInfo, row: Row) -> Subject:
        """The topmost owner of an object; itself where it has none."""
        found = Subject(kind, row.namespace, row.name, row)
        seen = {row.uid}
        for _ in range(MAX_GENERATIONS):
            references = owner_references(found.row) if found.row is not None else ()
            if not references or references[0][2] in seen:
                break
            kind_name, name, uid = references[0]
            seen.add(uid)
            owner = self._owner(found.row, kind_name, name, uid) if found.row is not None else None
            if owner is None:
                break
            found = owner
        return found

    def places_of_event(self, event: Row) -> Iterator[tuple[str, str, str]]:
        """What an Event is about, then its topmost owner, as far as they are known."""
        about = row_subject(event)
        if about is None:
            return
        for kind, replica in self._by_kind.get(about.kind, ()):
            if kind.resource.group != about.group:
                continue
            namespace = event.namespace if kind.namespaced else ""
            yield kind.key, namespace, about.name
            row = replica.get(namespace, about.name)
            owner = self.of_row(kind, row) if row is not None else self._owner_of_gone(kind, namespace, about.name)
            if owner is not None:
                yield owner.place
            return
        known = find_builtin_kind(about.kind, about.group)
        if known is not None:
            yield known.key, event.namespace if known.namespaced else "", about.name

    def _owner(self, row: Row, kind_name: str, name: str, uid: str) -> Subject | None:
        for kind, replica in self._by_kind.get(kind_name.lower(), ()):
            owner = replica.rows.get(uid)
            if owner is not None:
                return Subject(kind, owner.namespace, owner.name, owner) if can_own(owner, row) else None
        if kind_name.lower() in self._by_kind:
            return None  # it would be here if it were there
        known = next(filter(None, (find_builtin_kind(kind_name, group) for group in _GROUPS)), None)
        return Subject(known, row.namespace if known.namespaced else "", name) if known is not None else None

    def _owner_of_gone(self, kind: KindInfo, namespace: str, name: str) -> Subject | None:
        """The topmost owner of an object that is gone, as the feed's newest line about it names it."""
        if self._owners_of_gone is None:
            self._owners_of_gone = self._read_owners()
        kind_name, _, owner = self._owners_of_gone.get((kind.key, namespace, name), "").partition("/")
        for owner_kind, replica in self._by_kind.get(kind_name.lower(), ()):
            row = replica.get(namespace if owner_kind.namespaced else "", owner)
            if row is not None:
                return self.of_row(owner_kind, row)
        return None

    def _read_owners(self) -> dict[tuple[str, str, str], str]:
        found: dict[tuple[str, str, str], str] = {}
        for kind, replica in self._followed:
            for entry in reversed(replica.entries):
                if entry.owner:
                    found.setdefault((kind.key, entry.namespace, entry.name), entry.owner)
        return found
