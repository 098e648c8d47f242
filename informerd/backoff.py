"""How long to wait after a failure."""

from __future__ import annotations

import random
from collections.abc import Callable

from informerd.clock import Clock


class Backoff:
    """Delays of client-go's reflector: uniform in [d, 2d) seconds with d = 0.8, 1.6, … 25.6, 30, 30.

    It starts over after `reset` seconds without a failure. (client-go counts from the last reset instead, and so
    starts over in the middle of an outage.) `chance` gives numbers in [0, 1).
    """

    def __init__(
        self,
        clock: Clock,
        *,
        base: float = 0.8,
        cap: float = 30.0,
        reset: float = 120.0,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._clock = clock
        self._base = base
        self._cap = cap
        self._reset = reset
        self._chance = chance
        self._step = base
        self._last_failure: float | None = None

    def next(self) -> float:
        """Count one failure; the seconds to wait before the next try."""
        now = self._clock.now()
        if self._last_failure is not None and now - self._last_failure > self._reset:
            self._step = self._base
        self._last_failure = now
        delay = self._step
        self._step = min(self._step * 2, self._cap)
        return delay * (1 + self._chance())
