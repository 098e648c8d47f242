"""For how long an error that should pass is tried again before something dearer is done about it."""

from __future__ import annotations

from informerd.clock import Clock

CALM = 60.0
"""Seconds without such an error after which the next one is the first of a new row (client-go's minResetPeriod)."""


class RetryWindow:
    """Allows retries for `lasting` seconds from a row's first error, 0 for none (client-go's RetryWithDeadline)."""

    def __init__(self, clock: Clock, lasting: float) -> None:
        self._clock = clock
        self._lasting = lasting
        self._first: float | None = None
        self._last = 0.0

    def again(self) -> bool:
        """Count one error; whether what failed may be tried again. A no ends the row."""
        now = self._clock.now()
        if self._first is None or now - self._last >= CALM:
            self._first = now
        self._last = now
        if self._lasting > 0 and now - self._first <= self._lasting:
            return True
        self._first = None
        return False
