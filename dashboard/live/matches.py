"""The rows that a filter lets through, whatever their order: found once, whatever the number of views that show them.

Counts by status and tone are kept along. Rows that time alone brings in or takes out (``age<1h``) wait in a heap.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping

from dashboard.live.messages import Row, Tone
from dashboard.live.slices import Work
from dashboard.live.sorted_entries import STEP
from dashboard.resources.query import Query
from informerd.clock import Clock

Facets = Counter[tuple[str, Tone]]
"""How many rows have which status and tone."""


class Matches:
    """Kept by whoever knows the rows: `build` once, then `move` for each change."""

    def __init__(self, query: Query, clock: Clock) -> None:
        self.uids: set[str] = set()
        self.facets: Facets = Counter()
        self.namespaces = query.namespaces
        self.ready = False
        self.looked_at = 0
        """Rows that `build` has looked at."""
        self.error: Exception | None = None
        """Why it cannot be relied on any more."""
        self._query = query
        self._clock = clock
        self._due: list[tuple[float, str]] = []
        self._due_of: dict[str, float] = {}

    def move(self, uid: str, old: Row | None, new: Row | None) -> tuple[bool, bool]:
        """The row was `old` and is now `new` (None: not there). Whether it was let through, and is now."""
        was = uid in self.uids
        if was and old is not None:
            uncount(self.facets, old)
        fits = new is not None and self._fits(new)
        if new is not None and fits:
            self.facets[new.status, new.tone] += 1
        if was and not fits:
            self.uids.discard(uid)
        elif fits and not was:
            self.uids.add(uid)
        if new is None:
            self._due_of.pop(uid, None)
        return was, fits

    def build(self, rows: Mapping[str, Row]) -> Work:
        """Take in what is there, which may change between two steps as long as each change comes by `move` too."""
        for position, uid in enumerate(list(rows)):
            if uid not in self.uids and (row := rows.get(uid)) is not None and self._fits(row):
                self.uids.add(uid)
                self.facets[row.status, row.tone] += 1
            if position % STEP == STEP - 1:
                self.looked_at = position
                yield None
        self.ready = True

    def next_due(self) -> float | None:
        """Unix seconds at which `due` will have something; None: never."""
        while self._due and self._due_of.get(self._due[0][1]) != self._due[0][0]:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def due(self, now: float) -> list[str]:
        """The uids whose time has come by `now` (Unix seconds): `move` their rows."""
        found = []
        while (next_due := self.next_due()) is not None and next_due <= now:
            uid = heapq.heappop(self._due)[1]
            del self._due_of[uid]
            found.append(uid)
        return found

    def _fits(self, row: Row) -> bool:
        now = self._clock.time()
        if self._query.ages:
            self._note_due(row, self._query.next_due(row, now))
        return self._query.matches(row, now)

    def _note_due(self, row: Row, due: float | None) -> None:
        if due is None:
            self._due_of.pop(row.uid, None)
        elif self._due_of.get(row.uid) != due:
            self._due_of[row.uid] = due
            heapq.heappush(self._due, (due, row.uid))


def uncount(facets: Facets, row: Row) -> None:
    """One row of that status and tone less."""
    key = (row.status, row.tone)
    facets[key] -= 1
    if not facets[key]:
        del facets[key]
