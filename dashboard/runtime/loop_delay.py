"""Delay of the event loop: how late it runs a timer. What blocks it holds up every page and probe."""

from __future__ import annotations

from informerd.cache.counters import Distribution
from informerd.clock import Clock

INTERVAL = 0.25
"""Seconds between two measurements."""
DELAY_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Bounds of distributions of delays."""


class LoopDelay:
    """Counts the delays of a timer, from `run` on. A block of the loop counts once, with what was left of it then."""

    def __init__(self, clock: Clock) -> None:
        self.seconds = Distribution(DELAY_SECONDS)
        self._clock = clock

    async def run(self) -> None:
        """Measure until cancelled."""
        while True:
            due = self._clock.now() + INTERVAL
            await self._clock.sleep(INTERVAL)
            self.seconds.add(max(0.0, self._clock.now() - due))
