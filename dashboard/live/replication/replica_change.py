"""Changes of a replica, and the listeners that get them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from dashboard.live.replication.entry_deduplicator import UnannouncedPeriod
from dashboard.live.replication.snapshot_pull import RowChange
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row_owners import owner_uids

logger = logging.getLogger(__name__)


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
