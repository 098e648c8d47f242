"""The wait for an answer's head: ended when the API server is found dead, and said aloud when it is long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from informerd.clock import Clock
from informerd.errors import Unreachable

T = TypeVar("T")

BEGIN_WITHIN = 30.0
"""Seconds in which a watch should begin. A streaming list that does not is taken for one that the way to the API server
holds back, and a plain list is tried in its place; a plain watch is said to be stale and waited for, because some
proxies pass nothing on before a buffer is full, or the watch over."""


class Beginning:
    """Waits for one watch at a time to begin. `on_late` is told, as a sentence, when that takes long."""

    def __init__(self, clock: Clock, on_late: Callable[[str], None]) -> None:
        self._clock = clock
        self._on_late = on_late
        self._limit: asyncio.Timeout | None = None

    async def of(self, answer: Awaitable[T]) -> T:
        """What `answer` gives. Raises what it raises, and Unreachable after `give_up`."""
        limit = asyncio.timeout(None)
        late = asyncio.create_task(self._say_late())
        try:
            async with limit:
                self._limit = limit
                return await answer
        except TimeoutError:
            raise Unreachable("the API server did not begin to answer, nor did it answer a probe") from None
        finally:
            self._limit = None
            late.cancel()

    def give_up(self) -> None:
        """Wait no more: what was asked of a frozen server would keep us for the request's own time-out."""
        if self._limit is not None:
            self._limit.reschedule(0.0)
            self._limit = None

    async def _say_late(self) -> None:
        await self._clock.sleep(BEGIN_WITHIN)
        self._on_late(f"the watch has not begun within {BEGIN_WITHIN:g} s")
