"""Last 15 minutes of a controller, recorded by its worker so that a newly opened page has them."""

from __future__ import annotations

from collections import deque

from dashboard.pages.controllers.worker_messages import History
from informerd.controller.state import ControllerState

HISTORY_SECONDS = 15 * 60
"""Recorded span, in seconds."""
STEP_SECONDS = 5
"""Seconds of one step; HISTORY_SECONDS is a multiple of it."""
RATE_WINDOW = 10.0
"""Seconds over which the rate is measured."""
FAILED_OUTCOMES = frozenset({"error", "terminal", "panic", "timeout"})
"""Outcomes that count as failed."""

Totals = tuple[int, int]
"""Reconciles that ended and those that failed, since the controller started."""


class HistoryRecorder:
    """Samples a controller's state, at most once a second, and stores the samples by step."""

    def __init__(self) -> None:
        self._steps: dict[int, tuple[int, int, int]] = {}
        """Depth, ended and failed, by the Unix second at which the step starts."""
        self._totals: Totals = (0, 0)
        self._samples: deque[tuple[float, int]] = deque()
        """Samples for the rate: times, each with the number of reconciles that had ended by then."""
        self._ended = 0
        self._began: int | None = None
        """The first step."""

    def observe(self, state: ControllerState, now: float) -> None:
        """Sample the controller at Unix time `now`."""
        totals = totals_of(state)
        ended, failed = _since(self._totals, totals)
        self._totals = totals
        begin = int(now) // STEP_SECONDS * STEP_SECONDS
        self._began = begin if self._began is None else self._began
        depth_before, ended_before, failed_before = self._steps.get(begin, (0, 0, 0))
        self._steps[begin] = (max(depth_before, state.queue.depth), ended_before + ended, failed_before + failed)
        self._forget(begin)
        self._ended += ended
        self._samples.append((now, self._ended))
        while (
            len(self._samples) > 1 and not now - RATE_WINDOW <= self._samples[0][0] <= now
        ):  # clocks are set back, too
            self._samples.popleft()

    def history(self, now: float) -> History:
        """The steps from the first sample, or from 15 minutes ago, up to the one that contains Unix time `now`."""
        last = int(now) // STEP_SECONDS * STEP_SECONDS
        begin = max(last - HISTORY_SECONDS + STEP_SECONDS, last if self._began is None else min(self._began, last))
        steps = [self._steps.get(at, (0, 0, 0)) for at in range(begin, last + 1, STEP_SECONDS)]
        depth, ended, failed = zip(*steps, strict=True)
        return History(begin, STEP_SECONDS, depth, ended, failed, self._rate())

    def _rate(self) -> float:
        if len(self._samples) < 2:
            return 0.0
        (first, before), (last, after) = self._samples[0], self._samples[-1]
        return (after - before) / (last - first) if last > first else 0.0

    def _forget(self, newest: int) -> None:
        for begin in [begin for begin in self._steps if begin <= newest - HISTORY_SECONDS]:
            del self._steps[begin]


def totals_of(state: ControllerState) -> Totals:
    """Numbers of reconciles that ended and that failed."""
    failed = sum(count for outcome, count in state.reconciles.items() if outcome in FAILED_OUTCOMES)
    return sum(state.reconciles.values()), failed


def _since(before: Totals, now: Totals) -> Totals:
    """Increase since the last sample. A restarted controller counts from 0."""
    if now[0] < before[0]:
        return now
    return now[0] - before[0], max(0, now[1] - before[1])
