"""Tests of the clock of a past moment."""

from __future__ import annotations

import asyncio

from dashboard.live.moments.past_clock import PastClock
from tests.support.clock import FakeClock, run_ready_tasks


async def test_the_time_stands_still_and_durations_go_on() -> None:
    clock = FakeClock()
    past = PastClock(clock, 1_000.5)
    before = past.now()
    sleeping = asyncio.create_task(past.sleep(5))
    await run_ready_tasks()
    await clock.advance(5)
    await sleeping
    assert (past.time(), past.now() - before) == (1_000.5, 5)
