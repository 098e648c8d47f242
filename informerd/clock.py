"""Clock interface for everything that waits or measures, so that tests control the time and never sleep."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """`now` is monotonic seconds for measuring, `time` is Unix seconds for showing, `sleep` waits seconds."""

    def now(self) -> float: ...

    def time(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


def rfc3339(seconds: float) -> str:
    """Unix seconds as metav1.Time has them: in UTC, to the second."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class AwakeClock(SystemClock):
    """Counts the time in which the machine slept, too: for what others do meanwhile, such as taking a lease.

    (CLOCK_BOOTTIME, where there is one; Python's monotonic clock stands still on a Linux machine that is suspended.)
    """

    def now(self) -> float:
        return _boot_time()


def _boot_time() -> float:
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


async def sleep_or(event: asyncio.Event, seconds: float, clock: Clock) -> bool:
    """Wait until `event` is set or `seconds` have passed. Returns whether the event was set."""
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


@asynccontextmanager
async def within(seconds: float | None, clock: Clock) -> AsyncIterator[None]:
    """asyncio.timeout by `clock`: cancels what is inside and raises TimeoutError after `seconds`, never for None."""
    if seconds is None:
        yield
        return
    async with asyncio.timeout(None) as limit:
        alarm = asyncio.create_task(_ring(limit, seconds, clock), name="alarm")
        try:
            yield
        finally:
            alarm.cancel()
            await asyncio.wait((alarm,))


async def _ring(limit: asyncio.Timeout, seconds: float, clock: Clock) -> None:
    await clock.sleep(seconds)
    limit.reschedule(0.0)
