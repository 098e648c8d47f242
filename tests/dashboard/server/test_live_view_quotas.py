"""Tests of the limits of views."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from dashboard.runtime.concurrency_limit import LimitReached, Limits
from dashboard.server.live_view_quotas import BURST_SECONDS, MAX_WAITING, TooManyViews, ViewQuotas
from tests.support.clock import FakeClock, run_ready_tasks

ALICE, MALLORY = ("user alice",), ("user mallory",)


class Sockets:
    """Sockets that ask for views, each of which takes `seconds`."""

    def __init__(self, *, per_user: int, seconds: float = 0.0) -> None:
        self.clock = FakeClock()
        self.refused: Counter[str] = Counter()
        self.worked = 0.0
        self.seconds = seconds
        self.quotas = ViewQuotas(Limits(per_user, 100), self.clock, self.refused, timer=lambda: self.worked)
        self.opened: list[str] = []

    async def open(self, owners: tuple[str, ...], name: str) -> None:
        async with self.quotas.turn(owners):
            self.opened.append(name)
            self.worked += self.seconds


async def test_a_user_has_a_burst_and_then_a_rate_whatever_the_number_of_sockets() -> None:
    sockets = Sockets(per_user=2)
    tasks = [asyncio.create_task(sockets.open(MALLORY, str(number))) for number in range(30)]
    for _ in tasks:
        await sockets.clock.advance(0.01)
    failed = [isinstance(each, TooManyViews) for each in await asyncio.gather(*tasks, return_exceptions=True)]
    assert failed.count(False) == 2 * BURST_SECONDS
    assert sockets.refused == {"views": 10}
    other = asyncio.create_task(sockets.open(ALICE, "alice"))
    await run_ready_tasks()
    await sockets.clock.advance(1.0)
    await other
    assert sockets.opened[-1] == "alice"


async def test_everything_else_has_as_much_time_as_views_take() -> None:
    sockets = Sockets(per_user=100, seconds=0.5)
    tasks = [asyncio.create_task(sockets.open(MALLORY, name)) for name in "ab"]
    await run_ready_tasks()
    assert sockets.opened == ["a"]
    await sockets.clock.advance(0.4)
    assert sockets.opened == ["a"]
    await sockets.clock.advance(0.2)
    assert sockets.opened == ["a", "b"]
    await sockets.clock.advance(1.0)
    await asyncio.gather(*tasks)


async def test_too_many_waiting_sockets_of_a_user_are_asked_to_come_again() -> None:
    sockets = Sockets(per_user=100)
    tasks = [asyncio.create_task(sockets.open(MALLORY, str(number))) for number in range(MAX_WAITING + 3)]
    await run_ready_tasks()
    failed = [task for task in tasks if task.done() and isinstance(task.exception(), LimitReached)]
    assert len(failed) == 2
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_view_that_fails_leaves_the_turn_to_the_next() -> None:
    sockets = Sockets(per_user=100)

    async def fail() -> None:
        async with sockets.quotas.turn(ALICE):
            raise KeyError("gone")

    failing, next_one = asyncio.create_task(fail()), asyncio.create_task(sockets.open(ALICE, "next"))
    await sockets.clock.advance(0.1)
    await sockets.clock.advance(0.1)
    with pytest.raises(KeyError):
        await failing
    await next_one
