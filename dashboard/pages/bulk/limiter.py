"""How many requests are on their way at a time; how many that may be changes while they are."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType


class Gate:
    """`async with` it for each request: who comes when `most` are inside waits for its turn, in order.

    Who leaves hands its place to the one that has waited longest, at once: one that leaves and comes again at the same
    moment stands behind all who wait. No place is lost where one that waits is cancelled.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        """With those who were let in and have not woken yet."""
        self._waiting = deque[asyncio.Future[None]]()

    @property
    def most(self) -> int:
        """How many are let in."""
        return self._most

    @most.setter
    def most(self, most: int) -> None:
        """Who is inside stays, however few are let in from here on."""
        self._most = most
        self._let_in()

    async def __aenter__(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was let in, and cancelled before it woke: the place is the next one's
                self._leave()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        self._inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._inside < self._most:
            turn = self._waiting.popleft()
            if not turn.done():  # else it was cancelled
                self._inside += 1
                turn.set_result(None)
