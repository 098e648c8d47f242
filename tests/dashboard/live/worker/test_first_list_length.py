"""Tests of a long first list: its expected number of objects is requested, and shown with the number received."""

from __future__ import annotations

import asyncio

from dashboard.live.worker.first_list_length import ASK_DELAY, FirstListLength
from informerd.cache.health import Health
from informerd.errors import Unreachable
from tests.support.clock import FakeClock, run_ready_tasks


class Kind:
    """A health to turn by hand, and how often somebody counted."""

    def __init__(self, total: int | None) -> None:
        self.health = Health(state="syncing", since=0, listed=12_400)
        self.total = total
        self.asked = 0

    async def count(self) -> int | None:
        self.asked += 1
        if self.total is None:
            raise Unreachable("it is away")
        return self.total


async def told(kind: Kind, clock: FakeClock, seconds: float) -> FirstListLength:
    expected = FirstListLength(lambda: kind.health, kind.count, clock)
    task = asyncio.create_task(expected.run())
    await run_ready_tasks()
    for _ in range(int(seconds)):
        await clock.advance(1)
    task.cancel()
    return expected


async def test_what_remains_of_a_long_list_is_told_and_asked_for_once() -> None:
    kind, clock = Kind(50_000), FakeClock()
    expected = await told(kind, clock, 5 * ASK_DELAY)
    assert (expected().listed, expected().remaining, kind.asked) == (12_400, 37_600, 1)
    kind.health = Health(state="syncing", since=0, listed=50_003)
    assert expected().remaining == 0, "some came while it was listed"


async def test_a_short_list_is_not_counted_and_one_in_pages_says_it_itself() -> None:
    kind, clock = Kind(50_000), FakeClock()
    kind.health = Health(state="live", since=0)
    assert await told(kind, clock, 5) is not None
    kind.health = Health(state="syncing", since=0, listed=500, remaining=300)
    expected = await told(kind, clock, 5)
    assert (expected().remaining, kind.asked) == (300, 0)


async def test_where_it_cannot_be_counted_the_rest_is_told_without() -> None:
    kind, clock = Kind(None), FakeClock()
    expected = await told(kind, clock, 5)
    assert (expected().listed, expected().remaining, kind.asked) == (12_400, None, 1)
