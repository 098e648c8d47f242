"""Delayed keys, which are not due yet."""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic, NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)

MAX_STALE_ENTRIES = 64
"""Stale entries that may stay, in addition to as many as there are keys."""


class DueKey(NamedTuple):
    """When a key is due (the clock's seconds), and the priority that it will have then."""

    at: float
    number: int
    """Of those due at the same moment, the first that came is first."""
    priority: int


class DelayingQueue(Generic[K]):
    """Each key once: due at the earliest moment that was asked for, with the highest priority.

    The heap keeps an entry that an earlier one replaced until its moment, or until there are too many of them.
    """

    def __init__(self) -> None:
        self._due: dict[K, DueKey] = {}
        self._heap: list[tuple[float, int, K]] = []
        self._number = count()

    def __len__(self) -> int:
        return len(self._due)

    def add(self, item: K, at: float, priority: int) -> None:
        """Have `item` due at `at`, unless it is due sooner."""
        known = self._due.get(item)
        if known and known.at <= at:
            if priority > known.priority:
                self._due[item] = known._replace(priority=priority)
            return
        number = next(self._number)
        self._due[item] = DueKey(at, number, max(priority, known.priority) if known else priority)
        heappush(self._heap, (at, number, item))
        self._tidy()

    def discard(self, item: K) -> int | None:
        """Remove it; returns its priority, or None if it was not delayed."""
        due = self._due.pop(item, None)
        if due is None:
            return None
        self._tidy()
        return due.priority

    def clear(self) -> None:
        """Nothing is due any more."""
        self._due.clear()
        self._heap.clear()

    @property
    def next_at(self) -> float | None:
        """When the next one is due."""
        heap, due = self._heap, self._due
        while heap:
            at, number, item = heap[0]
            known = due.get(item)
            if known is not None and known.number == number:
                return at
            heappop(heap)
        return None

    def pop(self, now: float) -> list[tuple[K, float, int]]:
        """Take out those that are due, in order, with when they were and their priorities."""
        due = []
        while (at := self.next_at) is not None and at <= now:
            item = heappop(self._heap)[2]
            due.append((item, at, self._due.pop(item).priority))
        return due

    def _tidy(self) -> None:
        if len(self._heap) > 2 * len(self._due) + MAX_STALE_ENTRIES:
            self._heap = [(due.at, due.number, item) for item, due in self._due.items()]
            heapify(self._heap)
