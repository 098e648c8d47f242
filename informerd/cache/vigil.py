"""A vigil over one watch stream: silence beyond a limit, where there should be bookmarks, means that it is dead."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from informerd.clock import Clock


class Vigil:
    """Calls `on_silence` once when `limit` seconds pass without a word on a stream that sends periodic bookmarks.

    It begins with the first periodic bookmark: streams that never send one (events have no watch cache) may be silent
    for as long as nothing happens.
    """

    def __init__(self, clock: Clock, limit: float, on_silence: Callable[[], None]) -> None:
        self._clock = clock
        self._limit = limit
        self._on_silence = on_silence
        self._last_word = clock.now()
        self._task: asyncio.Task[None] | None = None

    def word(self, *, bookmark: bool) -> None:
        """Something came; `bookmark`: a periodic bookmark was in it."""
        self._last_word = self._clock.now()
        if bookmark and self._task is None:
            self._task = asyncio.create_task(self._run())

    def end(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while (rest := self._last_word + self._limit - self._clock.now()) > 0:
            await self._clock.sleep(rest)
        self._on_silence()
