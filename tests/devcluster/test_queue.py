"""The workload's queue: keys at their time, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from devcluster.workload.queue import RETRY_SECONDS, DueQueue
from informerd.errors import Unreachable
from tests.clock import FakeClock, settle


class Worker:
    """Notes the keys it is given and when; raises what it is told to."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.seen: list[tuple[str, float]] = []
        self.errors: list[Exception] = []

    async def reconcile(self, key: str) -> None:
        self.seen.append((key, self.clock.now() - 1000.0))
        if self.errors:
            raise self.errors.pop(0)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def worker(clock: FakeClock) -> Worker:
    return Worker(clock)


@pytest.fixture
async def queue(clock: FakeClock, worker: Worker) -> AsyncIterator[DueQueue]:
    queue = DueQueue(clock)
    task = asyncio.create_task(queue.work(worker.reconcile))
    yield queue
    task.cancel()


async def test_a_key_without_delay_is_due_at_once(queue: DueQueue, worker: Worker) -> None:
    queue.add("a")
    await settle()
    assert worker.seen == [("a", 0.0)]


async def test_a_key_waits_for_its_time(queue: DueQueue, worker: Worker, clock: FakeClock) -> None:
    queue.add("a", 5)
    await clock.advance(4.9)
    assert worker.seen == []
    await clock.advance(0.1)
    assert worker.seen == [("a", 5.0)]


async def test_the_earliest_wish_wins(queue: DueQueue, worker: Worker, clock: FakeClock) -> None:
    queue.add("a", 5)
    queue.add("a", 9)
    queue.add("a", 2)
    await settle()
    await clock.advance(20)
    assert worker.seen == [("a", 2.0)]


async def test_an_earlier_key_overtakes_a_later_one(queue: DueQueue, worker: Worker, clock: FakeClock) -> None:
    queue.add("late", 8)
    await settle()
    queue.add("soon", 3)
    await settle()
    await clock.advance(20)
    assert worker.seen == [("soon", 3.0), ("late", 8.0)]


async def test_a_failure_of_the_api_is_tried_again(queue: DueQueue, worker: Worker, clock: FakeClock) -> None:
    worker.errors = [Unreachable("no")]
    queue.add("a")
    await settle()
    await clock.advance(RETRY_SECONDS + 1)
    assert worker.seen == [("a", 0.0), ("a", RETRY_SECONDS)]


async def test_a_bug_is_logged_and_the_next_key_follows(
    queue: DueQueue, worker: Worker, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    worker.errors = [ZeroDivisionError()]
    queue.add("a")
    queue.add("b")
    await clock.advance(10)
    assert [key for key, _ in worker.seen] == ["a", "b"]
    assert "ZeroDivisionError" in caplog.text
