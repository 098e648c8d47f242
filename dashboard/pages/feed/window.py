"""The lines of the feed that a page shows: sampled past reading speed, with nothing lost from the counts."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterable

from dashboard.live.feed_folds import FeedItem, Folds
from dashboard.live.messages import Entry
from dashboard.live.swaps import AT_ONCE
from dashboard.resources.kinds import KindInfo

GROWN = 1 / 3
"""Of the lines that one update brings or changes, folds that have grown, where new ones fill the rest."""


class Shown:
    """At most `most` lines, newest first. Of `seen` entries that have come since it began, `told` are in a line that is
    shown, or was until newer ones pushed it out.

    Nothing here takes longer because there were many.
    """

    def __init__(self, most: int, *, fold: bool) -> None:
        self.seen = 0
        self.told = 0
        self._most = most
        self._folds = Folds(fold=fold)
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
    def behind(self) -> bool:
        """Whether there are folds that have grown and were not told."""
        return bool(self._grown)

    @property
    def waiting(self) -> int:
        """Lines that are to be brought or changed."""
        return len(self._waiting) + len(self._grown)

    @property
    def coming(self) -> int:
        """Entries in those lines that were not told."""
        return sum(item.size - item.told for each in (self._waiting, self._grown) for item in each.values())

    def begin(self, entries: Iterable[tuple[KindInfo, Entry]]) -> None:
        """What there was before anything came, in the order of time; it counts as neither seen nor told."""
        for kind, entry in entries:
            self._place(kind, entry)
        for item in sorted(self._waiting.values(), key=_id)[-self._most :]:
            item.state = "shown"
            self._lines.append(item)
        for item in self._waiting.values():
            item.told = item.size
            item.state = item.state if item.state == "shown" else "out"
        self._forget()

    def add(self, kind: KindInfo, entry: Entry) -> None:
        """One more entry."""
        self.seen += 1
        self._place(kind, entry)

    def take(self, room: int = AT_ONCE) -> tuple[list[FeedItem], list[str]]:
        """The lines to bring or change now, newest first, and the ids of those to take away.

        Where there are more new ones than `room`, what is wrong comes before what is not, and newer before older;
        those that are left out are not brought later. Folds that have grown wait for their turn.
        """
        waiting = self._shown_soon()
        grown = list(self._grown.values())[: max(math.ceil(room * GROWN), room - len(waiting))]
        for item in grown:
            del self._grown[item.id]
        chosen = waiting
        if len(waiting) > room - len(grown):
            chosen = sorted(waiting, key=lambda item: (item.urgent, item.id), reverse=True)[: room - len(grown)]
        for item in waiting:
            item.state = "out"
        for item in chosen:
            item.state = "shown"
            insort(self._lines, item, key=_id)
        gone, self._gone = self._gone, []
        for item in self._lines[: -self._most]:
            item.state = "out"
            self._grown.pop(item.id, None)
        del self._lines[: -self._most]
        for item in (*grown, *chosen):
            self.told += item.size - item.told
            item.told = item.size
        self._waiting.clear()
        return sorted((*grown, *chosen), key=_id, reverse=True), gone

    def take_all(self) -> None:
        """As if everything had been brought, as much as there is room for."""
        while self._waiting or self._grown or self._gone:
            self.take(self._most)

    def drop_before(self, moment: float) -> bool:
        """Take away the lines that ended before `moment`, Unix seconds; whether there were any."""
        old = [item for item in self._lines if item.last.time < moment]
        for item in old:
            self._leave(item)
        return bool(old)

    def _shown_soon(self) -> list[FeedItem]:
        """Those that wait and are not older than everything on a page that is full."""
        if len(self._lines) < self._most:
            return list(self._waiting.values())
        oldest = self._lines[0].id
        return [item for item in self._waiting.values() if item.id > oldest]

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
