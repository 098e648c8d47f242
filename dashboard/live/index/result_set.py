"""Result of a query: the rows that match its filter, in one order, shared by all views that show a window of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dashboard.live.index.matches import FacetCounter, FacetCounts, Matches, MatchSet
from dashboard.live.index.path_columns import PathColumn
from dashboard.live.index.path_presence import PathPresence
from dashboard.live.index.sort_index import SortIndex
from dashboard.live.index.sort_key_encoding import decode_uid
from dashboard.live.index.sorted_list import EncodedKey, SortedList
from dashboard.live.index.value_counts import ValueCounts
from dashboard.objects.kinds.row import Row
from dashboard.runtime.time_slicing import SlicedWork

SORT_RATIO = 8
"""Where at most one row in so many matches, sorting the matches is cheaper than reading all rows in order."""

ROWS_PER_STEP = 1024
"""Rows whose position in the order is looked up in one step."""

DirtyListener = Callable[[set[str], set[str]], None]
"""Called with the rows of the result that changed, and those that were deleted."""


class ResultSet:
    """The rows that `matches` contains, in the order of `index`; all rows where `matches` is None."""

    def __init__(
        self,
        rows: Mapping[str, Row],
        index: SortIndex,
        *,
        matches: Matches | None,
        base: Matches | FacetCounter,
        columns: tuple[PathColumn, ...] = (),
        sightings: PathPresence | None = None,
        values: ValueCounts | None = None,
    ) -> None:
        self.rows = rows
        """All rows of the kind, by uid."""
        self.sort_index = index
        self.matches = matches
        self.facet_base = base
        """Counts of the rows that match without the choice of statuses; the kind's counts where that is all rows."""
        self.path_presence = sightings
        """Whether objects have the fields by path that lists use."""
        self.value_counts = values
        """Values of the kind's columns and labels."""
        self._columns = columns
        self.found_event = asyncio.Event()
        """Set when the result is complete."""
        self.error: Exception | None = None
        """The error that made it useless: every reader gets it raised, and the next request makes a new result."""
        self.is_dropped = False
        """Whether nobody needs it any more: it is not computed to its end."""
        self.listeners: dict[object, DirtyListener] = {}
        """Called for changes, and once when the result is ready."""
        self._own: SortedList | None = None if matches is None else SortedList()
        if self._own is not None:
            self._own.begin()

    @property
    def uses_paths(self) -> bool:
        """Whether it needs columns of fields by path."""
        return bool(self._columns)

    @property
    def pending_column(self) -> PathColumn | None:
        """The column that is being read before rows can be found; None where there is none."""
        return next((column for column in self._columns if not column.ready), None)

    @property
    def scanned_count(self) -> int:
        """Rows that have been checked so far."""
        if (column := self.pending_column) is not None:
            return column.scanned_count
        if self.matches is not None and not self.matches.ready:
            return self.matches.scanned_count
        return len(self.rows) if self.ready else len(self.sort_index.key_of)

    @property
    def ready(self) -> bool:
        return self.found_event.is_set()

    @property
    def facets(self) -> FacetCounts:
        """Number of rows by status, whatever statuses are chosen; none before it is `ready`."""
        return self.facet_base.facets if self.ready else FacetCounts()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, uid: str) -> bool:
        return uid in (self.sort_index.key_of if self.matches is None else self.matches.match_set)

    def window(self, start: int, size: int) -> list[str]:
        """The uids of `size` rows from index `start`; none before it is `ready`. Raises `error`."""
        return [decode_uid(entry) for entry in self._part(start, size)]

    def sort_keys(self) -> list[EncodedKey]:
        """All entries in order, as they are now; none before it is `ready`. Raises `error`."""
        return self._part(0, len(self))

    def update(self, was: bool, now: bool, old: EncodedKey | None, new: EncodedKey | None) -> None:
        """A row matched (`was`) and matches now (`now`); `old` and `new` are its entries in the index."""
        if self._own is not None and not (was and now and old is new):
            self._own.replace(old if was else None, new if now else None)

    def build(self) -> SlicedWork:
        """Find the rows; the index and the matches must be `ready`, or be built in the meantime."""
        parts = [part for part in (self.sort_index, self.matches, self.facet_base) if part is not None]
        while not all(part.ready for part in parts):
            for part in parts:
                if part.error is not None:
                    raise part.error
            yield "wait"
        if self._own is not None and self.matches is not None:
            chosen, entry_of = self.matches.match_set, self.sort_index.key_of
            if len(chosen) * SORT_RATIO <= len(entry_of):
                yield from self._own.finish([entry_of[uid] for uid in chosen])
            else:
                yield from self._in_order(self._own, chosen)
        self._report_found()

    def fail(self, error: Exception) -> None:
        """Mark the result as failed."""
        self.error = error
        self._report_found()

    def _report_found(self) -> None:
        self.found_event.set()
        for tell in tuple(self.listeners.values()):
            tell(set(), set())

    def _in_order(self, own: SortedList, chosen: MatchSet) -> SlicedWork:
        """Entries in order, looked up in steps; of rows that change later, only matching ones are reported."""
        entry_of, blocks = self.sort_index.key_of, self.sort_index.sorted_keys.blocks()
        others = chosen.excluded_uids
        meant = [entry_of[uid] for uid in (chosen if others is None else others)]
        yield None
        known: set[EncodedKey] = set()
        for start in range(0, len(meant), ROWS_PER_STEP):
            known.update(meant[start : start + ROWS_PER_STEP])
            yield None
        entries: list[EncodedKey] = []
        for block in blocks:
            if others is None:
                entries += [entry for entry in block if entry in known]
            elif known:
                entries += [entry for entry in block if entry not in known]
            else:
                entries += block
            yield None
        yield from own.finish(entries, in_order=True)

    def _part(self, start: int, size: int) -> list[EncodedKey]:
        if self.error is not None:
            raise self.error
        return self._entries.window(start, size) if self.ready else []

    @property
    def _entries(self) -> SortedList:
        return self.sort_index.sorted_keys if self._own is None else self._own


@dataclass(slots=True)
class _Uids:
    changed: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)


class DirtyUids:
    """Changed uids by result: `note` each row that a result has or had; `notify` once all results are consistent."""

    def __init__(self) -> None:
        self._by_result: dict[ResultSet, _Uids] = {}

    def note(self, result: ResultSet, uid: str, new: Row | None) -> None:
        """The row is now `new`; None: it is deleted. Nothing is kept for a result that nobody views."""
        if not result.listeners:
            return
        uids = self._by_result.setdefault(result, _Uids())
        if new is None:
            uids.gone.add(uid)
            uids.changed.discard(uid)
        else:
            uids.changed.add(uid)
            uids.gone.discard(uid)

    def notify(self) -> None:
        """Call all listeners."""
        changed, self._by_result = self._by_result, {}
        for result, uids in changed.items():
            for tell in tuple(result.listeners.values()):
                tell(uids.changed, uids.gone)
