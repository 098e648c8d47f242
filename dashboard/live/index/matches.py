"""Rows that match a filter, in no order: found once, whatever the number of views that show them.

Counts by status and tone are kept too. Rows that time alone adds or removes (``age<1h``) are in `DueTimes`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from operator import attrgetter

from dashboard.live.index.sorted_list import STEP
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.query.batch_filter import BatchFilter
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import Fields, read_field
from dashboard.runtime.due_times import DueTimes
from dashboard.runtime.time_slicing import SlicedWork
from informerd.clock import Clock

TERMS_OF_A_STEP = 8
"""Terms of a filter up to which a step has STEP rows; with more terms it has fewer rows."""


def rows_of_step(query: Query) -> int:
    """Number of rows that are checked in one step, which so takes a few milliseconds whatever the filter is."""
    return STEP * TERMS_OF_A_STEP // max(TERMS_OF_A_STEP, len(query.terms))


class MatchSet:
    """Set of matching uids. Matching and excluded uids are both kept while it is built; `compact` then keeps one.

    A set of 50,000 uids takes 4 MB. With `is_partial` it gets some rows only and keeps just the matching ones.
    """

    def __init__(self, rows: Mapping[str, Row], *, is_partial: bool = False) -> None:
        self._rows = rows
        self._in: set[str] | None = set()
        self._out: set[str] | None = None if is_partial else set()

    def __contains__(self, uid: str) -> bool:
        if self._in is not None:
            return uid in self._in
        return uid in self._rows and self.is_match(uid)

    def __iter__(self) -> Iterator[str]:
        if self._in is not None:
            return iter(self._in)
        return (uid for uid in self._rows if self.is_match(uid))

    def __len__(self) -> int:
        return len(self._in) if self._in is not None else len(self._rows) - len(self.excluded_uids or ())

    @property
    def excluded_uids(self) -> Collection[str] | None:
        """The uids that do not match, where these are known and fewer."""
        return self._out if self._in is None else None

    def is_match(self, uid: str) -> bool:
        """Whether a row matches, or did until its current change."""
        return uid in self._in if self._in is not None else uid not in (self._out or ())

    def add_batch(self, uids: Collection[str], matching: Collection[str]) -> None:
        """Of these `uids` those in `matching` match, and the others do not."""
        if self._in is not None:
            self._in.update(matching)
        if self._out is not None and len(matching) < len(uids):
            self._out.update(set(uids).difference(matching))

    def set_match(self, uid: str, is_match: bool | None) -> None:
        """Whether a row matches now; None: it is deleted."""
        for uids, wanted in ((self._in, True), (self._out, False)):
            if uids is None:
                continue
            if is_match is wanted:
                uids.add(uid)
            else:
                uids.discard(uid)

    def compact(self) -> None:
        """Keep the smaller side, after every row has been checked."""
        if self._in is None or self._out is None:
            return
        if len(self._out) < len(self._in):
            self._in = None
        else:
            self._out = None


FacetCounts = Counter[tuple[str, Tone]]
"""Number of rows by status and tone."""
_STATUS = attrgetter("status", "tone")


class Matches:
    """Rows that match one filter. The owner calls `build` once, then `update` for each change."""

    def __init__(self, query: Query, rows: Mapping[str, Row], clock: Clock, fields: Fields = read_field) -> None:
        self.match_set = MatchSet(rows, is_partial=bool(query.namespaces))
        """The matching rows."""
        self.facets: FacetCounts = Counter()
        self.namespaces = query.namespaces
        self.ready = False
        self.scanned_count = 0
        """Rows that `build` has checked."""
        self.error: Exception | None = None
        """The error that made it unreliable; None while there is none."""
        self.is_dropped = False
        """Whether nobody needs it any more: it is not computed to its end."""
        self._query = query
        self._rows = rows
        self._clock = clock
        self._fields = fields
        self._moved: set[str] = set()
        """Uids that changed while `build` was running, which then need not check them."""
        self._due = DueTimes()
        self._due.begin(clock.time())

    def update(self, uid: str, old: Row | None, new: Row | None) -> tuple[bool, bool]:
        """The row was `old` and is now `new` (None: not there). Returns whether it matched and whether it matches."""
        was = old is not None and self.match_set.is_match(uid)
        if was and old is not None:
            decrement(self.facets, old)
        fits = new is not None and self._fits(new)
        if new is not None and fits:
            self.facets[new.status, new.tone] += 1
        self.match_set.set_match(uid, fits if new is not None else None)
        if not self.ready:
            self._moved.add(uid)
        if new is None:
            self._due.note(uid, None)
        return was, fits

    def build(self) -> SlicedWork:
        """Check all rows, which may change between two steps as long as each change comes by `update` too."""
        batch_filter, ages, rows = (
            BatchFilter(self._query, self._fields),
            self._query.is_time_dependent,
            list(self._rows.values()),
        )
        step = rows_of_step(self._query)
        for start in range(0, len(rows), step):
            now, batch = self._clock.time(), rows[start : start + step]
            if self._moved:
                batch = [row for row in batch if row.uid not in self._moved]
            if ages:
                self._due.note_new([row.uid for row in batch], batch_filter.next_dues(batch, now))
            matching = batch_filter.through(batch, now)
            self.match_set.add_batch([row.uid for row in batch], [row.uid for row in matching])
            self.facets.update(map(_STATUS, matching))
            self.scanned_count = start
            yield None
        self.match_set.compact()
        self._moved.clear()
        self.ready = True

    def next_due(self) -> float | None:
        """Unix seconds at which time alone changes something, or all rows are to be checked again; None: never."""
        return self._due.next_due()

    def pop_due(self, now: float) -> list[str]:
        """The uids whose time has come by `now` (Unix seconds): call `update` for their rows."""
        return self._due.pop_due(now)

    def needs_rescan(self, now: float) -> bool:
        """Whether it is time for `rescan`."""
        return self._due.needs_rescan(now)

    def rescan(self) -> SlicedWork:
        """Note again when each row is due; due at once is each row that time has changed already."""
        now = self._clock.time()
        self._due.begin(now)
        step = rows_of_step(self._query)
        for position, uid in enumerate(list(self._rows)):
            if (row := self._rows.get(uid)) is not None:
                changed = self._query.matches(row, now, self._fields) != (uid in self.match_set)
                self._due.note(uid, now if changed else self._query.next_due(row, now))
            if position % step == step - 1:
                yield None

    def _fits(self, row: Row) -> bool:
        now = self._clock.time()
        if self._query.is_time_dependent:
            self._due.note(row.uid, self._query.next_due(row, now))
        return self._query.matches(row, now, self._fields)


class FacetCounter:
    """Counts of all rows by status and tone. The owner calls `build` once, then `update` for each change."""

    error: Exception | None = None

    def __init__(self) -> None:
        self.facets: FacetCounts = Counter()
        self.ready = False

    def build(self, rows_by_uid: Mapping[str, Row]) -> SlicedWork:
        """Count the rows that there are at the first step. Changes meanwhile are counted too, so the counts are wrong
        until it has finished.
        """
        rows = list(rows_by_uid.values())
        for start in range(0, len(rows), STEP):
            self.facets.update(map(_STATUS, rows[start : start + STEP]))
            yield None
        self.facets = +self.facets
        self.ready = True

    def update(self, old: Row | None, new: Row | None) -> None:
        """The row was `old` and is now `new`; None: not there."""
        if old is not None:
            if self.ready:
                decrement(self.facets, old)
            else:
                self.facets[old.status, old.tone] -= 1
        if new is not None:
            self.facets[new.status, new.tone] += 1


def decrement(facets: FacetCounts, row: Row) -> None:
    """Subtract one row of that status and tone."""
    key = (row.status, row.tone)
    facets[key] -= 1
    if not facets[key]:
        del facets[key]
