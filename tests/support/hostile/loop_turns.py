"""Measurement of how long an event loop is held up."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass


@dataclass
class LoopTurns:
    """The turns of an event loop while something else runs on it."""

    longest: float = 0.0
    """Seconds of this thread's processor time, which is the same on a busy machine."""


@contextlib.asynccontextmanager
async def measured_turns() -> AsyncIterator[LoopTurns]:
    """Measure the turns of the event loop that runs this."""
    turns = LoopTurns()

    async def measure() -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            turns.longest, last = max(turns.longest, now - last), now

    measuring = asyncio.create_task(measure())
    try:
        await asyncio.sleep(0)
        yield turns
        await asyncio.sleep(0)
    finally:
        measuring.cancel()
