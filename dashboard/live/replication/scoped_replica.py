"""The visible part of a shared replica: the rows and feed lines that somebody's rights include.

It holds no rows of its own, so it is right whenever the shared one is. Only the number of its rows is kept, which is
counted in slices. What it costs depends on the rows and changes in the namespaces of which something may be seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Protocol

import msgspec

from dashboard.live.replication.change_rates import OPERATION_COUNTS, Rates
from dashboard.live.replication.entry_deduplicator import UnannouncedPeriod
from dashboard.live.replication.readable_replica import Freshness, OutdatedShard, ReadableReplica, ReplicaState
from dashboard.live.replication.replica_change import Change, Listener, Listeners
from dashboard.live.replication.snapshot_pull import RowChange
from dashboard.live.replication.unwatched_list import ListedOnce
from dashboard.live.replication.visible_rows import VisibleEntries, VisibleRows, VisibleUids
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.cache.health import Health

_UNNAMED_PROBLEM = "the API server does not answer for each namespace"
COUNTED_IN_STEP = 256
"""Rows that are counted in one step."""


class Visibility(Protocol):
    """Which objects of one kind somebody may see. The answers for one and the same row never change."""

    @property
    def namespaces(self) -> frozenset[str] | None:
        """Namespaces in which they all are, empty for objects that have none; None where they may be in any."""

    @property
    def is_all_there(self) -> bool:
        """Whether every object in `namespaces` may be seen."""

    @property
    def is_nothing(self) -> bool:
        """Whether no object may be seen, whatever there is."""

    def sees_row(self, row: Row) -> bool: ...

    def sees_entry(self, entry: Entry) -> bool: ...

    def sees_name(self, namespace: str, name: str) -> bool:
        """Whether an object of this name may be seen, whatever it is about."""

    def sees_namespace(self, namespace: str) -> bool:
        """Whether an object of this namespace may be seen, if there is one."""


class ScopedReplica:
    """The visible part of `base`; everything else about it is as it is there.

    What it says of its state has no number or name of an object that is not visible. Listeners hear of a change where
    something of it is visible; `close` ends that. The number of rows is too small until `schedule` has done the work
    that it gets.
    """

    def __init__(
        self, base: ReadableReplica, visibility: Visibility, schedule: Callable[[SlicedWork], None] = run_at_once
    ) -> None:
        self.key = base.key
        self.base = base
        self.visibility = visibility
        self._namespaces = visibility.namespaces
        self._number = sum(map(len, self._parts())) if visibility.is_all_there else 0
        self._uncounted = set[str]() if visibility.is_all_there else set(self.possible_uids())
        self.rows = VisibleRows(lambda: base.rows, visibility.sees_row, lambda: self._number, self._parts)
        self.by_owner = VisibleUids(lambda: base.by_owner, self.rows)
        self.by_subject = VisibleUids(lambda: base.by_subject, self.rows)
        self.by_node = VisibleUids(lambda: base.by_node, self.rows)
        self.entries = VisibleEntries(base, visibility.sees_entry)
        self.rates = Rates()
        """Counted from the entries that came since it was made, and from earlier ones by `count_rates`."""
        self._listeners = Listeners(self.key)
        self.close = base.on_change(self._apply)
        schedule(self._count())

    @property
    def announced_from(self) -> float | None:
        return self.base.announced_from

    @property
    def state(self) -> ReplicaState:
        """The state of the shards in which something may be seen."""
        return self._freshness.state

    @property
    def stale_since(self) -> float | None:
        return self._freshness.stale_since

    @property
    def table(self) -> TableDefinition | None:
        return self.base.table

    @property
    def health(self) -> Health:
        """The informer's health, without the time of its last event, which may be a hidden object's, and to the second.
        Of objects that cannot be read it has those that are named and visible, of namespaces those in which something
        may be seen; a problem of single namespaces has no name.
        """
        health = self._freshness.health
        sees_name = self.visibility.sees_name
        unreadable = tuple(each for each in health.unreadable_objects if sees_name(*_split(each[0])))
        listed = self._number if health.listed else 0
        return msgspec.structs.replace(
            health,
            heard=None if health.heard is None else math.floor(health.heard),
            last_event=None,
            listed=listed,
            remaining=None,
            problem=_UNNAMED_PROBLEM if health.problem and health.is_by_namespace else health.problem,
            unreadable=len(unreadable),
            unreadable_objects=unreadable,
            namespaces=tuple(filter(self.visibility.sees_namespace, health.namespaces)),
            forbidden_namespaces=tuple(filter(self.visibility.sees_namespace, health.forbidden_namespaces)),
            lost_namespaces=tuple(filter(self.visibility.sees_namespace, health.lost_namespaces)),
        )

    @property
    def is_partial(self) -> bool:
        return True

    @property
    def is_hidden(self) -> bool:
        """Whether no object of the kind may be seen, whatever there is."""
        return self.visibility.is_nothing

    @property
    def is_unlisted(self) -> bool:
        return self._freshness.is_unlisted

    @property
    def is_requested(self) -> bool:
        return self.base.is_requested

    @property
    def listed(self) -> ListedOnce | None:
        listed = self.base.listed
        return replace(listed, remaining=None) if listed is not None else None

    @property
    def gaps(self) -> int:
        return self.base.gaps

    @property
    def gaps_healed(self) -> int:
        return self.base.gaps_healed

    @property
    def epoch(self) -> str:
        return self.base.epoch

    @property
    def epochs(self) -> Mapping[str, bool]:
        return self.base.epochs

    @property
    def seq(self) -> int:
        return self.base.seq

    @property
    def is_live(self) -> bool:
        return self._freshness.is_live

    @property
    def _freshness(self) -> Freshness:
        return self.base if self._namespaces is None else self.base.freshness_in(self._namespaces)

    def freshness_in(self, namespaces: Collection[str]) -> Freshness:
        """How current the rows of these namespaces are."""
        return self.base.freshness_in(namespaces)

    @property
    def awaited_seconds(self) -> float:
        return self.base.awaited_seconds

    @property
    def outdated_shards(self) -> tuple[OutdatedShard, ...]:
        """Shards that are not live while others are, with those of their namespaces in which something may be seen."""
        return tuple(
            replace(each, namespaces=tuple(filter(self._has_rows_in, each.namespaces)))
            for each in self._freshness.outdated_shards
        )

    def _has_rows_in(self, namespace: str) -> bool:
        return any(map(self.visibility.sees_row, self.base.rows_in(namespace)))

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each change of which something is visible. Returns a function that ends that."""
        return self._listeners.add(listener)

    def get(self, namespace: str, name: str) -> Row | None:
        """The object's row, `namespace` empty where the kind has none."""
        row = self.base.get(namespace, name)
        return row if row is not None and self.visibility.sees_row(row) else None

    def rows_in(self, namespace: str) -> Collection[Row]:
        """The rows of a namespace."""
        if self._namespaces is not None and namespace not in self._namespaces:
            return ()
        return list(filter(self.visibility.sees_row, self.base.rows_in(namespace)))

    def find_by_name(self, text: str) -> Iterator[list[Row]]:
        """As ReplicaRows.find_by_name."""
        for rows in self.base.find_by_name(text):
            yield list(filter(self.visibility.sees_row, rows))

    def possible_uids(self) -> list[str]:
        """The uids of all rows, and of some that are not visible: for work that looks at each in slices."""
        return [row.uid for row in chain.from_iterable(self._parts())]

    def count_rates(self, entries: Iterable[Entry]) -> None:
        """Count visible changes."""
        for entry in entries:
            self.rates.add(entry.time, OPERATION_COUNTS[entry.op])

    def _apply(self, change: Change) -> None:
        namespaces = self._namespaces
        if namespaces is not None and change.namespaces is not None and namespaces.isdisjoint(change.namespaces):
            return
        sees_row, sees_entry = self.visibility.sees_row, self.visibility.sees_entry
        rows: list[RowChange] = []
        for old, new in change.rows if namespaces is None else change.rows_in(namespaces):
            was = old if old is not None and sees_row(old) else None  # an Event may turn to another object
            now = new if new is not None and sees_row(new) else None
            was_counted = self._is_counted(new or old)
            if was is not None or now is not None:
                rows.append((was, now))
                self._number += (now is not None) - (was is not None and was_counted)
        lines = change.entries if namespaces is None else change.entries_in(namespaces)
        entries = [entry for entry in lines if sees_entry(entry)]
        unannounced = self._without_number(change)
        has_news = change.is_first_snapshot or change.has_new_columns or change.has_new_health
        if rows or entries or unannounced or has_news:
            self.count_rates(entries)
            self._listeners.notify(
                replace(change, rows=rows, entries=entries, missed_entries=0, unannounced=unannounced)
            )

    def _parts(self) -> Iterable[Collection[Row]]:
        """Rows of the shared replica, each once, among which all visible ones are."""
        if self._namespaces is None:
            return [self.base.rows.values()]
        return map(self.base.rows_in, sorted(self._namespaces))

    def _count(self) -> SlicedWork:
        """Count what was there when it was made, and has not changed since."""
        sees_row = self.visibility.sees_row
        while self._uncounted:
            rows = self.base.rows
            for _ in range(min(COUNTED_IN_STEP, len(self._uncounted))):
                row = rows.get(self._uncounted.pop())
                self._number += row is not None and sees_row(row)
            yield None

    def _is_counted(self, changed: Row | None) -> bool:
        """Whether a row was counted before it has changed. From now on it is."""
        if not self._uncounted or changed is None or changed.uid not in self._uncounted:
            return True
        self._uncounted.remove(changed.uid)
        return False

    def _without_number(self, change: Change) -> UnannouncedPeriod | None:
        """The span in which changes were not reported. Of lines that were lost only the number is known, which counts
        hidden objects, too: the moment at which that was noticed takes its place.
        """
        if not change.missed_entries or change.unannounced is not None:
            return change.unannounced
        noticed = next((entry.time for entry in chain(change.entries, reversed(self.base.entries))), 0.0)
        return noticed, noticed


def _split(key: str) -> tuple[str, str]:
    namespace, _, name = key.rpartition("/")
    return namespace, name
