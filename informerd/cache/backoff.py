"""Backoff delays after failures."""

from __future__ import annotations

import random
from collections.abc import Callable

from informerd.clock import Clock

BACKOFF_RESET = 120.0
"""Seconds for which things must have worked before the delays start over."""


class Backoff:
    """Delays of client-go's reflector: uniform in [d, 2d) seconds with d = 0.8, 1.6, … 25.6, 30, 30.

    It starts over where things have worked for more than `reset` seconds since the last failure. (client-go counts
    from the last reset instead, and so starts over in the middle of an outage. Time spent waiting, or on tries that
    fail slowly, is no quiet time either.) `chance` gives numbers in [0, 1).
    """

    def __init__(
        self,
        clock: Clock,
        *,
        base: float = 0.8,
        cap: float = 30.0,
        reset: float = BACKOFF_RESET,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._clock = clock
        self._base = base
        self._cap = cap
        self._reset = reset
        self._chance = chance
        self._step = base
        self._works_since: float | None = None

    def record_success(self) -> None:
        """Note that it works again; of several calls in a row the first one counts."""
        if self._works_since is None:
            self._works_since = self._clock.now()

    def next(self) -> float:
        """Count one failure; returns the seconds to wait before the next try."""
        if self._works_since is not None and self._clock.now() - self._works_since > self._reset:
            self._step = self._base
        self._works_since = None
        delay = self._step
        self._step = min(self._step * 2, self._cap)
        return delay * (1 + self._chance())


RETRY_WINDOW_RESET = 60.0
"""Seconds without such an error after which the next one is the first of a new row (client-go's minResetPeriod)."""


class RetryWindow:
    """Allows retries for `duration` seconds from a row's first error, 0 for none (client-go's RetryWithDeadline)."""

    def __init__(self, clock: Clock, duration: float) -> None:
        self._clock = clock
        self._duration = duration
        self._first: float | None = None
        self._last = 0.0

    def can_retry(self) -> bool:
        """Count one error. Returns whether to try again; False ends the row."""
        now = self._clock.now()
        if self._first is None or now - self._last >= RETRY_WINDOW_RESET:
            self._first = now
        self._last = now
        if self._duration > 0 and now - self._first <= self._duration:
            return True
        self._first = None
        return False
