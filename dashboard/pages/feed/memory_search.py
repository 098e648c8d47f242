"""Search of the changes in memory when a feed is opened: in slices, from the newest entry backwards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from dashboard.live.replication.readable_history import ReadableChunk, ReadableHistory
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.tally import Tally
from dashboard.runtime.time_slicing import SlicedWork

MIN_ENTRIES = 1_000
"""Approximate number of entries that a live feed starts with; bursts make fewer lines of them."""
MAX_LISTED_ENTRIES = 3_000
"""Most entries of a span that become lines: the newest."""


class MemorySearch:
    """Search for the newest entries that match a query, with counts for its whole span.

    Entries that come while it runs are not included: it sees the state at its creation.
    """

    def __init__(
        self,
        query: FeedQuery,
        keys: tuple[str, ...],
        log: ReadableHistory,
        tally: Tally,
        now: float,
        counted_from: float,
        *,
        uncounted_until: Mapping[str, float] = MappingProxyType({}),
        gathers: bool = True,
    ) -> None:
        """`uncounted_until`: Unix seconds from when on changes of a kind are counted; `gathers`: whether entries are
        wanted, and not only counts.
        """
        self.entries: list[tuple[str, Entry]] = []
        """Kind and entry; sorted by `ordered_at` once the search has ended."""
        self.complete_from = -math.inf if gathers else math.inf
        """Unix seconds after which `entries` is complete."""
        self._uncounted_until = uncounted_until
        self._query = query
        self._tally = tally
        self._now = now
        self._counted_from = counted_from
        since = query.span.since(now)
        self._since = -math.inf if since is None else since
        self._until = math.inf if query.span.end is None else query.span.end
        self._pictured = query.span.histogram_bounds(now, self._since if math.isfinite(self._since) else 0.0)[0]
        if query.span.is_fixed and since is None:
            self._pictured = -math.inf
        self._pieces = log.chunks(keys, self._since, self._until)

    def run(self) -> SlicedWork:
        """Search; yields after each slice."""
        for index, piece in enumerate(self._pieces):
            gathering = self.complete_from == -math.inf
            if piece.last < self._pictured and (not gathering or len(self.entries) >= MIN_ENTRIES):
                self._stop_before(piece)
                break
            self._take(piece, gathering)
            if gathering and len(self.entries) >= MAX_LISTED_ENTRIES and index + 1 < len(self._pieces):
                self._stop_before(self._pieces[index + 1])
            yield None
        self.entries = [each for each in self.entries if each[1].ordered_at > self.complete_from]
        self.entries.sort(key=lambda each: (each[1].ordered_at, each[0], each[1].seq))

    def _stop_before(self, piece: ReadableChunk) -> None:
        """Stop at the entries of this and later slices: `entries` is complete only for newer times."""
        if self.complete_from == -math.inf:
            self.complete_from = piece.ordered_to

    def _take(self, piece: ReadableChunk, gathering: bool) -> None:
        uncounted_until = self._uncounted_until.get(piece.key, -math.inf)
        for entry in piece.entries():
            if not self._since <= entry.time <= self._until or not self._query.matches(piece.key, entry):
                continue
            if max(self._pictured, uncounted_until) <= entry.time < self._counted_from:
                self._tally.add(entry.time, entry.op)
            if gathering:
                self.entries.append((piece.key, entry))
