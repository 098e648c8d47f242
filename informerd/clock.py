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
