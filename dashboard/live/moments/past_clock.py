"""Clock that stands still at a moment of the past, by which pages compute ages."""

from __future__ import annotations

from informerd.clock import Clock


class PastClock:
    """Measures as `clock` does and shows Unix time `at`."""

    def __init__(self, clock: Clock, at: float) -> None:
        self._clock = clock
        self._at = at

    def now(self) -> float:
        return self._clock.now()

    def time(self) -> float:
        return self._at

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
