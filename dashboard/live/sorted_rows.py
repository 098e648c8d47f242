"""The rows that a query lets through, in its order, kept so while rows come, change, go and grow old.

Keys are kept in one sorted list, so taking a row in or out costs a binary search and a memmove, whatever the number of
rows. Counts by status and tone are kept along. Rows that time alone brings in or takes out (``age<1h``) wait in a heap.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dashboard.live.messages import Row, Tone
from dashboard.resources.query import Query


@dataclass(slots=True)
class Facets:
    """Rows by (status, tone)."""

    counts: Counter[tuple[str, Tone]] = field(default_factory=Counter)

    def add(self, row: Row) -> None:
        self.counts[row.status, row.tone] += 1

    def remove(self, row: Row) -> None:
        key = (row.status, row.tone)
        self.counts[key] -= 1
        if not self.counts[key]:
            del self.counts[key]


class SortedRows:
    """Who is in, in order. Feed it every row of the kind with `put` and `drop`, or all at once with `fill`."""

    def __init__(self, query: Query) -> None:
        self.facets = Facets()
        self._query = query
        self._base = query.without_statuses()
        self._narrowed = bool(query.statuses)
        self._ages = query.ages
        self._keys: list[tuple[Any, str]] = []
        self._in: dict[str, tuple[Any, str]] = {}
        self._counted: dict[str, Row] = {}
        self._due: list[tuple[float, str]] = []
        self._due_of: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, uid: str) -> bool:
        return uid in self._in

    def window(self, start: int, size: int) -> list[str]:
        """The uids of `size` rows from index `start`."""
        return [uid for _, uid in self._keys[start : start + size]]

    def fill(self, rows: Iterable[Row], now: float) -> None:
        """Forget everything and take `rows` in; O(n log n)."""
        self.facets = Facets()
        self._in, self._counted, self._due, self._due_of = {}, {}, [], {}
        for row in rows:
            self._take(row, now)
        self._keys = sorted(self._in.values())

    def put(self, row: Row, now: float) -> bool:
        """The row is now as it is. True where it was in before or is in now."""
        self._uncount(row.uid)
        before = self._in.pop(row.uid, None)
        entry = self._take(row, now)
        if entry != before:  # mostly what changed is not what the list is sorted by, and nothing has to move
            if before is not None:
                self._remove(before)
            if entry is not None:
                insort(self._keys, entry)
        return before is not None or entry is not None

    def drop(self, uid: str) -> bool:
        """The row is no more. True where it was in."""
        self._due_of.pop(uid, None)
        self._uncount(uid)
        before = self._in.pop(uid, None)
        if before is not None:
            self._remove(before)
        return before is not None

    def next_due(self) -> float | None:
        """Unix seconds at which `due` will have something; None: never."""
        while self._due and self._due_of.get(self._due[0][1]) != self._due[0][0]:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def due(self, now: float) -> list[str]:
        """The uids whose time has come: `put` their rows again."""
        found = []
        while (next_due := self.next_due()) is not None and next_due <= now:
            uid = heapq.heappop(self._due)[1]
            del self._due_of[uid]
            found.append(uid)
        return found

    def _take(self, row: Row, now: float) -> tuple[Any, str] | None:
        """Count the row where it counts; its key where it is in, which is not in the sorted list yet."""
        query = self._query
        if self._ages:
            self._note_due(row, query.next_due(row, now))
        if not self._base.matches(row, now):
            return None
        self._counted[row.uid] = row
        self.facets.add(row)
        if self._narrowed and not query.matches(row, now):
            return None
        entry = self._in[row.uid] = (query.sort_key(row), row.uid)
        return entry

    def _note_due(self, row: Row, due: float | None) -> None:
        if due is None:
            self._due_of.pop(row.uid, None)
        elif self._due_of.get(row.uid) != due:
            self._due_of[row.uid] = due
            heapq.heappush(self._due, (due, row.uid))

    def _uncount(self, uid: str) -> None:
        counted = self._counted.pop(uid, None)
        if counted is not None:
            self.facets.remove(counted)

    def _remove(self, entry: tuple[Any, str]) -> None:
        del self._keys[bisect_left(self._keys, entry)]
