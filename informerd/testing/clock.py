"""Fake clock that tests advance by hand."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

from informerd.testing.polling import eventually


class FakeClock:
    """Stands still until `advance`; sleepers on it wait for that.

    `now` begins at 1,000 s, `time` at 1,800,000,000 (Unix seconds).
    """

    def __init__(self) -> None:
        self._now = 1000.0
        self._epoch = 1_799_999_000.0
        self._sleepers: list[tuple[float, int, float, asyncio.Future[None]]] = []
        self._number = count()

    def now(self) -> float:
        return self._now

    def time(self) -> float:
        return self._epoch + self._now

    def jump(self, seconds: float) -> None:
        """Set the wall clock, as a person or a time server may: `time` changes, `now` does not, no sleeper wakes."""
        self._epoch += seconds

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been advanced so far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._number), seconds, waiter))
        await waiter

    @property
    def pending_sleeps(self) -> list[float]:
        """The seconds that each current sleeper asked for, in the order in which they wake."""
        return [seconds for _, _, seconds, waiter in sorted(self._sleepers) if not waiter.done()]

    async def wait_for_sleeper(self, at_least: float = 0.0, below: float = float("inf")) -> float:
        """Wait until something sleeps for a time in [at_least, below), and return that time."""
        sleeper = await eventually(
            lambda: [seconds for seconds in self.pending_sleeps if at_least <= seconds < below],
            what=f"a sleep in [{at_least}, {below})",
        )
        return sleeper[0]

    async def advance(self, seconds: float) -> None:
        """Let time pass; each sleeper wakes at its own moment, and what it does then happens before time goes on."""
        end = self._now + seconds
        while self._sleepers and self._sleepers[0][0] <= end:
            self._now, _, _, waiter = heapq.heappop(self._sleepers)
            if not waiter.done():
                waiter.set_result(None)
                await run_ready_tasks()
        self._now = end
        await run_ready_tasks()


async def run_ready_tasks(turns: int = 20) -> None:
    """Give every task that is ready its turn, and those that these make ready."""
    for _ in range(turns):
        await asyncio.sleep(0)
