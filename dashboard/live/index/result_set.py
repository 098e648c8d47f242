"""A result: the rows that a filter lets through, in one order. Shared by all views that show a window of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from dashboard.live.chosen import Chosen
from dashboard.live.matches import Census, Facets, Matches
from dashboard.live.messages import Row
from dashboard.live.packed_key import uid_of
from dashboard.live.path_columns import PathColumn
from dashboard.live.path_sightings import PathSightings
from dashboard.live.row_index import RowIndex
from dashboard.live.row_values import RowValues
from dashboard.live.slices import Work
from dashboard.live.sorted_entries import Entry, SortedEntries

FEW = 8
"""Where at most one row in so many is let through, sorting these is cheaper than going through all in order."""

AT_A_STEP = 1024
"""Rows whose place in the order is looked up at one step."""

Touched = Callable[[set[str], set[str]], None]
"""Told which rows of the result have changed, and which of them are no more in the cluster."""


class Result:
    """Rows are those of `rows` that `matches` lets through, or all where it is None: then the index is the result."""

    def __init__(
        self,
        rows: Mapping[str, Row],
        index: RowIndex,
        *,
        matches: Matches | None,
        base: Matches | Census,
        columns: tuple[PathColumn, ...] = (),
        sightings: PathSightings | None = None,
        values: RowValues | None = None,
    ) -> None:
        self.rows = rows
        """All rows of the kind, by uid."""
        self.index = index
        self.matches = matches
        self.base = base
        """What the filter lets through without its choice of statuses, counted; the census where that is everything."""
        self.sightings = sightings
        """What is known of whether objects have the fields by path that lists ask for."""
        self.values = values
        """What values the kind's rows have in their columns and labels."""
        self._columns = columns
        self.found = asyncio.Event()
        """Set when it is what it is to be."""
        self.error: Exception | None = None
        """What made it worthless: whoever reads it gets this raised, and a new one is made for who asks."""
        self.views: dict[object, Touched] = {}
        """Who is told of changes, and once when it is found."""
        self._own: SortedEntries | None = None if matches is None else SortedEntries()
        if self._own is not None:
            self._own.begin()

    @property
    def by_path(self) -> bool:
        """Whether it needs columns of fields by path."""
        return bool(self._columns)

    @property
    def looking_at(self) -> PathColumn | None:
        """The field by path that is being looked at before rows can be found; None where none is."""
        return next((column for column in self._columns if not column.ready), None)

    @property
    def looked_at(self) -> int:
        """Rows that have been looked at so far."""
        if (column := self.looking_at) is not None:
            return column.looked_at
        if self.matches is not None and not self.matches.ready:
            return self.matches.looked_at
        return len(self.rows) if self.ready else len(self.index.entry_of)

    @property
    def ready(self) -> bool:
        return self.found.is_set()

    @property
    def facets(self) -> Facets:
        """How many rows have which status, whatever statuses are chosen; none before it is `ready`."""
        return self.base.facets if self.ready else Facets()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, uid: str) -> bool:
        return uid in (self.index.entry_of if self.matches is None else self.matches.chosen)

    def window(self, start: int, size: int) -> list[str]:
        """The uids of `size` rows from index `start`; none before it is `ready`. Raises `error`."""
        return [uid_of(entry) for entry in self._part(start, size)]

    def entries(self) -> list[Entry]:
        """All entries in order, as they are now; none before it is `ready`. Raises `error`."""
        return self._part(0, len(self))

    def move(self, was: bool, now: bool, old: Entry | None, new: Entry | None) -> None:
        """A row was let through and is let through now, or not; `old` and `new` are its entries in the index."""
        if self._own is not None and not (was and now and old is new):
            self._own.move(old if was else None, new if now else None)

    def build(self) -> Work:
        """Find what is there; the index and the matches must be `ready`, or be built in the meantime."""
        parts = [part for part in (self.index, self.matches, self.base) if part is not None]
        while not all(part.ready for part in parts):
            for part in parts:
                if part.error is not None:
                    raise part.error
            yield "wait"
        if self._own is not None and self.matches is not None:
            chosen, entry_of = self.matches.chosen, self.index.entry_of
            if len(chosen) * FEW <= len(entry_of):
                yield from self._own.finish([entry_of[uid] for uid in chosen])
            else:
                yield from self._in_order(self._own, chosen)
        self._say_found()

    def fail(self, error: Exception) -> None:
        """It cannot be kept, or not be found."""
        self.error = error
        self._say_found()

    def _say_found(self) -> None:
        self.found.set()
        for tell in tuple(self.views.values()):
            tell(set(), set())

    def _in_order(self, own: SortedEntries, chosen: Chosen) -> Work:
        """All of them are looked up at once: of what moves later, only what is let through is told."""
        entry_of, blocks = self.index.entry_of, self.index.entries.blocks()
        others = chosen.others
        meant = [entry_of[uid] for uid in (chosen if others is None else others)]
        yield None
        known: set[Entry] = set()
        for start in range(0, len(meant), AT_A_STEP):
            known.update(meant[start : start + AT_A_STEP])
            yield None
        entries: list[Entry] = []
        for block in blocks:
            if others is None:
                entries += [entry for entry in block if entry in known]
            elif known:
                entries += [entry for entry in block if entry not in known]
            else:
                entries += block
            yield None
        yield from own.finish(entries, in_order=True)

    def _part(self, start: int, size: int) -> list[Entry]:
        if self.error is not None:
            raise self.error
        return self._entries.window(start, size) if self.ready else []

    @property
    def _entries(self) -> SortedEntries:
        return self.index.entries if self._own is None else self._own
