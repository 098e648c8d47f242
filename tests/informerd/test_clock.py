"""Tests of time-outs by an injected clock."""

from __future__ import annotations

import asyncio
import time

import pytest

from informerd.clock import AwakeClock, within
from tests.support.clock import FakeClock, run_ready_tasks


async def forever(seconds: float | None, clock: FakeClock) -> None:
    async with within(seconds, clock):
        await asyncio.Event().wait()


async def test_what_takes_longer_is_cancelled_by_the_clock_and_not_before(clock: FakeClock) -> None:
    waiting = asyncio.create_task(forever(5, clock))
    await run_ready_tasks()
    await clock.advance(4.9)
    assert not waiting.done()
    await clock.advance(0.1)
    with pytest.raises(TimeoutError):
        await waiting


async def test_what_ends_in_time_leaves_no_alarm_behind(clock: FakeClock) -> None:
    before = asyncio.all_tasks()
    async with within(5, clock):
        await run_ready_tasks()
    assert asyncio.all_tasks() == before
    assert clock.pending_sleeps == []


async def test_none_is_no_limit(clock: FakeClock) -> None:
    waiting = asyncio.create_task(forever(None, clock))
    await run_ready_tasks()
    await clock.advance(1_000_000)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.wait((waiting,))


async def test_a_cancellation_from_outside_stays_one(clock: FakeClock) -> None:
    waiting = asyncio.create_task(forever(5, clock))
    await run_ready_tasks()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert clock.pending_sleeps == []


def test_the_clock_of_leases_counts_the_time_in_which_the_machine_slept() -> None:
    if not hasattr(time, "CLOCK_BOOTTIME"):
        pytest.skip("there is no such clock here")
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    now = AwakeClock().now()
    assert before <= now <= time.clock_gettime(time.CLOCK_BOOTTIME)
