"""Bursts: rapid entries of one object, or of one owner's objects, form one line of the feed.

Only the entries' times decide, so every viewer of the same feed sees the same folds. The counts of a line lose nothing.
"""

from __future__ import annotations

from collections.abc import Hashable

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry, Operation

BURST_GAP = 2.0
"""Seconds after which the next entry starts another burst."""
BURST_MAX_SECONDS = 10.0
"""Longest burst, in seconds; later entries form the next line."""
BURST_MIN = 5
"""Entries from which a burst is one line; fewer are shown individually."""
FIRST_LATE_NUMBER = 500_000
"""Number in the ids of entries that come after later ones, so that it is no other's of that moment."""
OPERATIONS: tuple[Operation, ...] = ("added", "modified", "deleted")
_WEIGHT = {"bad": 2, "warn": 1}

ItemState = str
"""waiting (to be shown), shown, out (counted only), merged (part of another line)."""


class FeedItem:
    """A line of the feed: one entry, or a burst. Lines are ordered by `id`, which starts with what orders their first
    entry.

    `number` tells entries of one kind and time apart. The worker's own numbers do not stand in it: they count the
    changes of all objects, those too that somebody may not see.
    """

    __slots__ = ("counts", "first", "id", "kind", "last", "shown_count", "size", "state", "uids", "worst")

    def __init__(self, kind: KindInfo, entry: Entry, number: int = 0) -> None:
        self.id = line_id(kind, entry, number)
        self.kind = kind
        self.first = self.last = self.worst = entry
        self.size = 1
        """Entries."""
        self.counts = {entry.op: 1}
        self.uids = {entry.uid}
        self.shown_count = 0
        """Number of its entries that were shown, also as part of a fold."""
        self.state: ItemState = "waiting"

    @property
    def is_burst(self) -> bool:
        return self.size > 1

    @property
    def is_urgent(self) -> bool:
        """Whether any entry has a problem."""
        return self.worst.tone in _WEIGHT

    def add(self, entry: Entry) -> None:
        """Add one entry of the burst."""
        self.last = entry
        if _WEIGHT.get(entry.tone, 0) >= _WEIGHT.get(self.worst.tone, 0):
            self.worst = entry
        self.size += 1
        self.counts[entry.op] = self.counts.get(entry.op, 0) + 1
        self.uids.add(entry.uid)


class Burst:
    """Rapid entries of one group, up to now."""

    __slots__ = ("begin", "folded_item", "last", "singles")

    def __init__(self, item: FeedItem) -> None:
        self.begin = self.last = item.first.time
        self.singles = [item]
        """Its lines, while they are too few to fold."""
        self.folded_item: FeedItem | None = None
        """The line into which they are folded."""


class BurstFolder:
    """Folds entries, which come in their order, into lines. The cost is independent of the total."""

    def __init__(self, *, is_folding: bool = True) -> None:
        self._fold = is_folding
        self._bursts: dict[Hashable, Burst] = {}
        """Open bursts by group, in the order in which they started."""
        self._numbers: dict[str, tuple[int, int]] = {}
        """By kind, the latest microsecond of its entries, and how many entries of it came before the last."""
        self._late_entries = 0
        """Number of entries that came after later ones."""

    def add(self, kind: KindInfo, entry: Entry) -> tuple[FeedItem, list[FeedItem]]:
        """The line that now contains this entry, and the lines that have become part of it."""
        number = self._number(kind, entry)
        if not self._fold:
            return FeedItem(kind, entry, number), []
        self._forget(entry)
        group = burst_group(kind.key, entry)
        burst = self._bursts.get(group)
        if burst is None or _since(burst.last, entry) > BURST_GAP or _since(burst.begin, entry) > BURST_MAX_SECONDS:
            self._bursts.pop(group, None)
            item = FeedItem(kind, entry, number)
            self._bursts[group] = Burst(item)
            return item, []
        burst.last = max(burst.last, entry.time)
        if burst.folded_item is not None:
            burst.folded_item.add(entry)
            return burst.folded_item, []
        if len(burst.singles) + 1 < BURST_MIN:
            item = FeedItem(kind, entry, number)
            burst.singles.append(item)
            return item, []
        first, *others = burst.singles
        for other in others:
            first.add(other.first)
            first.shown_count += other.shown_count
        first.add(entry)
        burst.folded_item, burst.singles = first, []
        return first, others

    def _number(self, kind: KindInfo, entry: Entry) -> int:
        last, number = self._numbers.get(kind.key, (0, 0))
        now = _microseconds(entry)
        if now < last:
            self._late_entries += 1
            return FIRST_LATE_NUMBER + self._late_entries
        number = number + 1 if now == last else 0
        self._numbers[kind.key] = now, number
        return number

    def _forget(self, entry: Entry) -> None:
        """Drop bursts that no further entry can join."""
        while self._bursts:
            group, burst = next(iter(self._bursts.items()))
            if _since(burst.begin, entry) <= BURST_MAX_SECONDS:
                return
            del self._bursts[group]


def line_id(kind: KindInfo, entry: Entry, number: int = 0) -> str:
    """Id of the line that begins with an entry, see FeedItem."""
    return f"e{_microseconds(entry):016d}-{kind.key.replace('.', '_')}-{number:06d}"


def _since(moment: float, entry: Entry) -> float:
    """Seconds from a moment to an entry; in either direction where the clock was set back."""
    seconds = entry.time - moment
    return abs(seconds) if entry.behind else seconds


def _microseconds(entry: Entry) -> int:
    return int(entry.ordered_at * 1e6)


def burst_group(key: str, entry: Entry) -> Hashable:
    """Group of an entry: its object's controller, the object of an Event, else its object."""
    if entry.owner:
        return key, entry.namespace, "owner", entry.owner
    if entry.about is not None:
        return key, entry.about.namespace, entry.about.kind, entry.about.name
    return key, entry.namespace, "", entry.name
