"""Tests of backoff delays."""

from __future__ import annotations

import pytest

from informerd.cache.backoff import Backoff
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
