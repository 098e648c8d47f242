"""A queue of keys that become due: what the workload's controllers work from."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from informerd.clock import Clock
from informerd.errors import InformerdError

_log = logging.getLogger(__name__)
RETRY_SECONDS = 1.0


class DueQueue:
    """Keys with the time they are due; of several wishes for a key the earliest wins. One worker, one key at a time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}
        self._changed = asyncio.Event()

    def add(self, key: str, after: float = 0.0) -> None:
        """Make `key` due in `after` seconds, unless it is due before."""
        when = self._clock.now() + after
        if when < self._due.get(key, float("inf")):
            self._due[key] = when
            self._changed.set()

    async def work(self, reconcile: Callable[[str], Awaitable[None]]) -> None:
        """Call `reconcile` with each key as it becomes due, until cancelled.

        A key whose reconciling fails with one of informerd's errors is due again after a second; any other error is
        logged and the key forgotten.
        """
        while True:
            key = await self._next()
            try:
                await reconcile(key)
            except InformerdError as error:
                _log.debug("%s: %s", key, error)
                self.add(key, RETRY_SECONDS)
            except Exception:  # noqa: BLE001 - one bad object must not stop a controller
                _log.exception("%s", key)

    async def _next(self) -> str:
        while True:
            now = self._clock.now()
            key = min(self._due, key=self._due.__getitem__, default=None)
            if key is not None and self._due[key] <= now:
                del self._due[key]
                return key
            self._changed.clear()
            await self._sleep(None if key is None else self._due[key] - now)

    async def _sleep(self, seconds: float | None) -> None:
        """Until something is due, or the queue changed."""
        tasks: set[asyncio.Task[object]] = {asyncio.create_task(self._changed.wait())}
        if seconds is not None:
            tasks.add(asyncio.create_task(self._clock.sleep(seconds)))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
