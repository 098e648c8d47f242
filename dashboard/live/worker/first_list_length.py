"""Expected number of objects of a first list, requested separately because a streaming list does not say it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from informerd.cache.health import Health
from informerd.clock import Clock
from informerd.errors import InformerdError

ASK_DELAY = 1.0
"""Seconds that a list may take before its length is requested; small lists have arrived by then."""


class FirstListLength:
    """Returns `health` when called; while a first list of known length is loading, with `remaining` filled in."""

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
        """Request the length of a list once where the list takes a while; returns when the first list has arrived.

        Where the length cannot be requested, pages do without it.
        """
        while self._health().state != "live":
            await self._clock.sleep(ASK_DELAY)
            health = self._health()
            if health.state == "syncing" and health.remaining is None and self._total is None:
                try:
                    self._total = await self._count()
                except InformerdError:
                    return
