"""Tests of backoff delays and of RetryWindow: for how long a watch is resumed after InternalErrors."""

from __future__ import annotations

import pytest

from informerd.cache.backoff import Backoff, RetryWindow
from tests.support.clock import FakeClock


def test_each_delay_is_uniform_in_d_to_2d() -> None:
    chances = iter([0.0, 0.5, 0.999])
    backoff = Backoff(FakeClock(), chance=lambda: next(chances))
    assert [backoff.next() for _ in range(3)] == pytest.approx([0.8, 2.4, 6.3968])


async def test_it_starts_over_only_where_things_have_worked_for_two_minutes(clock: FakeClock) -> None:
    backoff = Backoff(clock, chance=lambda: 0.0)
    for _ in range(7):
        backoff.next()
        backoff.record_success()
        await clock.advance(119)
        backoff.record_success()
    assert backoff.next() == 30
    backoff.record_success()
    await clock.advance(121)
    assert backoff.next() == 0.8


async def test_time_in_which_nothing_worked_is_no_quiet_time(clock: FakeClock) -> None:
    """A server that is silent for each try's whole time-out fails every three minutes, and is down all the same."""
    backoff = Backoff(clock, chance=lambda: 0.0)
    waits = []
    for _ in range(4):
        waits.append(backoff.next())
        await clock.advance(180)
    assert waits == pytest.approx([0.8, 1.6, 3.2, 6.4])


async def retries(clock: FakeClock, window: RetryWindow, *, pause_at: int = 0) -> int:
    """How many of errors a second apart are tried again, where a minute passes before error `pause_at`."""
    count = 0
    while window.can_retry():
        count += 1
        await clock.advance(61 if count == pause_at else 1)
    return count


async def test_by_default_nothing_is_tried_again(clock: FakeClock) -> None:
    assert await retries(clock, RetryWindow(clock, 0.0)) == 0


async def test_errors_in_a_row_are_tried_again_for_the_time_given(clock: FakeClock) -> None:
    assert await retries(clock, RetryWindow(clock, 30.0)) == 31


async def test_a_minute_without_an_error_begins_a_new_row(clock: FakeClock) -> None:
    assert await retries(clock, RetryWindow(clock, 30.0), pause_at=9) == 40


async def test_giving_up_ends_the_row(clock: FakeClock) -> None:
    window = RetryWindow(clock, 30.0)
    assert await retries(clock, window) == 31
    assert window.can_retry()
