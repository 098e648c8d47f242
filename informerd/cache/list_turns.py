"""Turns of large lists, so that few are under way at a time and the shortest are done first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heapify, heappop, heappush
from itertools import count

from informerd.clock import Clock, within

LARGE_LIST = 2_000
"""Objects that are still to come from which on a list waits for its turn."""


class ListTurns:
    """Lets `at_once` large lists, or pages of them, come at a time. Where more wait, those with the fewest objects to
    come are next: so most kinds are there early, and what is done with their objects overlaps with the other lists.

    Lists of some thousand objects never wait, and nothing waits longer than `patience` seconds.
    """

    def __init__(self, clock: Clock, *, at_once: int = 2, patience: float = 10.0) -> None:
        self._clock = clock
        self._at_once = at_once
        self._patience = patience
        self._under_way = 0
        self._numbers = count()
        self._waiting: list[tuple[int, int, asyncio.Event]] = []

    @asynccontextmanager
    async def turn(self, remaining: int | None) -> AsyncIterator[None]:
        """The turn of a list, or of a page of one, of which `remaining` objects are to come; None: nobody knows."""
        if remaining is None or remaining < LARGE_LIST:
            yield
            return
        await self._begin(remaining)
        try:
            yield
        finally:
            self._end()

    async def _begin(self, remaining: int) -> None:
        waiter = (remaining, next(self._numbers), asyncio.Event())
        heappush(self._waiting, waiter)
        self._decide_soon()
        try:
            async with within(self._patience, self._clock):
                await waiter[2].wait()
        except TimeoutError:
            if not self._withdraw(waiter):
                return  # its turn came just now
            self._under_way += 1
        except BaseException:
            if not self._withdraw(waiter):
                self._end()
            raise

    def _withdraw(self, waiter: tuple[int, int, asyncio.Event]) -> bool:
        """Whether it was still waiting."""
        if waiter not in self._waiting:
            return False
        self._waiting.remove(waiter)
        heapify(self._waiting)
        return True

    def _end(self) -> None:
        self._under_way -= 1
        self._decide_soon()

    def _decide_soon(self) -> None:
        """Once the list whose page has ended waits with its next one, too."""
        asyncio.get_running_loop().call_soon(self._decide)

    def _decide(self) -> None:
        while self._waiting and self._under_way < self._at_once:
            self._under_way += 1
            heappop(self._waiting)[2].set()
