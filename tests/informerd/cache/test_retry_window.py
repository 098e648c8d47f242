"""Tests of the time for which a watch that ends with InternalError is resumed without a relist."""

from __future__ import annotations

from informerd.cache.backoff import RetryWindow
from tests.support.clock import FakeClock


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
