"""Tests of the limiter: admission in order, up to the limit, and no lost slot."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from dashboard.pages.bulk.concurrency_limiter import Limiter


async def test_who_leaves_and_comes_again_stands_behind_all_who_wait() -> None:
    gate, order = Limiter(1), list[str]()

    async def comes_again_and_again(name: str) -> None:
        for _ in range(3):
            async with gate:
                order.append(name)
                await asyncio.sleep(0)

    await asyncio.gather(*(comes_again_and_again(name) for name in "abc"))
    assert "".join(order) == "abc" * 3


@pytest.mark.parametrize("let_in", [False, True], ids=["that waits", "that was let in and has not woken"])
async def test_no_place_is_lost_with_one_that_is_cancelled(let_in: bool) -> None:
    gate = Limiter(1)
    async with AsyncExitStack() as inside:
        await inside.enter_async_context(gate)
        first, second = asyncio.create_task(_passes(gate)), asyncio.create_task(_passes(gate))
        await asyncio.sleep(0)
        if let_in:
            await inside.aclose()
        first.cancel()
    async with asyncio.timeout(30):
        await second
    assert first.cancelled()
    await _passes(gate)


async def test_more_are_let_in_at_once_and_fewer_as_others_leave() -> None:
    gate, leave, inside = Limiter(1), asyncio.Semaphore(0), 0

    async def comes() -> None:
        nonlocal inside
        async with gate:
            inside += 1
            await leave.acquire()
        inside -= 1

    tasks = [asyncio.create_task(comes()) for _ in range(6)]

    async def then() -> int:
        """How many are inside once all have gone as far as they can."""
        for _ in range(20):
            await asyncio.sleep(0)
        return inside

    assert await then() == 1
    gate.limit = 4
    assert await then() == 4
    gate.limit = 2
    leave.release()
    leave.release()
    assert await then() == 2, "none came in place of those who left"
    leave.release()
    assert await then() == 2, "one came"
    for _ in range(3):
        leave.release()
    await asyncio.gather(*tasks)


async def _passes(gate: Limiter) -> None:
    async with gate:
        pass
