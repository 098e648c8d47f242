"""Tests of retries on conflict, with growing delays, and on no other error."""

from __future__ import annotations

import asyncio

import pytest

from informerd.controller_util.retry_on_conflict import retry_on_conflict
from informerd.errors import AlreadyExists, Conflict, Status
from tests.support.clock import FakeClock, run_ready_tasks

CONFLICT = Conflict(Status(code=409, reason="Conflict", message="the object has been modified"))


class Attempts:
    """Raises what it is given, one after the other, and then gives its number."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = [*errors]
        self.made = 0

    async def __call__(self) -> int:
        self.made += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.made


async def test_what_succeeds_is_not_repeated() -> None:
    assert await retry_on_conflict(Attempts()) == 1


async def test_conflicts_are_tried_again_each_later_than_the_last_by_chance() -> None:
    clock, attempts = FakeClock(), Attempts(CONFLICT, CONFLICT, CONFLICT)
    task = asyncio.create_task(retry_on_conflict(attempts, clock=clock, chance=lambda: 0.5))
    waits = []
    while not task.done():
        await run_ready_tasks()
        waits += clock.pending_sleeps
        await clock.advance(sum(clock.pending_sleeps))
    assert await task == 4
    assert waits == pytest.approx([0.015, 0.03, 0.06])


async def test_the_wait_never_grows_beyond_two_seconds() -> None:
    clock, attempts = FakeClock(), Attempts(*[CONFLICT] * 20)
    task = asyncio.create_task(retry_on_conflict(attempts, tries=20, clock=clock, chance=lambda: 1.0))
    waits = []
    while not task.done():
        await run_ready_tasks()
        waits += clock.pending_sleeps
        await clock.advance(sum(clock.pending_sleeps))
    assert max(waits) == 2.0
    assert task.exception() is CONFLICT


async def test_after_eight_conflicts_the_last_one_is_raised() -> None:
    clock, attempts = FakeClock(), Attempts(*[CONFLICT] * 20)
    task = asyncio.create_task(retry_on_conflict(attempts, clock=clock))
    while not task.done():
        await clock.advance(2)
    assert task.exception() is CONFLICT
    assert attempts.made == 8


async def test_other_errors_end_it_even_those_with_the_same_code() -> None:
    taken = AlreadyExists(Status(code=409, reason="AlreadyExists"))
    attempts = Attempts(taken)
    with pytest.raises(AlreadyExists):
        await retry_on_conflict(attempts)
    assert attempts.made == 1
