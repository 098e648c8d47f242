"""Count of the turns that an event loop takes while something else runs on it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass


@dataclass
class LoopTurns:
    """The turns of an event loop while something else runs on it."""

    count: int = 0


@contextlib.asynccontextmanager
async def counted_turns() -> AsyncIterator[LoopTurns]:
    """Count the turns of the event loop that runs this."""
    turns = LoopTurns()

    async def count() -> None:
        while True:
            await asyncio.sleep(0)
            turns.count += 1

    counting = asyncio.create_task(count())
    try:
        yield turns
    finally:
        counting.cancel()
