"""The search of what is remembered for a feed that is opened: in slices, from the newest entry backwards."""

from __future__ import annotations

import math

from dashboard.live.feed_log import FeedLog, Piece
from dashboard.live.feed_query import FeedQuery
from dashboard.live.messages import Entry
from dashboard.live.slices import Work
from dashboard.live.tally import Tally

ENOUGH = 1_000
"""Entries with which a feed that goes on begins, about; bursts make fewer lines of them."""
MOST = 3_000
"""Entries of a span that are made into lines: the newest."""


class FeedSearch:
    """Finds the newest entries that a query takes, and counts all of its span.

    Whatever comes while it runs is not its own: it looks at what there was when it was made.
    """

    def __init__(
        self, query: FeedQuery, keys: tuple[str, ...], log: FeedLog, tally: Tally, now: float, counted_from: float
    ) -> None:
        self.entries: list[tuple[str, Entry]] = []
        """Kind and entry; in the order of their times once it has ended."""
        self.complete_from = -math.inf
        """Unix seconds after which `entries` has every entry of the span that is remembered."""
        self._query = query
        self._tally = tally
        self._now = now
        self._counted_from = counted_from
        since = query.span.since(now)
        self._since = -math.inf if since is None else since
        self._until = math.inf if query.span.end is None else query.span.end
        self._pictured = query.span.pictured(now, self._since if math.isfinite(self._since) else 0.0)[0]
        if query.span.is_fixed and since is None:
            self._pictured = -math.inf
        self._pieces = log.pieces(keys, self._since, self._until)

    def run(self) -> Work:
        """Search; yields after each piece."""
        for index, piece in enumerate(self._pieces):
            gathering = self.complete_from == -math.inf
            if piece.last < self._pictured and (not gathering or len(self.entries) >= ENOUGH):
                self._stop_before(piece)
                break
            self._take(piece, gathering)
            if gathering and len(self.entries) >= MOST and index + 1 < len(self._pieces):
                self._stop_before(self._pieces[index + 1])
            yield None
        self.entries = [each for each in self.entries if each[1].time > self.complete_from]
        self.entries.sort(key=lambda each: (each[1].time, each[0], each[1].seq))

    def _stop_before(self, piece: Piece) -> None:
        """Entries of this and later pieces are not gathered: only what is newer than all of them is complete."""
        if self.complete_from == -math.inf:
            self.complete_from = piece.last

    def _take(self, piece: Piece, gathering: bool) -> None:
        for entry in piece.entries():
            if not self._since <= entry.time <= self._until or not self._query.matches(piece.key, entry):
                continue
            if self._pictured <= entry.time < self._counted_from:
                self._tally.add(entry.time, entry.op)
            if gathering:
                self.entries.append((piece.key, entry))
