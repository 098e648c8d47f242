"""Token bucket: how often something may happen, in a burst and in the long run."""

from __future__ import annotations

from informerd.clock import Clock


class TokenBucket:
    """Token bucket: a burst, and a number per second in the long run."""

    def __init__(self, at_once: int, a_second: float, clock: Clock) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._clock = clock
        self._left = float(at_once)
        self._at = clock.now()

    def try_take(self) -> bool:
        """Take one; False where none is left."""
        now = self._clock.now()
        self._left = min(self._at_once, self._left + (now - self._at) * self._a_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
