"""When a feed's page takes in new lines, and how many: the faster they come, the fewer of them anybody reads."""

from __future__ import annotations

import math

FEW = 15
"""Lines that are brought as often as the view is told to; more of them wait for EVERY."""
AT_ONCE = 60
"""Lines that one swap brings or changes at most."""
IN_A_STORM = 30
"""The same of a swap in a storm: where more than AT_ONCE wait, as they did within the last CALM seconds."""
EVERY = 0.5
"""Seconds between two swaps of more than FEW lines at least: half as many cost a browser about half."""
CALM = 2.0
_SLACK = 0.05
"""Seconds by which a tick may come early."""


class Swaps:
    """Of one page. What comes after a quiet moment is brought at once, and as whole as a page takes it."""

    def __init__(self) -> None:
        self._last = -math.inf
        self._crowded = -math.inf
        """When more than AT_ONCE waited."""

    def room(self, now: float, waiting: int) -> int:
        """How many of so many lines that wait are to be brought at `now`, monotonic seconds; 0: none yet."""
        if waiting > FEW and now - self._last < EVERY - _SLACK:
            return 0
        crowded = waiting > AT_ONCE
        storm = crowded and now - self._crowded < CALM
        self._last = now
        if crowded:
            self._crowded = now
        return IN_A_STORM if storm else AT_ONCE
