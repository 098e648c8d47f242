"""Watchdog that logs once for each reconcile that runs for suspiciously long."""

from __future__ import annotations

import logging

from informerd.clock import Clock
from informerd.controller.reconcile_stats import ReconcileStats
from informerd.controller.request import Request

log = logging.getLogger(__name__)


class Watchdog:
    """Watches one controller's reconciles. It ends none: the controller does that, where it has a time-out for them."""

    def __init__(self, stats: ReconcileStats, *, controller: str, limit: float, clock: Clock) -> None:
        self._stats = stats
        self._controller = controller
        self._limit = limit
        self._clock = clock
        self._warned: dict[Request, float] = {}
        """The requests being reconciled of which a warning was logged, and since when they are."""

    async def run(self) -> None:
        """Warn of each reconcile as it exceeds the limit, until cancelled."""
        while True:
            await self._clock.sleep(self._look())

    def _look(self) -> float:
        """Warn of reconciles that take too long. Returns the seconds until the next one may."""
        now = self._clock.now()
        running = self._stats.started_at
        self._warned = {each: since for each, since in self._warned.items() if running.get(each) == since}
        wait = self._limit
        for request, since in running.items():
            if request in self._warned:
                continue
            if now - since < self._limit:
                wait = min(wait, since + self._limit - now)
            else:
                self._warned[request] = since
                self._warn(request, now - since)
        return wait

    def _warn(self, request: Request, seconds: float) -> None:
        self._stats.counters.stuck += 1
        text = "the controller %s has been reconciling %s for %.0f s: it may be stuck, and takes a worker"
        fields = {"controller": self._controller, "object": request.key, "seconds": seconds}
        log.warning(text, self._controller, request.key, seconds, extra=fields)
