"""Which lines of the feed a replica has told: each change once, whichever worker says it, or counted as missed.

Two workers say the same change each under its own epoch and number. What is common to both is the object's uid and
resourceVersion, and that both see the changes of a kind in one order, the API server's.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence

from dashboard.live.messages import Entry
from dashboard.live.rates import SPAN, Rate

OVERLAP = 10.0
"""Seconds by which two workers may say the same change apart, their clocks included."""
MOST = 20_000
"""Changes of the last OVERLAP seconds that are remembered at most: 2,000 a second."""
MOST_EPOCHS = 16
"""Workers whose last number is remembered: those followed last."""

Untold = tuple[float, float]
"""Unix seconds from when to when no worker told what changed; from 0: since ever."""


class Telling:
    """Of one replica. It hears of each switch to another worker, of all that is said, and up to when it is whole."""

    def __init__(self) -> None:
        self.through: float | None = None
        """Unix seconds up to which every change was told or counted: when the worker followed last was up to date."""
        self._through_epoch = ""
        self._epoch = ""
        self._switched = False
        """Whether nothing was taken of the worker that is followed now."""
        self._told_from = 0.0
        """Since when the worker followed now tells changes."""
        self._waits = False
        """Whether the worker followed does not tell changes yet: its first list is under way."""
        self._last: dict[str, int] = {}
        """By epoch, the number of its last entry that was told or counted; the latest last, MOST_EPOCHS at most."""
        self._recent: OrderedDict[tuple[str, str], Entry] = OrderedDict()
        """What was told of late: the object's uid with its version, or without one where it was deleted."""
        self._counted: deque[tuple[float, int]] = deque(maxlen=100)
        """What was counted as missed: before when, and how many."""

    def follow(self, epoch: str, told_from: float | None) -> Untold | None:
        """From here on the worker of `epoch` is followed, which tells changes since `told_from`: what nobody told."""
        if epoch == self._epoch:
            return self._begun(told_from) if self._waits and told_from is not None else None
        first = not self._epoch
        self._epoch, self._switched = epoch, True
        self._told_from, self._waits = told_from or 0.0, told_from is None
        through = self.through
        if told_from is None or (through is not None and told_from <= through):
            return None
        self.through, self._through_epoch = told_from, epoch
        return None if first else (through or 0.0, told_from)

    def _begun(self, told_from: float) -> Untold | None:
        """The worker followed has listed since it was taken up, and no frame that was heard has said so."""
        self._told_from, self._waits = told_from, False
        through = self.through
        if through is not None and told_from <= through:
            return None
        self.through, self._through_epoch = told_from, self._epoch
        return through or 0.0, told_from

    def whole(self, moment: float) -> Untold | None:
        """The worker followed is up to date at this moment, and all of it was taken: what nobody had told before."""
        untold = (self.through or 0.0, moment) if self._waits else None
        self._waits = False
        self.through, self._through_epoch = moment, self._epoch
        self._forget()
        return untold

    def take(self, entries: Sequence[Entry], rates: Iterable[Rate] = ()) -> tuple[list[Entry], int]:
        """Those entries of a frame or a snapshot that are to be told, and how many before them never came.

        `rates` are the snapshot's. A change that another worker has told is not told again; where there is such a one
        the two overlap, and what lies before it was told by the other, for both have the same order.
        """
        switched, self._switched = self._switched, False
        if not entries:
            return [], 0
        epoch, last = entries[-1].epoch, self._last.get(entries[-1].epoch, 0)
        later = [entry for entry in entries if entry.seq > last]
        if not later:
            return [], 0
        self._heard(epoch, later[-1].seq)
        new = [entry for entry in later if not self._known(entry)]
        gap = later[0].seq - last - 1
        missed = 0
        if gap and len(new) == len(later):
            missed = self._untold(later, gap, rates) if switched else gap
            self._counted.append((later[0].time, missed))
        self._remember(new, later[-1].time)
        return new, missed

    def _heard(self, epoch: str, number: int) -> None:
        self._last.pop(epoch, None)
        self._last[epoch] = number
        if len(self._last) > MOST_EPOCHS:
            del self._last[next(iter(self._last))]

    def _remember(self, new: Iterable[Entry], last: float) -> None:
        """These were told, and every change up to `last` was told or counted."""
        for entry in new:
            self._recent[_change(entry)] = entry
            self._recent.move_to_end(_change(entry))
        self.through, self._through_epoch = max(self.through or 0.0, last), self._epoch

    def _known(self, entry: Entry) -> bool:
        """Whether another worker has told this change, or was followed and up to date long after it."""
        same = self._recent.get(_change(entry))
        if same is not None:
            return same.epoch != entry.epoch
        return self._is_another(entry) and entry.time < (self.through or 0.0) - OVERLAP

    def _is_another(self, entry: Entry) -> bool:
        """Whether it is of another worker than the one that was up to date last."""
        return entry.epoch != self._through_epoch

    def _untold(self, later: Sequence[Entry], gap: int, rates: Iterable[Rate]) -> int:
        """How many of the gap before the first entries after a switch nobody told: it begins where the other ended."""
        if self.through is None:
            return gap
        begin = max(int(self.through), self._told_from)
        if later[-1].time - begin < SPAN:
            gap = min(gap, sum(sum(counts) for second, *counts in rates if second >= int(begin)) - len(later))
        told = sum(entry.epoch != later[0].epoch and entry.time >= begin for entry in self._recent.values())
        counted = sum(number for moment, number in self._counted if moment >= begin)
        return max(0, gap - told - counted)

    def _forget(self) -> None:
        """What is older than OVERLAP was told, whoever says it."""
        oldest = (self.through or 0.0) - OVERLAP - 1
        while self._recent and (len(self._recent) > MOST or next(iter(self._recent.values())).time < oldest):
            self._recent.popitem(last=False)


def _change(entry: Entry) -> tuple[str, str]:
    return entry.uid, "" if entry.op == "deleted" else entry.version
