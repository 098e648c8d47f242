"""How many objects a first list will bring. A streaming list does not say it, so the API server is asked for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from informerd.cache.health import Health
from informerd.clock import Clock
from informerd.errors import InformerdError

PATIENCE = 1.0
"""Seconds that a list may take before anybody wants to know how long it is; small ones have come by then."""


class Expected:
    """Call it for `health` with what remains filled in, while a first list is under way and its length is known."""

    def __init__(self, health: Callable[[], Health], count: Callable[[], Awaitable[int | None]], clock: Clock) -> None:
        self._health = health
        self._count = count
        self._clock = clock
        self._total: int | None = None

    def __call__(self) -> Health:
        health = self._health()
        if health.state != "syncing" or health.remaining is not None or self._total is None:
            return health
        return msgspec.structs.replace(health, remaining=max(0, self._total - health.listed))

    async def run(self) -> None:
        """Ask once for the length of a list that takes a while; returns when the first list has come.

        Where that cannot be asked, the page does without.
        """
        while self._health().state != "live":
            await self._clock.sleep(PATIENCE)
            health = self._health()
            if health.state == "syncing" and health.remaining is None and self._total is None:
                try:
                    self._total = await self._count()
                except InformerdError:
                    return
