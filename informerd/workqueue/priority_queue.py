"""Priority queue of keys: the highest priority first, and in order of arrival within one."""

from __future__ import annotations

from bisect import insort
from collections import OrderedDict
from collections.abc import Hashable
from operator import itemgetter
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)

SPARE_LEVELS = 16
"""Empty priority levels that are kept for reuse."""

_rank = itemgetter(0)


class PriorityQueue(Generic[K]):
    """Each key once. Adding, taking out and moving up cost the same however many wait."""

    def __init__(self) -> None:
        self.count = 0
        self._levels: dict[int, OrderedDict[K, None]] = {}
        self._ranked: list[tuple[int, OrderedDict[K, None]]] = []
        """The same, with the priority's negative, highest priority first."""

    def add(self, item: K, priority: int) -> None:
        """Put it last within its priority. It must not be there."""
        level = self._levels.get(priority)
        if level is None:
            level = self._new_level(priority)
        level[item] = None
        self.count += 1

    def move(self, item: K, before: int, priority: int) -> None:
        """Give one that is there another priority: it goes last within it."""
        del self._levels[before][item]
        self.count -= 1
        self.add(item, priority)

    def pop(self) -> K:
        """Take out the next one; there must be one."""
        for _, level in self._ranked:
            if level:
                self.count -= 1
                return level.popitem(last=False)[0]
        raise IndexError("nothing is ready")

    def _new_level(self, priority: int) -> OrderedDict[K, None]:
        if len(self._ranked) >= SPARE_LEVELS:
            self._ranked = [each for each in self._ranked if each[1]]
            self._levels = {-rank: level for rank, level in self._ranked}
        level = self._levels[priority] = OrderedDict()
        insort(self._ranked, (-priority, level), key=_rank)
        return level
