"""Limit of pieces of work that run at the same time, for each owner and in all, with a short queue before it."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from informerd.clock import Clock, within

QUEUE_SECONDS = 10.0
"""Seconds that a piece of work waits for its turn."""
MAX_WAITING = 32
"""Pieces of work of one owner that wait; a page of a person sends two or three at once, twenty open pages one each."""

Owners = tuple[str, ...]
"""Who a piece of work is counted for. All of them must have room; the last one is whose turn it is."""


class LimitReached(Exception):
    """No turn came in time, or too many wait already."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many at the same time: of one owner, and in all."""

    per_owner: int
    in_all: int


def read_limits(text: str) -> Limits:
    """The limits in a setting such as ``2/8``: for each user, and in all. Raises ValueError."""
    per_owner, slash, in_all = text.partition("/")
    numbers = [number.strip() for number in (per_owner, in_all)]
    if not slash or not all(number.isascii() and number.isdigit() and int(number) > 0 for number in numbers):
        raise ValueError(f"{text!r} is not two whole numbers above 0, such as 2/8: for each user, and in all")
    return Limits(int(numbers[0]), int(numbers[1]))


@dataclass(slots=True, eq=False)
class _Waiter:
    owners: Owners
    turn: asyncio.Future[None]


class ConcurrencyLimit:
    """At most so many pieces of work at once. Owners take turns, so one who sends a hundred delays nobody by more than
    one of them. With None for `queue_seconds` they wait for as long as it takes.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Clock,
        *,
        queue_seconds: float | None = QUEUE_SECONDS,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._queue_seconds = queue_seconds
        self._max_waiting = max_waiting
        self._running: Counter[str] = Counter()
        self._running_in_all = 0
        self._queues: dict[str, deque[_Waiter]] = {}
        """Waiting work by the last owner, in the order of their turns."""

    @asynccontextmanager
    async def slot(self, owners: Owners) -> AsyncIterator[None]:
        """Run the block when its turn comes. Raises LimitReached, without running it, where none comes in time."""
        await self._acquire(owners)
        try:
            yield
        finally:
            self._release(owners)

    async def _acquire(self, owners: Owners) -> None:
        if owners[-1] not in self._queues and self._has_room(owners):
            self._start(owners)
            return
        queue = self._queues.setdefault(owners[-1], deque())
        if len(queue) >= self._max_waiting:
            raise LimitReached
        waiter = _Waiter(owners, asyncio.get_running_loop().create_future())
        queue.append(waiter)
        try:
            async with within(self._queue_seconds, self._clock):
                await waiter.turn
        except BaseException as error:
            self._give_up(waiter)
            if isinstance(error, TimeoutError):
                raise LimitReached from None
            raise

    def _give_up(self, waiter: _Waiter) -> None:
        if waiter.turn.done() and not waiter.turn.cancelled():  # the turn came in the same moment
            self._release(waiter.owners)
            return
        key = waiter.owners[-1]
        queue = self._queues.get(key, deque())
        if waiter in queue:
            queue.remove(waiter)
            self._let_in(key)

    def _has_room(self, owners: Owners) -> bool:
        return self._running_in_all < self._limits.in_all and all(
            self._running[owner] < self._limits.per_owner for owner in owners
        )

    def _start(self, owners: Owners) -> None:
        self._running_in_all += 1
        self._running.update(owners)

    def _release(self, owners: Owners) -> None:
        self._running_in_all -= 1
        for owner in owners:
            self._running[owner] -= 1
            if not self._running[owner]:
                del self._running[owner]
        for key in list(self._queues):
            self._let_in(key)

    def _let_in(self, key: str) -> None:
        """Start the first of one owner's queue if there is room; the owner then goes behind the others."""
        queue = self._queues[key]
        while queue and queue[0].turn.done():  # cancelled a moment ago
            queue.popleft()
        if queue and not self._has_room(queue[0].owners):
            return
        del self._queues[key]
        if queue:
            waiter = queue.popleft()
            self._start(waiter.owners)
            waiter.turn.set_result(None)
        if queue:
            self._queues[key] = queue
