"""Topmost owner of an object: of a pod its Deployment, and of an Event that of the object that it is about.

Owners are found by uid, as the garbage collector finds them, and kinds by API group and Kind. An object that is gone
has no owner; then the newest lines of the feed tell whose it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.catalog import KindInfo, find_builtin_kind
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Owner, Row
from dashboard.objects.kinds.row_owners import can_own, main_owner
from dashboard.objects.printers.events import row_subject

MAX_GENERATIONS = 8
Place = tuple[str, str, str]
"""Key of a kind, namespace and name."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An object that problems are about; `row` is None where its kind is not followed, or it is gone."""

    kind: KindInfo
    namespace: str
    name: str
    row: Row | None = None

    @property
    def place(self) -> Place:
        return self.kind.key, self.namespace, self.name


class TopOwners:
    """Finds them among the rows of these kinds. For one calculation: rows are looked up as they are now.

    An owner is an object's controller, or its only owner. Where it has several and no controller, none is the owner.
    """

    def __init__(self, followed: Iterable[tuple[KindInfo, ReadableReplica]]) -> None:
        self._followed = list(followed)
        self._by_kind = {
            (kind.resource.kind.lower(), kind.resource.group): (kind, replica) for kind, replica in self._followed
        }
        self._lines_of_gone: dict[Place, Entry] | None = None
        self.looked_up: set[str] = set()
        """Names of the objects that were looked up. Changes of other objects do not change what was found."""

    def of_row(self, kind: KindInfo, row: Row) -> Subject:
        """The topmost owner of an object; itself where it has none."""
        self.looked_up.add(row.name)
        found = Subject(kind, row.namespace, row.name, row)
        seen = {row.uid}
        for _ in range(MAX_GENERATIONS):
            reference = main_owner(found.row) if found.row is not None else None
            if found.row is None or reference is None or reference.uid in seen:
                break
            seen.add(reference.uid)
            owner = self._owner(found.row, reference)
            if owner is None:
                break
            found = owner
        return found

    def places_of_event(self, event: Row) -> Iterator[Place]:
        """What an Event is about, then its topmost owner, as far as they are known."""
        about = row_subject(event)
        if about is None:
            return
        self.looked_up.add(about.name)
        kind, replica = self._by_kind.get((about.kind, about.group), (None, None))
        if kind is None or replica is None:
            kind = find_builtin_kind(about.kind, about.group)
            if kind is not None:
                yield kind.key, event.namespace if kind.namespaced else "", about.name
            return
        namespace = event.namespace if kind.namespaced else ""
        yield kind.key, namespace, about.name
        row = replica.get(namespace, about.name)
        owner = self.of_row(kind, row) if row is not None else self._owner_of_gone((kind.key, namespace, about.name))
        if owner is not None:
            yield owner.place

    def is_gone(self, event: Row) -> bool:
        """Whether the object that an Event is about does not exist. False where its kind is not followed, and where not
        all of its objects are known.
        """
        about = row_subject(event)
        kind, replica = (
            self._by_kind.get((about.kind, about.group), (None, None)) if about is not None else (None, None)
        )
        if about is None or kind is None or replica is None or not replica.is_live or replica.is_hidden:
            return False
        health, namespace = replica.health, event.namespace if kind.namespaced else ""
        is_listed = not health.is_by_namespace or namespace in health.namespaces
        return is_listed and not health.unreadable and replica.get(namespace, about.name) is None

    def _owner(self, row: Row, reference: Owner) -> Subject | None:
        self.looked_up.add(reference.name)
        kind, replica = self._by_kind.get((reference.kind.lower(), reference.group), (None, None))
        owner = replica.rows.get(reference.uid) if replica is not None else None
        if kind is not None and owner is not None:
            return Subject(kind, owner.namespace, owner.name, owner) if can_own(owner, row) else None
        if replica is not None and (replica.is_live or replica.is_hidden):
            return None  # it would be here if it were there, and could be seen
        named = kind or find_builtin_kind(reference.kind, reference.group)
        return Subject(named, row.namespace if named.namespaced else "", reference.name) if named is not None else None

    def _owner_of_gone(self, place: Place) -> Subject | None:
        """The topmost owner of an object that is gone, as the feed's newest line about it names it."""
        if self._lines_of_gone is None:
            self._lines_of_gone = self._newest_lines()
        line = self._lines_of_gone.get(place)
        if line is None:
            return None
        kind_name, _, name = line.owner.partition("/")
        self.looked_up.add(name)
        kind, replica = self._by_kind.get((kind_name.lower(), line.owner_group), (None, None))
        if kind is None or replica is None:
            return None
        row = replica.get(line.namespace if kind.namespaced else "", name)
        return self.of_row(kind, row) if row is not None else None

    def _newest_lines(self) -> dict[Place, Entry]:
        """The newest lines about objects that have an owner."""
        found: dict[Place, Entry] = {}
        for kind, replica in self._followed:
            for entry in reversed(replica.entries):
                if entry.owner:
                    found.setdefault((kind.key, entry.namespace, entry.name), entry)
        return found
