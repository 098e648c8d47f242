"""Refresh rate of an open feed page: how many waiting lines it gets, and when."""

from __future__ import annotations

import math

IMMEDIATE_LINES = 15
"""Most lines that are sent at any update; more of them wait for SWAP_INTERVAL."""
MAX_SWAP_LINES = 60
"""Most lines that one swap inserts or changes."""
MAX_STORM_LINES = 30
"""The same limit during a storm: more than MAX_SWAP_LINES wait, now or within the last STORM_WINDOW seconds."""
SWAP_INTERVAL = 0.5
"""Shortest time between two swaps of more than IMMEDIATE_LINES lines, in seconds: half as many swaps cost a browser
half.
"""
STORM_WINDOW = 2.0
_SLACK = 0.05
"""Seconds by which a tick may be early."""


class RefreshRate:
    """Refresh rate of one page. After a quiet time, changes are sent immediately and as fully as the page permits."""

    def __init__(self) -> None:
        self._last = -math.inf
        self._crowded = -math.inf
        """Time at which more than MAX_SWAP_LINES lines last waited."""

    def allowed_lines(self, now: float, waiting: int) -> int:
        """Number of the waiting lines to send at `now`, monotonic seconds; 0: none yet."""
        if waiting > IMMEDIATE_LINES and now - self._last < SWAP_INTERVAL - _SLACK:
            return 0
        crowded = waiting > MAX_SWAP_LINES
        storm = crowded and now - self._crowded < STORM_WINDOW
        self._last = now
        if crowded:
            self._crowded = now
        return MAX_STORM_LINES if storm else MAX_SWAP_LINES
