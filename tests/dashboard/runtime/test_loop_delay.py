"""Test of the delay of the event loop."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.runtime.loop_delay import DELAY_SECONDS, LoopDelay
from informerd.clock import SystemClock


class LateClock(SystemClock):
    """Comes back from each sleep as late as it was told, and from the last one never."""

    def __init__(self, *late: float) -> None:
        self._late = [*late]
        self._now = 0.0

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        if not self._late:
            raise asyncio.CancelledError
        self._now += seconds + self._late.pop(0)


async def test_what_blocks_the_loop_is_counted_once_with_its_length() -> None:
    delay = LoopDelay(LateClock(0.0, 3.0))
    with pytest.raises(asyncio.CancelledError):
        await delay.run()
    assert delay.seconds.counts[DELAY_SECONDS.index(0.01)] == 1
    assert delay.seconds.counts[DELAY_SECONDS.index(5.0)] == 1
    assert (sum(delay.seconds.counts), delay.seconds.sum) == (2, 3)
