"""Tests of the blocking detector: an observed coroutine behaves as an unobserved one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from informerd.controller.blocking_detector import BlockingDetector
from tests.support.clock import FakeClock, run_ready_tasks


def awaited(function: Callable[[], Any], clock: FakeClock) -> Awaitable[Any]:
    return BlockingDetector(function(), clock.now)


async def test_it_gives_what_the_coroutine_gives(clock: FakeClock) -> None:
    async def waits() -> int:
        await asyncio.sleep(0)
        return 5

    assert await awaited(waits, clock) == 5


async def test_it_raises_what_the_coroutine_raises_in_whatever_step(clock: FakeClock) -> None:
    async def at_once() -> None:
        raise KeyError("first")

    async def later() -> None:
        await asyncio.sleep(0)
        raise KeyError("second")

    async def awaits_a_failure() -> None:
        failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        failed.set_exception(KeyError("third"))
        await failed

    for function in (at_once, later, awaits_a_failure):
        with pytest.raises(KeyError):
            await awaited(function, clock)


async def test_a_cancellation_reaches_it_and_may_be_taken(clock: FakeClock) -> None:
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            return "done all the same"
        return ""

    async def run() -> Any:
        return await awaited(stubborn, clock)

    task = asyncio.create_task(run())
    await run_ready_tasks()
    task.cancel()
    assert await task == "done all the same"


async def test_it_is_closed_with_who_awaits_it(clock: FakeClock) -> None:
    closed = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    outer = awaited(waits, clock).__await__()
    next(outer)
    outer.close()
    assert closed == [True]


async def test_the_longest_step_is_known_and_waits_are_none(clock: FakeClock) -> None:
    async def works() -> None:
        clock.skip(1)
        await clock.sleep(100)
        clock.skip(3)
        await asyncio.sleep(0)
        clock.skip(2)

    steps = BlockingDetector(works(), clock.now)

    async def run() -> None:
        await steps

    task = asyncio.create_task(run())
    await run_ready_tasks()
    await clock.advance(100)
    await task
    assert steps.longest_step == 3
