"""The rows that a filter lets through, whatever their order: found once, whatever the number of views that show them.

Counts by status and tone are kept along. Rows that time alone brings in or takes out (``age<1h``) are in `DueTimes`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from operator import attrgetter

from dashboard.live.chosen import Chosen
from dashboard.live.due_times import DueTimes
from dashboard.live.messages import Row, Tone
from dashboard.live.slices import Work
from dashboard.live.sorted_entries import STEP
from dashboard.resources.query import Query
from dashboard.resources.rows.path_reader import read_path
from dashboard.resources.sieve import Sieve
from dashboard.resources.terms import Fields
from informerd.clock import Clock

Facets = Counter[tuple[str, Tone]]
"""How many rows have which status and tone."""
_STATUS = attrgetter("status", "tone")


class Matches:
    """Kept by whoever knows the rows: `build` once, then `move` for each change."""

    def __init__(self, query: Query, rows: Mapping[str, Row], clock: Clock, fields: Fields = read_path) -> None:
        self.chosen = Chosen(rows, narrow=bool(query.namespaces))
        """Which rows it lets through."""
        self.facets: Facets = Counter()
        self.namespaces = query.namespaces
        self.ready = False
        self.looked_at = 0
        """Rows that `build` has looked at."""
        self.error: Exception | None = None
        """Why it cannot be relied on any more."""
        self._query = query
        self._rows = rows
        self._clock = clock
        self._fields = fields
        self._moved: set[str] = set()
        """What moved while `build` was under way, which then needs not look at it."""
        self._due = DueTimes()
        self._due.begin(clock.time())

    def move(self, uid: str, old: Row | None, new: Row | None) -> tuple[bool, bool]:
        """The row was `old` and is now `new` (None: not there). Whether it was let through, and is now."""
        was = old is not None and self.chosen.lets_through(uid)
        if was and old is not None:
            uncount(self.facets, old)
        fits = new is not None and self._fits(new)
        if new is not None and fits:
            self.facets[new.status, new.tone] += 1
        self.chosen.put(uid, fits if new is not None else None)
        if not self.ready:
            self._moved.add(uid)
        if new is None:
            self._due.note(uid, None)
        return was, fits

    def build(self) -> Work:
        """Take in what is there, which may change between two steps as long as each change comes by `move` too."""
        sieve, ages, rows = Sieve(self._query, self._fields), self._query.ages, list(self._rows.values())
        for start in range(0, len(rows), STEP):
            now, batch = self._clock.time(), rows[start : start + STEP]
            if self._moved:
                batch = [row for row in batch if row.uid not in self._moved]
            if ages:
                self._due.note_new([row.uid for row in batch], sieve.dues(batch, now))
            found = sieve.through(batch, now)
            self.chosen.look_at([row.uid for row in batch], [row.uid for row in found])
            self.facets.update(map(_STATUS, found))
            self.looked_at = start
            yield None
        self.chosen.settle()
        self._moved.clear()
        self.ready = True

    def next_due(self) -> float | None:
        """Unix seconds at which time has something to change, or all are to be looked at again; None: never."""
        return self._due.next()

    def due(self, now: float) -> list[str]:
        """The uids whose time has come by `now` (Unix seconds): `move` their rows."""
        return self._due.pop(now)

    def stale(self, now: float) -> bool:
        """Whether it is time for `look_again`."""
        return self._due.stale(now)

    def look_again(self) -> Work:
        """Note anew when each row is due, and at once each that time has changed already."""
        now = self._clock.time()
        self._due.begin(now)
        for position, uid in enumerate(list(self._rows)):
            if (row := self._rows.get(uid)) is not None:
                changed = self._query.matches(row, now, self._fields) != (uid in self.chosen)
                self._due.note(uid, now if changed else self._query.next_due(row, now))
            if position % STEP == STEP - 1:
                yield None

    def _fits(self, row: Row) -> bool:
        now = self._clock.time()
        if self._query.ages:
            self._due.note(row.uid, self._query.next_due(row, now))
        return self._query.matches(row, now, self._fields)


class Census:
    """All rows by status and tone, kept by whoever knows them: `build` once, then `move` for each change."""

    error: Exception | None = None

    def __init__(self) -> None:
        self.facets: Facets = Counter()
        self.ready = False

    def build(self, rows: list[Row]) -> Work:
        """Count what is there. What moves meanwhile is counted too, so till its end nothing is told by the counts."""
        for start in range(0, len(rows), STEP):
            self.facets.update(map(_STATUS, rows[start : start + STEP]))
            yield None
        self.facets = +self.facets
        self.ready = True

    def move(self, old: Row | None, new: Row | None) -> None:
        """The row was `old` and is now `new`; None: not there."""
        if old is not None:
            if self.ready:
                uncount(self.facets, old)
            else:
                self.facets[old.status, old.tone] -= 1
        if new is not None:
            self.facets[new.status, new.tone] += 1


def uncount(facets: Facets, row: Row) -> None:
    """One row of that status and tone less."""
    key = (row.status, row.tone)
    facets[key] -= 1
    if not facets[key]:
        del facets[key]
