"""Turns of the event loop between the steps of reading an answer, however fast its bytes come."""

from __future__ import annotations

import asyncio

TURN_SECONDS = 0.005
"""Seconds of reading in a row after which other tasks run."""


class LoopTurn:
    """A reader's turn of the event loop. What came is read without a wait, so a reader of an endless answer, or of a
    few bytes that unpack to many, would never let another task run. Make it on the event loop, whose clock it uses."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()

    async def yield_if_over(self) -> None:
        """Let other tasks run where the turn began TURN_SECONDS ago or earlier. Call it before each step."""
        if self._loop.time() - self._began >= TURN_SECONDS:
            await asyncio.sleep(0)
            self._began = self._loop.time()
