"""Replacement of a handler's thread without a thread, so that the order of events is the same in every run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from informerd.clock import Clock, sleep_or

JOB = 0.3
"""Seconds that a job takes."""


class VirtualThread:
    """Stands in for `informerd.cache.handler_thread.HandlerThread`: does each job on the event loop, a while later."""

    def __init__(self, name: str, clock: Clock) -> None:
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()

    @property
    def is_running(self) -> bool:
        """Whether its end has not come."""
        return not self._ended.is_set()

    async def run(self, job: Callable[[], None]) -> None:
        """Wait until it is done. A job begun goes on when this is cancelled."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._loop.call_later(JOB, self._work, job, done)
        await done

    def end(self) -> None:
        """Let it end after the jobs it has."""
        self._loop.call_later(2 * JOB, self._ended.set)

    async def join(self, seconds: float) -> bool:
        """Wait for its end, `seconds` at most; whether it has come."""
        return await sleep_or(self._ended, seconds, self._clock)

    def _work(self, job: Callable[[], None], done: asyncio.Future[None]) -> None:
        job()
        if not done.done():
            done.set_result(None)
