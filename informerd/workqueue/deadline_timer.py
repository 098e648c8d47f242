"""One timer that wakes for the earliest of any number of moments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf

from informerd.clock import Clock

MAX_SLEEP_SECONDS = 86400.0
"""Maximum seconds of one sleep; a longer wait takes several."""


class Timer:
    """Calls `callback` once at the earliest moment that it was set to; then it has to be set again. Needs an event
    loop.
    """

    def __init__(self, callback: Callable[[], None], clock: Clock, name: str) -> None:
        self._callback = callback
        self._clock = clock
        self._name = name
        self._at = inf
        self._task: asyncio.Task[None] | None = None

    def set(self, at: float) -> None:
        """Ring at `at` (the clock's seconds) or sooner, if it is set to a sooner moment already."""
        if self._task and not self._task.done():
            if at >= self._at:
                return
            self._task.cancel()
        self._at = at
        self._task = asyncio.get_running_loop().create_task(self._run(at), name=self._name)

    def cancel(self) -> None:
        """Cancel the timer."""
        if self._task:
            self._task.cancel()
            self._task = None

    async def _run(self, at: float) -> None:
        while (left := at - self._clock.now()) > 0:
            await self._clock.sleep(min(left, MAX_SLEEP_SECONDS))
        self._task = None
        self._callback()
