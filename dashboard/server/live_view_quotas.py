"""Limits of the views that open sockets ask for, of each user and of the whole process.

Opening a view sorts the rows of its kind and renders a hundred of them, on the event loop. The sockets of all users
take turns, one at a time, and at least as much time is left to everything else as the views take.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from dashboard.runtime.app_state import Key
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, LimitReached, Limits, Owners
from dashboard.server.token_bucket import TokenBucket
from informerd.clock import Clock
from informerd.lru_cache import LruCache

BURST_SECONDS = 10
"""Seconds whose views may be asked for at once: all open pages connect again when a process starts."""
MAX_WAITING = 200
"""Sockets of one user that wait for their turn."""
QUEUE_SECONDS = 30.0
MAX_USERS = 10_000
"""Users whose rate is remembered."""


class TooManyViews(Exception):
    """The user asks for more views than the rate allows."""


class ViewQuotas:
    """The limits of one process; `rates` are views a second. `refused` counts under "views"."""

    def __init__(
        self, rates: Limits, clock: Clock, refused: Counter[str], *, timer: Callable[[], float] = time.perf_counter
    ) -> None:
        self._rates = rates
        self._clock = clock
        self._refused = refused
        self._timer = timer
        self._turns = ConcurrencyLimit(Limits(1, 1), clock, queue_seconds=QUEUE_SECONDS, max_waiting=MAX_WAITING)
        self._resting: asyncio.Task[None] | None = None
        self._buckets: LruCache[str, TokenBucket] = LruCache(MAX_USERS)

    @asynccontextmanager
    async def turn(self, owners: Owners) -> AsyncIterator[None]:
        """Run the block, which opens a view and waits for nothing, when its turn comes.

        Raises TooManyViews where the user asks for too many, and LimitReached where no turn comes in time.
        """
        if not self._bucket(owners[-1]).try_take():
            self._refused["views"] += 1
            raise TooManyViews
        try:
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(self._turns.slot(owners))
                began = self._timer()
                try:
                    yield
                finally:  # in a task: a socket that ends now must not shorten the rest
                    rest = max(self._timer() - began, 1 / self._rates.in_all)
                    self._resting = asyncio.create_task(self._rest(stack.pop_all(), rest), name="rest after a view")
        except LimitReached:
            self._refused["views"] += 1
            raise

    async def _rest(self, turn: AsyncExitStack, seconds: float) -> None:
        async with turn:
            await self._clock.sleep(seconds)

    def _bucket(self, owner: str) -> TokenBucket:
        bucket = self._buckets.get(owner)
        if bucket is None:
            rate = self._rates.per_owner
            bucket = TokenBucket(rate * BURST_SECONDS, rate, self._clock)
            self._buckets.put(owner, bucket, 1)
        return bucket


VIEW_QUOTAS: Key[ViewQuotas] = Key("view quotas")
