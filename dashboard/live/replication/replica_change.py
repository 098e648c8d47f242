"""Changes of a replica, and the listeners that get them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from dashboard.live.replication.entry_deduplicator import UnannouncedPeriod
from dashboard.live.replication.snapshot_pull import RowChange
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row_owners import owner_uids

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """Changes of a replica at one moment, all of them already visible in the replica."""

    rows: list[RowChange] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    """New feed lines, oldest first."""
    missed_entries: int = 0
    """Number of feed lines before these that were lost: too many came while nothing was received."""
    unannounced: UnannouncedPeriod | None = None
    """Spans in which no worker reported changes; the rows are right all the same."""
    gap_reason: str = ""
    """Of the past: why nothing was recorded in `unannounced`, as a clause."""
    is_first_snapshot: bool = False
    """The first snapshot is complete. `rows` has what was not reported before: a large snapshot comes in steps."""
    has_new_columns: bool = False
    """Rows have other columns from now on: everything built on columns has to be built again."""
    has_new_health: bool = False
    """The informer's state or health has changed, other than the time at which it was last heard."""
    unserved: bool = False
    """`rows` were removed with their kind, which is no longer served: it is not known whether the objects were
    deleted.
    """

    @cached_property
    def affected_uids(self) -> frozenset[str]:
        """The uids of the objects that changed, and of their owners before and after the change."""
        both = [row for pair in self.rows for row in pair if row is not None]
        return frozenset([row.uid for row in both] + [uid for row in both for uid in owner_uids(row)])

    @cached_property
    def namespaces(self) -> frozenset[str] | None:
        """The namespaces of the objects that it is about; None where it is about the kind, too."""
        is_about_kind = self.is_first_snapshot or self.has_new_columns or self.has_new_health
        if is_about_kind or self.missed_entries or self.unannounced:
            return None
        return frozenset((*self._rows_by_namespace, *self._entries_by_namespace))

    def rows_in(self, namespaces: frozenset[str]) -> list[RowChange]:
        """The changes of rows of these namespaces, in their order. What it costs depends on their number alone."""
        return _chosen(self.rows, self._rows_by_namespace, namespaces)

    def entries_in(self, namespaces: frozenset[str]) -> list[Entry]:
        """The feed lines of objects of these namespaces, oldest first."""
        return _chosen(self.entries, self._entries_by_namespace, namespaces)

    @cached_property
    def _rows_by_namespace(self) -> dict[str, list[int]]:
        return _positions([(new or old).namespace for old, new in self.rows])  # type: ignore[union-attr] # one is there

    @cached_property
    def _entries_by_namespace(self) -> dict[str, list[int]]:
        return _positions([entry.namespace for entry in self.entries])


def _positions(namespaces: list[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for position, namespace in enumerate(namespaces):
        found.setdefault(namespace, []).append(position)
    return found


def _chosen(items: list[T], positions: dict[str, list[int]], namespaces: frozenset[str]) -> list[T]:
    if namespaces.isdisjoint(positions):
        return []
    found = [position for namespace in positions.keys() & namespaces for position in positions[namespace]]
    return [items[position] for position in sorted(found)]


def gap_end(change: Change) -> float | None:
    """Unix seconds up to which changes may be missing before its lines; None where none are."""
    ends = [change.unannounced[1]] if change.unannounced is not None else []
    if change.missed_entries and change.entries:  # there are none without the lines after them
        ends.append(change.entries[0].time)
    return max(ends, default=None)


Listener = Callable[[Change], None]


class Listeners:
    """Listeners of one replica. An error in one is logged and does not affect the others."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each change. Returns a function that ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def notify(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:
                logger.exception("a view of %s failed to apply a change", self._key)
