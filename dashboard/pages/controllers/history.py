"""The last 15 minutes of a controller, kept by its worker so that they are there when a page is opened first."""

from __future__ import annotations

from collections import deque

from dashboard.controllers.messages import History
from informerd.controller.state import ControllerState

SPAN = 15 * 60
"""Seconds kept."""
STEP = 5
"""Seconds of one step; SPAN is a multiple."""
RATE_SPAN = 10.0
"""Seconds over which "31 a second" is measured."""
FAILURES = frozenset({"error", "terminal", "panic", "timeout"})
"""Outcomes that count as failed."""

Totals = tuple[int, int]
"""Reconciles that ended and those that failed, since the controller began."""


class Recorder:
    """Looks at a controller's state now and then, once a second at best, and remembers what it saw by step."""

    def __init__(self) -> None:
        self._steps: dict[int, tuple[int, int, int]] = {}
        """Depth, ended and failed, by the Unix second at which the step began."""
        self._totals: Totals = (0, 0)
        self._looks: deque[tuple[float, int]] = deque()
        """Moments and how many reconciles had ended by then, as far as the rate needs them."""
        self._ended = 0
        self._began: int | None = None
        """The first step."""

    def look(self, state: ControllerState, now: float) -> None:
        """Take in how the controller is at Unix time `now`."""
        totals = totals_of(state)
        ended, failed = _since(self._totals, totals)
        self._totals = totals
        begin = int(now) // STEP * STEP
        self._began = begin if self._began is None else self._began
        depth_before, ended_before, failed_before = self._steps.get(begin, (0, 0, 0))
        self._steps[begin] = (max(depth_before, state.queue.depth), ended_before + ended, failed_before + failed)
        self._forget(begin)
        self._ended += ended
        self._looks.append((now, self._ended))
        while len(self._looks) > 1 and not now - RATE_SPAN <= self._looks[0][0] <= now:  # clocks are set back, too
            self._looks.popleft()

    def history(self, now: float) -> History:
        """The steps from the first look, or from 15 minutes ago, up to the one that holds Unix time `now`."""
        last = int(now) // STEP * STEP
        begin = max(last - SPAN + STEP, last if self._began is None else min(self._began, last))
        steps = [self._steps.get(at, (0, 0, 0)) for at in range(begin, last + 1, STEP)]
        depth, ended, failed = zip(*steps, strict=True)
        return History(begin, STEP, depth, ended, failed, self._rate())

    def _rate(self) -> float:
        if len(self._looks) < 2:
            return 0.0
        (first, before), (last, after) = self._looks[0], self._looks[-1]
        return (after - before) / (last - first) if last > first else 0.0

    def _forget(self, newest: int) -> None:
        for begin in [begin for begin in self._steps if begin <= newest - SPAN]:
            del self._steps[begin]


def totals_of(state: ControllerState) -> Totals:
    """How many reconciles have ended and how many of them failed."""
    failed = sum(count for outcome, count in state.reconciles.items() if outcome in FAILURES)
    return sum(state.reconciles.values()), failed


def _since(before: Totals, now: Totals) -> Totals:
    """What came on top. A controller that was made anew counts from 0."""
    if now[0] < before[0]:
        return now
    return now[0] - before[0], max(0, now[1] - before[1])
