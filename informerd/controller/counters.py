"""Counters of a controller: plain numbers, for metrics and for its state."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from informerd.cache.counters import Distribution

Outcome = Literal["success", "requeue", "requeue_after", "error", "terminal", "panic", "timeout"]
"""success: nothing more to do · requeue and requeue_after: as the Result asked · error: it raised · terminal: it raised
a TerminalError · panic: it raised one of `reconcile_call.PANICS`, which are program errors · timeout: it took longer
than the controller's limit."""

RECONCILE_SECONDS = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class ReconcileCounters:
    """Written by the event loop only; a reader in another thread copies what it reads."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        """Number of reconciles by Outcome."""
        self.seconds = Distribution(RECONCILE_SECONDS)
        """Durations of all reconciles, whatever their outcome."""
        self.stuck = 0
        """Number of reconciles reported as stuck."""
