"""Deduplication of feed lines: each change is reported once, whichever worker sends it, or counted as missed.

Two workers send the same change each under its own epoch and number. Common to both are the object's uid and
resourceVersion, and the order of a kind's changes, which is the API server's.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence

from dashboard.live.replication.change_rates import RATES_SECONDS, Rate
from dashboard.objects.kinds.feed_entry import Entry

OVERLAP = 10.0
"""Maximum seconds between two workers' reports of the same change, clock differences included."""
MAX_RECENT = 20_000
"""Maximum number of changes of the last OVERLAP seconds that are remembered: 2,000 a second."""
MAX_EPOCHS = 16
"""Workers whose last number is remembered: the ones followed last."""

UnannouncedPeriod = tuple[float, float]
"""Unix seconds from when to when no worker reported changes; from 0: always."""


class EntryDeduplicator:
    """Deduplicator of one replica, which reports each switch to another worker (`follow`), each frame
    (`deduplicate`), and up to when frames are complete (`mark_current`).
    """

    def __init__(self) -> None:
        self.announced_through: float | None = None
        """Unix seconds up to which every change was reported or counted: when the last followed worker was up
        to date.
        """
        self._through_epoch = ""
        self._epoch = ""
        self._switched = False
        """Whether nothing was taken from the followed worker yet."""
        self._announced_from = 0.0
        """Since when the followed worker reports changes."""
        self._waits = False
        """Whether the followed worker does not report changes yet: its first list is loading."""
        self._through_before = 0.0
        """`announced_through` of before a worker that waits, whose own changes may come a moment before it says that it
        has listed.
        """
        self._first_taken: float | None = None
        """Time of the first change that was taken from a worker that waits."""
        self._last: dict[str, int] = {}
        """By epoch, the number of its last entry that was reported or counted; the latest last, at most MAX_EPOCHS."""
        self._recent: OrderedDict[tuple[str, str], Entry] = OrderedDict()
        """Recently reported changes: the object's uid with its version, or without one where it was deleted."""
        self._counted: deque[tuple[float, int]] = deque(maxlen=100)
        """Changes counted as missed: before when, and how many."""

    def follow(self, epoch: str, announced_from: float | None) -> UnannouncedPeriod | None:
        """Follow the worker of `epoch`, which reports changes since `announced_from`. Returns the unreported span."""
        if epoch == self._epoch:
            return self._note_listed(announced_from) if self._waits and announced_from is not None else None
        first = not self._epoch
        self._epoch, self._switched = epoch, True
        self._announced_from, self._waits = announced_from or 0.0, announced_from is None
        through = self.announced_through
        self._through_before, self._first_taken = through or 0.0, None
        if announced_from is None or (through is not None and announced_from <= through):
            return None
        self.announced_through, self._through_epoch = announced_from, epoch
        return None if first else (through or 0.0, announced_from)

    def _note_listed(self, told_from: float) -> UnannouncedPeriod | None:
        """The followed worker has listed since it was followed, and no received frame has said so."""
        self._announced_from, self._waits = told_from, False
        if told_from <= self._through_before:
            return None
        self.announced_through = max(self.announced_through or 0.0, told_from)
        self._through_epoch = self._epoch
        return self._through_before, told_from

    def mark_current(self, moment: float) -> UnannouncedPeriod | None:
        """The followed worker is up to date now, and all it sent was taken. Returns the unreported spans."""
        listed_at = moment if self._first_taken is None else min(self._first_taken, moment)
        untold = (self._through_before, listed_at) if self._waits and listed_at > self._through_before else None
        self._waits = False
        self.announced_through, self._through_epoch = moment, self._epoch
        self._forget()
        return untold

    def deduplicate(self, entries: Sequence[Entry], rates: Iterable[Rate] = ()) -> tuple[list[Entry], int]:
        """The entries of a frame or a snapshot that are to be reported, and how many before them were lost.

        `rates` are the snapshot's. A change that another worker has reported is not reported again; where there is such
        a change the two workers overlap, and what lies before it was reported by the other, for both have the same
        order.
        """
        switched, self._switched = self._switched, False
        if not entries:
            return [], 0
        epoch, last = entries[-1].epoch, self._last.get(entries[-1].epoch, 0)
        later = [entry for entry in entries if entry.seq > last]
        if not later:
            return [], 0
        if self._waits and self._first_taken is None and epoch == self._epoch:
            self._first_taken = later[0].time
        self._record(epoch, later[-1].seq)
        new = [entry for entry in later if not self._known(entry)]
        gap = later[0].seq - last - 1
        missed = 0
        if gap and len(new) == len(later):
            missed = self._untold(later, gap, rates) if switched else gap
            self._counted.append((later[0].time, missed))
        self._remember(new, later[-1].time)
        return new, missed

    def _record(self, epoch: str, number: int) -> None:
        self._last.pop(epoch, None)
        self._last[epoch] = number
        if len(self._last) > MAX_EPOCHS:
            del self._last[next(iter(self._last))]

    def _remember(self, new: Iterable[Entry], last: float) -> None:
        """These entries were reported, and every change up to `last` was reported or counted."""
        for entry in new:
            self._recent[change_id(entry)] = entry
            self._recent.move_to_end(change_id(entry))
        self.announced_through, self._through_epoch = max(self.announced_through or 0.0, last), self._epoch

    def _known(self, entry: Entry) -> bool:
        """Whether another worker has reported this change, or was followed and up to date long after it."""
        same = self._recent.get(change_id(entry))
        if same is not None:
            return same.epoch != entry.epoch
        return self._is_another(entry) and entry.time < (self.announced_through or 0.0) - OVERLAP

    def _is_another(self, entry: Entry) -> bool:
        """Whether it belongs to another worker than the one that was up to date last."""
        return entry.epoch != self._through_epoch

    def _untold(self, later: Sequence[Entry], gap: int, rates: Iterable[Rate]) -> int:
        """Number of entries in the gap before the first entries after a switch that nobody reported."""
        if self.announced_through is None:
            return gap
        begin = max(int(self.announced_through), self._announced_from)
        if later[-1].time - begin < RATES_SECONDS:
            gap = min(gap, sum(sum(counts) for second, *counts in rates if second >= int(begin)) - len(later))
        reported = sum(entry.epoch != later[0].epoch and entry.time >= begin for entry in self._recent.values())
        counted = sum(number for moment, number in self._counted if moment >= begin)
        return max(0, gap - reported - counted)

    def _forget(self) -> None:
        """Drop what is older than OVERLAP."""
        oldest = (self.announced_through or 0.0) - OVERLAP - 1
        while self._recent and (len(self._recent) > MAX_RECENT or next(iter(self._recent.values())).time < oldest):
            self._recent.popitem(last=False)


def change_id(entry: Entry) -> tuple[str, str]:
    """Of one change the same in all workers' reports: the object's uid, and its version unless it was deleted."""
    return entry.uid, "" if entry.op == "deleted" else entry.version
