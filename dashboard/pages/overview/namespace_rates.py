"""Change rates of some namespaces: counted from the feed's stored entries, then from each change.

The worker counts a kind's changes in all namespaces together; an overview of some namespaces counts its own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from dashboard.live.replication.change_rates import OPERATION_COUNTS, RATES_SECONDS, Rate, Rates
from dashboard.live.replication.readable_history import ReadableChunk, ReadableHistory
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.runtime.time_slicing import SlicedWork, TimeSlicer


class NamespaceRates:
    """Changes in these namespaces, by kind. Earlier changes are counted in slices."""

    def __init__(
        self, namespaces: Iterable[str], log: ReadableHistory, keys: Iterable[str], slices: TimeSlicer, now: float
    ) -> None:
        """`keys` are those of the kinds whose earlier changes are counted, too. Those that nothing was heard of have no
        changes yet.
        """
        keys = tuple(keys)
        self._namespaces = frozenset(namespaces)
        self._rates: defaultdict[str, Rates] = defaultdict(Rates)
        known = [log.known_from([key]) for key in keys]
        self._known_from = max((since for since in known if math.isfinite(since)), default=math.inf)
        slices.add(self._count_history(log.chunks(keys, now - RATES_SECONDS, now)))

    def add(self, key: str, entries: Iterable[Entry]) -> None:
        """Count changes of a kind."""
        rates = self._rates[key]
        for entry in entries:
            if entry.namespace in self._namespaces:
                rates.add(entry.time, OPERATION_COUNTS[entry.op])

    def recent(self, key: str, now: float) -> tuple[Rate, ...]:
        """The seconds with changes of a kind, within the 15 minutes before Unix time `now`."""
        return self._rates[key].recent(now)

    def known_from(self, now: float) -> float | None:
        """Unix seconds from which on all changes are counted; None where that is before the shown span."""
        return self._known_from if now - RATES_SECONDS < self._known_from <= now else None

    def _count_history(self, pieces: Iterable[ReadableChunk]) -> SlicedWork:
        for piece in pieces:
            self.add(piece.key, piece.entries())
            yield None
