"""Time, passed in: whatever waits or measures takes a Clock, so that tests own it and nothing sleeps."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """`now` is monotonic seconds for measuring, `time` is Unix seconds for showing, `sleep` waits seconds."""

    def now(self) -> float: ...

    def time(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def sleep_or(event: asyncio.Event, seconds: float, clock: Clock) -> bool:
    """Wait until `event` is set or `seconds` have passed; whether it was the event."""
    if event.is_set():
        return True
    sleeping = asyncio.ensure_future(clock.sleep(seconds))
    waiting = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait((sleeping, waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        sleeping.cancel()
        waiting.cancel()
        await asyncio.gather(sleeping, waiting, return_exceptions=True)
    return event.is_set()
