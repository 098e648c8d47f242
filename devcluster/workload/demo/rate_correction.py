"""Controller of the rate of background changes, so that all changes together reach the requested number a second."""

from __future__ import annotations

from collections.abc import Callable

from informerd.clock import Clock

WINDOW = 15.0
"""Seconds between two looks at how many changes there were."""
MIN_FACTOR, MAX_FACTOR = 0.5, 1.3
"""Bounds of the factor: what is planned is about right, and a cluster with enough to do is not pressed further."""
MIN_CORRECTED_RATE = 50.0
"""Changes a second below which nothing is corrected: a seed tells the same there, to the second."""


class RateCorrection:
    """Corrects `factor` by the changes that `revision` counted, without `uncounted_rate` a second, and by `rate`."""

    def __init__(
        self, clock: Clock, rate: float, revision: Callable[[], int], uncounted_rate: Callable[[], float]
    ) -> None:
        self._clock = clock
        self._rate = rate
        self._revision = revision
        self._uncounted_rate = uncounted_rate
        self._since = clock.now()
        self._last_revision = revision()
        self.factor = 1.0
        """By which the planned rate is multiplied."""

    def update(self, *, late: bool) -> None:
        """Correct the factor, once every WINDOW. `late`: changes begin late already, so the factor does not rise."""
        now = self._clock.now()
        if self._rate < MIN_CORRECTED_RATE or now - self._since < WINDOW:
            return
        revision = self._revision()
        seen = (revision - self._last_revision) / (now - self._since) - self._uncounted_rate()
        self._since, self._last_revision = now, revision
        wanted = (self._rate / max(seen, self._rate / 4)) ** 0.5  # half the way, for what was begun still has to end
        if wanted <= 1 or not late:
            self.factor = min(max(self.factor * wanted, MIN_FACTOR), MAX_FACTOR)
