"""Changes per second over the last 15 minutes, for the charts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from dashboard.objects.kinds.feed_entry import Operation

RATES_SECONDS = 15 * 60
"""Seconds kept."""

Rate = tuple[float, int, int, int]
"""Unix second, objects added, modified, deleted in it."""


OPERATION_COUNTS: Mapping[Operation, tuple[int, int, int]] = MappingProxyType(
    {"added": (1, 0, 0), "modified": (0, 1, 0), "deleted": (0, 0, 1)}
)
"""What one change adds to the counts of its second."""


class Rates:
    """Counts by second; seconds without changes are left out, seconds older than RATES_SECONDS are dropped."""

    def __init__(self) -> None:
        self._seconds: dict[int, tuple[int, int, int]] = {}

    def add(self, time: float, counts: tuple[int, int, int]) -> None:
        """Count `counts` (added, modified, deleted) at Unix time `time`."""
        if not any(counts):
            return
        second = int(time)
        added, modified, deleted = self._seconds.pop(second, (0, 0, 0))
        self._seconds[second] = (added + counts[0], modified + counts[1], deleted + counts[2])
        self._forget(second)

    def replace(self, rates: Iterable[Rate]) -> None:
        """Take over other counts: their seconds win, seconds that they do not have are kept."""
        for time, added, modified, deleted in rates:
            self._seconds[int(time)] = (added, modified, deleted)
        self._seconds = dict(sorted(self._seconds.items()))
        if self._seconds:
            self._forget(next(reversed(self._seconds)))

    def recent(self, now: float) -> tuple[Rate, ...]:
        """The seconds of the last 15 minutes before Unix time `now`, oldest first."""
        oldest = int(now) - RATES_SECONDS
        return tuple((float(second), *counts) for second, counts in sorted(self._seconds.items()) if second > oldest)

    def _forget(self, newest: int) -> None:
        for second in list(self._seconds):
            if second > newest - RATES_SECONDS:
                break
            del self._seconds[second]
