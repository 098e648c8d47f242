"""The values that rows of one kind have in a column or a label, counted once for all who type and look at lists.

A column is counted in slices when somebody first asks for it; from then on a change costs the one row that changed. It
is let go some time after the last question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from dashboard.live.counted_texts import CountedTexts
from dashboard.live.messages import Row
from dashboard.live.slices import Slices, Work
from dashboard.resources.terms import cell_of
from informerd.clock import Clock

KEPT = 120.0
"""Seconds that a column is kept after the last question."""
MOST_COLUMNS = 12
"""Columns of a kind that are kept: the names of labels are typed by anybody."""
IN_USE = 5.0
"""Seconds after a question in which a column does not make room for another."""
STEP = 128
"""Rows that are counted in one step."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The values of a column, by the index of a ColumnTerm; no numbers with a fraction."""

    index: int

    def of(self, row: Row) -> Iterable[str]:
        value = cell_of(row, self.index)
        return () if value is None or isinstance(value, float) else (str(value),)


@dataclass(frozen=True, slots=True)
class Labels:
    """The names of labels; of one `label` its values."""

    label: str = ""

    def of(self, row: Row) -> Iterable[str]:
        if not self.label:
            return row.labels
        value = row.labels.get(self.label)
        return () if value is None else (value,)


Source = Cells | Labels


class ColumnValues:
    """The values of one source, complete once they are `ready`; never where they are `lost`."""

    def __init__(self, source: Source, now: float) -> None:
        self.source = source
        self.texts = CountedTexts()
        self.found = asyncio.Event()
        """Set when all rows have been counted, or it is lost."""
        self.lost = False
        """Whether counting failed: what it has is not known."""
        self.told: set[Callable[[], None]] = set()
        """Called once then."""
        self.used = now
        """Monotonic seconds of the last question."""
        self._counted: set[str] = set()
        """Uids of the rows that have been, until all have."""

    @property
    def ready(self) -> bool:
        return self.found.is_set() and not self.lost

    def count(self, row: Row) -> None:
        """Count a row, unless that has been done."""
        if row.uid not in self._counted:
            self._counted.add(row.uid)
            self._add(row)

    def take(self, old: Row | None, new: Row | None) -> None:
        """A row was `old` and is now `new`, or no more."""
        if old is not None and (self.ready or old.uid in self._counted):
            if new is not None and self.source.of(old) == self.source.of(new):
                return
            for text in self.source.of(old):
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

    def lose(self) -> None:
        """They cannot be."""
        self.lost = True
        self._end()

    def _end(self) -> None:
        self._counted = set()
        self.found.set()
        waiting, self.told = self.told, set()
        for told in waiting:
            told()

    def _add(self, row: Row) -> None:
        for text in self.source.of(row):
            self.texts.add(text)


class RowValues:
    """The columns of one kind that somebody asked for. `rows` is what is counted: say with `take` what changes."""

    def __init__(self, rows: Mapping[str, Row], clock: Clock, slices: Slices) -> None:
        self._rows = rows
        self._clock = clock
        self._slices = slices
        self._columns: dict[Source, ColumnValues] = {}

    def __len__(self) -> int:
        return len(self._columns)

    def use(self, source: Source) -> ColumnValues | None:
        """The values of a source; where they are new they are counted from now on, see `ColumnValues.found`.

        None where they are not known: MOST_COLUMNS others are in use, or counting them failed just now.
        """
        column = self._columns.get(source)
        if column is None or (column.ready and column.texts.is_worn):
            if column is None and not self._has_room():
                return None
            column = self._columns[source] = ColumnValues(source, self._clock.now())
            self._slices.add(self._count(column))
        if column.lost:
            return None
        column.used = self._clock.now()
        return column

    def _has_room(self) -> bool:
        """Make room for one more column, of one that is counted and that nobody has asked for of late."""
        if len(self._columns) < MOST_COLUMNS:
            return True
        late = self._clock.now() - IN_USE
        idle = [each for each in self._columns.values() if each.found.is_set() and each.used <= late]
        if idle:
            del self._columns[min(idle, key=lambda each: each.used).source]
        return bool(idle)

    def take(self, old: Row | None, new: Row | None) -> None:
        """A row was `old` and is now `new`, or no more."""
        for column in self._columns.values():
            if not column.lost:
                column.take(old, new)

    def sweep(self) -> None:
        """Let go of what nobody has asked for of late."""
        late = self._clock.now() - KEPT
        self._columns = {
            source: column
            for source, column in self._columns.items()
            if column.used > late or not column.found.is_set()
        }

    def _count(self, column: ColumnValues) -> Work:
        """A column that fails stays for a while as one that is lost: nobody counts it again at once."""
        try:
            for position, uid in enumerate(list(self._rows), start=1):
                if (row := self._rows.get(uid)) is not None:
                    column.count(row)
                if position % STEP == 0:
                    yield None
        except BaseException:  # stopped, too
            column.lose()
            raise
        column.finish()
