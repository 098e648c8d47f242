"""Bursts: entries of one object, or of one owner's objects, that come fast are one line of the feed.

Which those are follows from the entries' times alone, so everybody who sees the same feed sees the same folds. Nothing
is lost from a line's counts.
"""

from __future__ import annotations

from collections.abc import Hashable

from dashboard.live.messages import Entry, Operation
from dashboard.resources.kinds import KindInfo

GAP = 2.0
"""Seconds after which the next entry begins another burst."""
LONGEST = 10.0
"""Seconds that a burst lasts at most; what goes on is the next line."""
FROM = 5
"""Entries of a burst that are one line; fewer are shown each by itself."""
OPERATIONS: tuple[Operation, ...] = ("added", "modified", "deleted")
_WEIGHT = {"bad": 2, "warn": 1}

State = str
"""waiting (to be shown), shown, out (counted only), merged (part of another line)."""


class FeedItem:
    """A line of the feed: one entry, or a burst. Lines are ordered by `id`, which begins with their first moment."""

    __slots__ = ("counts", "first", "id", "kind", "last", "size", "state", "told", "uids", "worst")

    def __init__(self, kind: KindInfo, entry: Entry) -> None:
        self.id = f"e{int(entry.time * 1e6):016d}-{kind.key.replace('.', '_')}-{entry.seq:09d}"
        self.kind = kind
        self.first = self.last = self.worst = entry
        self.size = 1
        """Entries."""
        self.counts = {entry.op: 1}
        self.uids = {entry.uid}
        self.told = 0
        """How many of its entries somebody was shown, be it as part of a fold."""
        self.state: State = "waiting"

    @property
    def is_fold(self) -> bool:
        return self.size > 1

    @property
    def urgent(self) -> bool:
        """Whether something in it is wrong."""
        return self.worst.tone in _WEIGHT

    def add(self, entry: Entry) -> None:
        """One more entry of the burst."""
        self.last = entry
        if _WEIGHT.get(entry.tone, 0) >= _WEIGHT.get(self.worst.tone, 0):
            self.worst = entry
        self.size += 1
        self.counts[entry.op] = self.counts.get(entry.op, 0) + 1
        self.uids.add(entry.uid)


class Burst:
    """Entries of one group that came fast, as far as the present one."""

    __slots__ = ("begin", "item", "last", "singles")

    def __init__(self, item: FeedItem) -> None:
        self.begin = self.last = item.first.time
        self.singles = [item]
        """Its lines, while they are too few to be folded."""
        self.item: FeedItem | None = None
        """The line that they are folded into."""


class Folds:
    """Makes lines of entries, which come in the order of their times. Costs the same however many there were."""

    def __init__(self, *, fold: bool = True) -> None:
        self._fold = fold
        self._bursts: dict[Hashable, Burst] = {}
        """By group, in the order in which they began."""

    def add(self, kind: KindInfo, entry: Entry) -> tuple[FeedItem, list[FeedItem]]:
        """The line that has this entry now, and those that have become part of it."""
        if not self._fold:
            return FeedItem(kind, entry), []
        self._forget(entry.time)
        group = group_of(kind.key, entry)
        burst = self._bursts.get(group)
        if burst is None or entry.time - burst.last > GAP or entry.time - burst.begin > LONGEST:
            self._bursts.pop(group, None)
            item = FeedItem(kind, entry)
            self._bursts[group] = Burst(item)
            return item, []
        burst.last = max(burst.last, entry.time)
        if burst.item is not None:
            burst.item.add(entry)
            return burst.item, []
        if len(burst.singles) + 1 < FROM:
            item = FeedItem(kind, entry)
            burst.singles.append(item)
            return item, []
        first, *others = burst.singles
        for other in others:
            first.add(other.first)
            first.told += other.told
        first.add(entry)
        burst.item, burst.singles = first, []
        return first, others

    def _forget(self, now: float) -> None:
        """Let go of bursts to which nothing can belong any more."""
        while self._bursts:
            group, burst = next(iter(self._bursts.items()))
            if now - burst.begin <= LONGEST:
                return
            del self._bursts[group]


def group_of(key: str, entry: Entry) -> Hashable:
    """What an entry is folded by: its object's controller, the object of an Event, else its object."""
    if entry.owner:
        return key, entry.namespace, "owner", entry.owner
    if entry.about is not None:
        return key, entry.about.namespace, entry.about.kind, entry.about.name
    return key, entry.namespace, "", entry.name
