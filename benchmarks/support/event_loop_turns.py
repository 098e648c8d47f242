"""Measurement of the event loop's turns, during which everything else waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def measure_turns(timer: Callable[[], float] = time.perf_counter) -> AsyncIterator[list[float]]:
    """Seconds of each turn of the loop in the block by `timer`; `time.thread_time` leaves out what others took."""
    found: list[float] = []

    async def watch() -> None:
        while True:
            before = timer()
            await asyncio.sleep(0)
            found.append(timer() - before)

    watching = asyncio.create_task(watch())
    try:
        yield found
    finally:
        watching.cancel()
