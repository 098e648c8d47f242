"""Change counts over a span of time, in steps, for the feed's histogram and sums."""

from __future__ import annotations

from dashboard.live.rendering.charts import RATE_WINDOW, OperationCounts
from dashboard.objects.kinds.feed_entry import Operation
from dashboard.pages.feed.time_range import TARGET_BARS, step_for

_PLACE: dict[Operation, int] = {"added": 0, "modified": 1, "deleted": 2}


class Tally:
    """Counts by steps of `step` seconds. Steps become coarser when the span has more than 2 * TARGET_BARS of them."""

    def __init__(self, seconds: float) -> None:
        self.step = step_for(seconds)
        self._steps: dict[int, list[int]] = {}

    def add(self, moment: float, op: Operation, number: int = 1) -> None:
        """Count changes at `moment`, Unix seconds."""
        counts = self._steps.get(int(moment // self.step))
        if counts is None:
            counts = self._steps[int(moment // self.step)] = [0, 0, 0]
        counts[_PLACE[op]] += number

    def sums(self, begin: float, end: float) -> tuple[list[OperationCounts], int]:
        """The counts of each step from `begin` to `end`, and the Unix second at which the first step starts."""
        while end // self.step - begin // self.step >= 2 * TARGET_BARS:
            self._coarsen()
        first, last = int(begin // self.step), int(end // self.step)
        for step in [step for step in self._steps if step < first - TARGET_BARS]:
            del self._steps[step]
        nothing = (0, 0, 0)
        steps = (self._steps.get(step, nothing) for step in range(first, last + 1))
        return [(added, modified, deleted) for added, modified, deleted in steps], first * self.step

    def _coarsen(self) -> None:
        """Double the length of a step."""
        self.step *= 2
        before, self._steps = self._steps, {}
        for step, counts in before.items():
            joined = self._steps.setdefault(step // 2, [0, 0, 0])
            for place, count in enumerate(counts):
                joined[place] += count


class RateCounter:
    """Rate in changes a second, over the last RATE_WINDOW whole seconds."""

    def __init__(self) -> None:
        self._seconds: dict[int, int] = {}

    def add(self, moment: float, number: int = 1) -> None:
        """Count changes at `moment`, Unix seconds."""
        second = int(moment)
        self._seconds[second] = self._seconds.get(second, 0) + number
        if len(self._seconds) > 2 * RATE_WINDOW:
            for old in [each for each in self._seconds if each < second - RATE_WINDOW]:
                del self._seconds[old]

    def per_second(self, now: float) -> float:
        last = int(now)
        return sum(self._seconds.get(second, 0) for second in range(last - RATE_WINDOW, last)) / RATE_WINDOW
