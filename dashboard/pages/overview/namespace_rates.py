"""How much changes in some namespaces: counted from what the feed remembers, and then as it comes.

The worker counts a kind's changes in all namespaces together; an overview of some of them counts its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.live.feed_log import FeedLog, Piece
from dashboard.live.messages import Entry
from dashboard.live.rates import SPAN, Rate, Rates
from dashboard.live.slices import Slices, Work

_COUNTED = {"added": (1, 0, 0), "modified": (0, 1, 0), "deleted": (0, 0, 1)}


class NamespaceRates:
    """By kind, those of the changes that happen in these namespaces. What there was before is counted in slices."""

    def __init__(self, namespaces: Iterable[str], log: FeedLog, slices: Slices, now: float) -> None:
        self._namespaces = frozenset(namespaces)
        self._rates = {key: Rates() for key in log.keys}
        self._known_from = log.known_from(log.keys)
        slices.add(self._look_back(log.pieces(log.keys, now - SPAN, now)))

    def add(self, key: str, entries: Iterable[Entry]) -> None:
        """Count what happened to a kind."""
        rates = self._rates[key]
        for entry in entries:
            if entry.namespace in self._namespaces:
                rates.add(entry.time, _COUNTED[entry.op])

    def list(self, key: str, now: float) -> tuple[Rate, ...]:
        """The seconds of the last 15 minutes before Unix time `now` in which something happened to a kind."""
        return self._rates[key].list(now)

    def known_from(self, now: float) -> float | None:
        """Unix seconds before which not every change is counted; None where that is longer ago than is shown."""
        return self._known_from if now - SPAN < self._known_from <= now else None

    def _look_back(self, pieces: Iterable[Piece]) -> Work:
        for piece in pieces:
            self.add(piece.key, piece.entries())
            yield None
