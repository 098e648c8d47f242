"""Limit of the work that a text or a schema from elsewhere may ask for."""

from __future__ import annotations

import time


class BudgetExceeded(Exception):
    """The work has reached its limit; what was found so far holds, the rest is unknown."""


class WorkBudget:
    """Counts steps, of a few microseconds each, up to `steps`, for at most `seconds` of this thread's CPU time.

    CPU time is the same on a busy machine. All of the work must be done in the thread that made the budget.
    """

    def __init__(self, steps: int, seconds: float) -> None:
        self._steps = steps
        self._end = time.thread_time() + seconds

    def spend(self, steps: int = 1) -> None:
        """Count `steps` that are about to be done. Raises BudgetExceeded where they are too many, or time is over."""
        self._steps -= steps
        if self._steps < 0 or time.thread_time() > self._end:
            raise BudgetExceeded
