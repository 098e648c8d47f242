"""Tests of the age of the oldest item in a queue."""

from __future__ import annotations

import pytest

from informerd.cache.queue_age import QueueAge
from tests.support.clock import FakeClock


@pytest.fixture
def waiting(clock: FakeClock) -> QueueAge:
    return QueueAge(clock)


def test_nothing_that_waits_has_no_age(waiting: QueueAge) -> None:
    assert waiting.oldest_age == 0


async def test_the_age_is_that_of_the_oldest_batch_not_wholly_taken(waiting: QueueAge, clock: FakeClock) -> None:
    waiting.put(3)
    await clock.advance(1)
    waiting.put(2)
    await clock.advance(1)
    assert waiting.oldest_age == 2
    waiting.take(2)
    assert waiting.oldest_age == 2
    waiting.take(1)
    assert waiting.oldest_age == 1
    waiting.take(2)
    assert waiting.oldest_age == 0


async def test_one_take_may_end_many_batches(waiting: QueueAge, clock: FakeClock) -> None:
    for _ in range(5):
        waiting.put(2)
        await clock.advance(1)
    waiting.take(9)
    assert waiting.oldest_age == 1


async def test_what_was_cleared_waits_no_more_and_what_comes_then_does(waiting: QueueAge, clock: FakeClock) -> None:
    waiting.put(3)
    waiting.clear()
    await clock.advance(5)
    assert waiting.oldest_age == 0
    waiting.put(1)
    await clock.advance(1)
    assert waiting.oldest_age == 1
    waiting.take(1)
    assert waiting.oldest_age == 0
