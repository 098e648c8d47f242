"""Wait for the head of a response, with a log line when it is long, and an end when the API server is found dead."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from informerd.clock import Clock
from informerd.errors import Unreachable

T = TypeVar("T")

LATE_AFTER = 30.0
"""Seconds within which a watch should begin. After them a streaming list is given up and a plain list is tried; a plain
watch is reported as stale and waited for, because some proxies pass nothing on before a buffer is full or the watch is
over."""


class FirstByteWait:
    """Waits for one watch at a time to begin. `on_late` is called with a sentence after LATE_AFTER."""

    def __init__(self, clock: Clock, on_late: Callable[[str], None]) -> None:
        self._clock = clock
        self._on_late = on_late
        self._limit: asyncio.Timeout | None = None

    async def wait_for(self, answer: Awaitable[T]) -> T:
        """The result of `answer`. Raises what it raises, and Unreachable after `give_up`."""
        limit = asyncio.timeout(None)
        late = asyncio.create_task(self._say_late())
        try:
            async with limit:
                self._limit = limit
                return await answer
        except TimeoutError:
            raise Unreachable("the API server answered neither the request nor a probe") from None
        finally:
            self._limit = None
            late.cancel()

    def give_up(self) -> None:
        """Stop waiting: the request to a frozen server would otherwise last until its own time-out."""
        if self._limit is not None:
            self._limit.reschedule(0.0)
            self._limit = None

    async def _say_late(self) -> None:
        await self._clock.sleep(LATE_AFTER)
        self._on_late(f"the watch has not begun within {LATE_AFTER:g} s")
