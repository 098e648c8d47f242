"""Limit of concurrent requests, adjustable while they run."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType


class Limiter:
    """`async with` it for each request: above the limit a request waits for its turn, in order.

    A finished request passes its slot to the one that has waited longest: a task that comes again at the same moment
    queues behind all others. The cancellation of a waiting request loses no slot.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._admitted = 0
        """Running requests, and those admitted that have not woken yet."""
        self._waiting = deque[asyncio.Future[None]]()

    @property
    def limit(self) -> int:
        """Most concurrent requests. A lower limit does not stop running ones."""
        return self._most

    @limit.setter
    def limit(self, most: int) -> None:
        """Most concurrent requests. A lower limit does not stop running ones."""
        self._most = most
        self._admit()

    async def __aenter__(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # admitted, but cancelled before it woke: its slot passes to the next
                self._leave()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        self._admitted -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._admitted < self._most:
            turn = self._waiting.popleft()
            if not turn.done():  # else it was cancelled
                self._admitted += 1
                turn.set_result(None)
