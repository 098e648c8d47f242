"""Turns of the event loop between the steps of reading an answer, however fast its bytes come."""

from __future__ import annotations

import asyncio
from time import perf_counter

TURN_SECONDS = 0.005
"""Seconds of reading in a row after which other tasks run."""


class LoopTurn:
    """A reader's turn of the event loop. What came is read without a wait, so a reader of an endless answer, or of a
    few bytes that unpack to many, would never let another task run."""

    def __init__(self) -> None:
        self._began = perf_counter()

    async def yield_if_over(self) -> None:
        """Let other tasks run where the turn began TURN_SECONDS ago or earlier. Call it before each step."""
        if perf_counter() - self._began >= TURN_SECONDS:
            await asyncio.sleep(0)
            self._began = perf_counter()
