"""Feed lines in an open page: sampled above reading speed, with exact counts."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterable

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.feed.bursts import BurstFolder, FeedItem
from dashboard.pages.feed.refresh_rate import MAX_SWAP_LINES
from dashboard.runtime.time_slicing import SlicedWork

SLICE = 100
"""Entries that become lines at a time: a millisecond or two."""
GROWN_SHARE = 1 / 3
"""Share of an update for folds that have grown, where new lines fill the rest."""


class FeedWindow:
    """At most `max_lines` lines, newest first. Of `seen_count` entries since the start, `shown_count` are in a line
    that is shown, or was shown until newer ones replaced it.

    The cost is independent of the number of earlier entries.
    """

    def __init__(self, max_lines: int, *, fold: bool) -> None:
        self.seen_count = 0
        self.shown_count = 0
        self.left_out_until = -math.inf
        """Unix seconds of the newest entry of the lines that are not here because newer ones have filled it."""
        self._most = max_lines
        self._folds = BurstFolder(is_folding=fold)
        self._lines: list[FeedItem] = []
        """Oldest first."""
        self._waiting: dict[str, FeedItem] = {}
        self._grown: dict[str, FeedItem] = {}
        self._gone: list[str] = []

    @property
    def lines(self) -> list[FeedItem]:
        """Newest first."""
        return self._lines[::-1]

    @property
    def has_stale_bursts(self) -> bool:
        """Whether folds have grown since they were sent."""
        return bool(self._grown)

    @property
    def pending_line_count(self) -> int:
        """Number of lines to insert or change."""
        return len(self._waiting) + len(self._grown)

    @property
    def pending_count(self) -> int:
        """Number of unsent entries in those lines."""
        return sum(item.size - item.shown_count for each in (self._waiting, self._grown) for item in each.values())

    def begin(self, entries: Iterable[tuple[KindInfo, Entry]]) -> SlicedWork:
        """Start with earlier entries, in the order of time; they count as neither seen nor shown. Yields after each
        SLICE entries.
        """
        for number, (kind, entry) in enumerate(entries):
            self._place(kind, entry)
            if number % SLICE == SLICE - 1:
                yield None
        items = sorted(self._waiting.values(), key=_id)
        self._leave_out(items[: -self._most])
        for item in items[-self._most :]:
            item.state = "shown"
            self._lines.append(item)
        for item in self._waiting.values():
            item.shown_count = item.size
            item.state = item.state if item.state == "shown" else "out"
        self._forget()

    def add(self, kind: KindInfo, entry: Entry) -> None:
        """Add one entry."""
        self.seen_count += 1
        self._place(kind, entry)

    def take_update(self, room: int = MAX_SWAP_LINES) -> tuple[list[FeedItem], list[str]]:
        """The lines to insert or change now, newest first, and the ids of the lines to remove.

        Where there are more new lines than `room`, problems come first, then newer lines; the rest is never sent. Folds
        that have grown wait for their turn.
        """
        waiting = self._shown_soon()
        grown = list(self._grown.values())[: max(math.ceil(room * GROWN_SHARE), room - len(waiting))]
        for item in grown:
            del self._grown[item.id]
        chosen = waiting
        if len(waiting) > room - len(grown):
            chosen = sorted(waiting, key=lambda item: (item.is_urgent, item.id), reverse=True)[: room - len(grown)]
        for item in waiting:
            item.state = "out"
        for item in chosen:
            item.state = "shown"
            insort(self._lines, item, key=_id)
        gone, self._gone = self._gone, []
        for item in self._lines[: -self._most]:
            item.state = "out"
            self._grown.pop(item.id, None)
        self._leave_out(self._lines[: -self._most])
        del self._lines[: -self._most]
        for item in (*grown, *chosen):
            self.shown_count += item.size - item.shown_count
            item.shown_count = item.size
        self._waiting.clear()
        return sorted((*grown, *chosen), key=_id, reverse=True), gone

    def flush(self) -> None:
        """Mark everything as sent, as much as there is room for."""
        while self._waiting or self._grown or self._gone:
            self.take_update(self._most)

    def drop_before(self, moment: float) -> bool:
        """Remove the lines that ended before `moment`, Unix seconds; returns whether there were any."""
        old = [item for item in self._lines if item.last.time < moment]
        for item in old:
            self._leave(item)
        return bool(old)

    def _shown_soon(self) -> list[FeedItem]:
        """Waiting lines that are not older than all lines of a full page."""
        if len(self._lines) < self._most:
            return list(self._waiting.values())
        oldest = self._lines[0].id
        self._leave_out(item for item in self._waiting.values() if item.id <= oldest)
        return [item for item in self._waiting.values() if item.id > oldest]

    def _leave_out(self, items: Iterable[FeedItem]) -> None:
        self.left_out_until = max([self.left_out_until, *(item.last.time for item in items)])

    def _place(self, kind: KindInfo, entry: Entry) -> None:
        item, merged = self._folds.add(kind, entry)
        for other in merged:
            if other.state == "shown":
                self._leave(other)
            self._waiting.pop(other.id, None)
            other.state = "merged"
        if item.state == "shown":
            self._grown[item.id] = item
        else:
            item.state = "waiting"
            self._waiting[item.id] = item

    def _leave(self, item: FeedItem) -> None:
        item.state = "out"
        self._grown.pop(item.id, None)
        del self._lines[bisect_left(self._lines, item.id, key=_id)]
        self._gone.append(item.id)

    def _forget(self) -> None:
        self._waiting.clear()
        self._grown.clear()
        self._gone.clear()


def _id(item: FeedItem) -> str:
    return item.id
