"""Counts of the values of one kind's columns and labels, computed once for all users.

A column is counted in slices when it is first asked for; from then on a change costs only the changed row. It is
dropped some time after the last request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from dashboard.live.index.searchable_text_counts import TextCounts
from dashboard.objects.kinds.row import Row
from dashboard.objects.query.terms import cell_at
from dashboard.runtime.time_slicing import SlicedWork, Slices
from informerd.clock import Clock

COUNTS_TTL = 120.0
"""Seconds that a column is kept after the last request."""
MAX_COUNTED_SOURCES = 12
"""Maximum number of columns of a kind: names of labels are typed by anybody."""
IN_USE_SECONDS = 5.0
"""Seconds after a request in which a column is not dropped for another."""
STEP = 128
"""Rows that are counted in one step."""


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """Values of a column, by the index of a ColumnTerm; no numbers with a fraction."""

    index: int

    def values_in(self, row: Row) -> Iterable[str]:
        value = cell_at(row, self.index)
        return () if value is None or isinstance(value, float) else (str(value),)


@dataclass(frozen=True, slots=True)
class LabelSource:
    """Names of labels; with a `label`, its values."""

    label: str = ""

    def values_in(self, row: Row) -> Iterable[str]:
        if not self.label:
            return row.labels
        value = row.labels.get(self.label)
        return () if value is None else (value,)


ValueSource = ColumnSource | LabelSource


class ValueCounter:
    """Counts of one source, complete once it is `ready`; never where it is `lost`."""

    def __init__(self, source: ValueSource, now: float) -> None:
        self.source = source
        self.texts = TextCounts()
        self.counted_event = asyncio.Event()
        """Set when all rows have been counted, or counting failed."""
        self.lost = False
        """Whether counting failed: the counts are not known."""
        self.listeners: set[Callable[[], None]] = set()
        """Called once, when `counted_event` is set."""
        self.last_used_at = now
        """Monotonic seconds of the last request."""
        self._counted: set[str] = set()
        """Uids of the rows that have been counted, until all have."""

    @property
    def ready(self) -> bool:
        return self.counted_event.is_set() and not self.lost

    def count(self, row: Row) -> None:
        """Count a row, unless that has been done."""
        if row.uid not in self._counted:
            self._counted.add(row.uid)
            self._add(row)

    def update(self, old: Row | None, new: Row | None) -> None:
        """A row was `old` and is now `new`; None: it is deleted."""
        if old is not None and (self.ready or old.uid in self._counted):
            if new is not None and self.source.values_in(old) == self.source.values_in(new):
                return
            for text in self.source.values_in(old):
                self.texts.remove(text)
            self._counted.discard(old.uid)
        if new is not None:
            if self.ready:
                self._add(new)
            else:
                self.count(new)

    def finish(self) -> None:
        """All rows have been counted."""
        self._end()

    def mark_lost(self) -> None:
        """Note that counting failed."""
        self.lost = True
        self._end()

    def _end(self) -> None:
        self._counted = set()
        self.counted_event.set()
        waiting, self.listeners = self.listeners, set()
        for listener in waiting:
            listener()

    def _add(self, row: Row) -> None:
        for text in self.source.values_in(row):
            self.texts.add(text)


class ValueCounts:
    """Counts of the columns of one kind that were asked for. `rows` is what is counted: call `update` for each change
    of it.
    """

    def __init__(self, rows: Mapping[str, Row], clock: Clock, slices: Slices) -> None:
        self._rows = rows
        self._clock = clock
        self._slices = slices
        self._columns: dict[ValueSource, ValueCounter] = {}

    def __len__(self) -> int:
        return len(self._columns)

    def use(self, source: ValueSource) -> ValueCounter | None:
        """The counter of a source; a new source is counted from now on, see `ValueCounter.ready`.

        None where the counts are not known: MAX_COUNTED_SOURCES others are in use, or counting has just failed.
        """
        column = self._columns.get(source)
        if column is None or (column.ready and column.texts.needs_compaction):
            if column is None and not self._has_room():
                return None
            column = self._columns[source] = ValueCounter(source, self._clock.now())
            self._slices.add(self._count(column))
        if column.lost:
            return None
        column.last_used_at = self._clock.now()
        return column

    def _has_room(self) -> bool:
        """Make room for one more column by dropping a counted one that nobody has asked for recently."""
        if len(self._columns) < MAX_COUNTED_SOURCES:
            return True
        late = self._clock.now() - IN_USE_SECONDS
        idle = [each for each in self._columns.values() if each.counted_event.is_set() and each.last_used_at <= late]
        if idle:
            del self._columns[min(idle, key=lambda each: each.last_used_at).source]
        return bool(idle)

    def update(self, old: Row | None, new: Row | None) -> None:
        """A row was `old` and is now `new`; None: it is deleted."""
        for column in self._columns.values():
            if not column.lost:
                column.update(old, new)

    def sweep(self) -> None:
        """Drop what nobody has asked for recently."""
        late = self._clock.now() - COUNTS_TTL
        self._columns = {
            source: column
            for source, column in self._columns.items()
            if column.last_used_at > late or not column.counted_event.is_set()
        }

    def _count(self, column: ValueCounter) -> SlicedWork:
        """Count the rows. A column that fails stays for a while as lost, so that it is not counted again at once."""
        try:
            for position, uid in enumerate(list(self._rows), start=1):
                if (row := self._rows.get(uid)) is not None:
                    column.count(row)
                if position % STEP == 0:
                    yield None
        except BaseException:  # stopped, too
            column.mark_lost()
            raise
        column.finish()
