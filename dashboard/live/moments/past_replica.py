"""One kind as it was at a moment of the past, as pages read a replica. Its rows come in pages and then stay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Self

import msgspec

from dashboard.live.replication.change_rates import Rates
from dashboard.live.replication.entry_deduplicator import UnannouncedPeriod
from dashboard.live.replication.readable_replica import OutdatedShard, ReplicaState
from dashboard.live.replication.replica_change import Change, Listener, Listeners
from dashboard.live.replication.replica_rows import ReplicaRows
from dashboard.live.replication.unwatched_list import ListedOnce
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from informerd.cache.health import Health


class PastReplica:
    """The rows of `key` at Unix time `at`. See Replica for the attributes.

    `add` and `finish` fill it; until `finish` it is reading its first list, as an informer is. It never becomes stale:
    the past does not change.
    """

    def __init__(self, key: str, at: float, table: TableDefinition | None = None) -> None:
        """`table` is the meaning of the rows' cells, for a kind whose columns are not known beforehand."""
        self.key = key
        self.at = at
        self.table = table
        self._holding = ReplicaRows(key)
        self.rows = self._holding.rows
        self.by_owner, self.by_subject = self._holding.by_owner, self._holding.by_subject
        self.by_node = self._holding.by_node
        self.entries = self._holding.entries
        self.rates = Rates()
        self.announced_from: float | None = None
        self.state: ReplicaState = "live"
        self.stale_since: float | None = None
        self.health = Health(state="syncing", since=at)
        self.is_partial = self.is_hidden = self.is_unlisted = False
        self.is_requested = True
        self.listed: ListedOnce | None = None
        self.gaps = self.gaps_healed = self.seq = 0
        self.epoch = ""
        self.epochs: Mapping[str, bool] = {}
        self.outdated_shards: tuple[OutdatedShard, ...] = ()
        self.awaited_seconds = 0.0
        self._listeners = Listeners(key)
        self.was_read = asyncio.Event()
        """Set once all of its rows are there, or it is known why not."""

    @property
    def is_live(self) -> bool:
        """Whether all of its rows are there."""
        return self.health.state == "live"

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each change. Returns a function that ends that."""
        return self._listeners.add(listener)

    def freshness_in(self, namespaces: Collection[str]) -> Self:  # noqa: ARG002 - the same in all
        """How current the rows of these namespaces are."""
        return self

    def get(self, namespace: str, name: str) -> Row | None:
        """The object's row, `namespace` empty where the kind has none."""
        return self._holding.get(namespace, name)

    def rows_in(self, namespace: str) -> Collection[Row]:
        """The rows of a namespace."""
        return self._holding.rows_in(namespace)

    def find_by_name(self, text: str) -> Iterator[list[Row]]:
        """As ReplicaRows.find_by_name."""
        return self._holding.find_by_name(text)

    def possible_uids(self) -> list[str]:
        """The uids of all rows."""
        return list(self.rows)

    def add(self, rows: Sequence[Row], remaining: int | None) -> None:
        """Add some of its rows; `remaining` is how many are still to come, where that is known.

        Of two objects of one name, which a gap may have, the one that was created later is shown.
        """
        changes = [
            change for row in rows if not self._is_replaced(row) for change in self._holding.apply_frame((row,), ())
        ]
        self.health = msgspec.structs.replace(self.health, listed=len(self.rows), remaining=remaining)
        self._listeners.notify(Change(changes))

    def _is_replaced(self, row: Row) -> bool:
        """Whether an object of its name is there that was created later."""
        known = self.get(row.namespace, row.name)
        return known is not None and known.uid != row.uid and (known.created or 0.0) > (row.created or 0.0)

    def add_entries(self, entries: Sequence[Entry], since: float, gaps: Mapping[UnannouncedPeriod, str]) -> None:
        """Add the feed's lines before the moment, oldest first; from `since` on they are complete but for `gaps`, each
        with its reason.
        """
        self.announced_from = since
        self._holding.entries.extend(entries)
        for entry in entries:
            self.rates.add(entry.time, (entry.op == "added", entry.op == "modified", entry.op == "deleted"))
        self._listeners.notify(Change(entries=list(entries), is_first_snapshot=True))
        for gap, reason in gaps.items():
            self._listeners.notify(Change(unannounced=gap, gap_reason=reason))

    def finish(self, *, problem: str = "", since: float | None = None) -> None:
        """All rows are there. `problem` is why they are those of an earlier time, as a clause, `since` that time."""
        if problem:
            self.health = Health("stale", since or self.at, heard=since, problem=problem, has_answer=True)
        else:
            self.health = Health("live", self.at, heard=self.at)
        self.was_read.set()
        self._listeners.notify(Change(has_new_health=True))

    def fail(self, problem: str) -> None:
        """Say that it cannot be read, and why, as a clause."""
        self.health = Health("unreachable", self.at, problem=problem)
        self.was_read.set()
        self._listeners.notify(Change(has_new_health=True))
