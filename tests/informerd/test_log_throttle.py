"""Tests of the log throttle, which decides which of many failures get a line."""

from __future__ import annotations

import pytest

from informerd.log_throttle import MAX_KINDS, RESET_SECONDS, LogThrottle, is_power_of_ten, repeat_suffix
from tests.support.clock import FakeClock


@pytest.fixture
def repeats(clock: FakeClock) -> LogThrottle:
    return LogThrottle(clock)


def test_the_first_three_are_worth_a_line_then_each_tenfold(repeats: LogThrottle) -> None:
    said = [number for _ in range(1000) if (number := repeats.count("a"))]
    assert said == [1, 2, 3, 10, 100, 1000]


def test_each_kind_counts_for_itself(repeats: LogThrottle) -> None:
    for _ in range(5):
        repeats.count("a")
    assert repeats.count("a") == 0
    assert repeats.count("b") == 1


async def test_the_count_starts_over_after_ten_quiet_minutes(repeats: LogThrottle, clock: FakeClock) -> None:
    for _ in range(5):
        repeats.count("a")
    await clock.advance(RESET_SECONDS)
    assert repeats.count("a") == 0, "not quiet for long enough"
    await clock.advance(RESET_SECONDS + 1)
    assert repeats.count("a") == 1


async def test_a_failure_a_minute_for_a_day_is_a_handful_of_lines(repeats: LogThrottle, clock: FakeClock) -> None:
    said = 0
    for _ in range(24 * 60):
        await clock.advance(60)
        said += bool(repeats.count("a"))
    assert said == 6


def test_what_ended_starts_over_and_tells_how_often_it_was(repeats: LogThrottle) -> None:
    for _ in range(5):
        repeats.count("a")
    assert repeats.reset("a") == 5
    assert repeats.reset("a") == 0
    assert repeats.count("a") == 1


def test_kinds_without_end_are_counted_together(repeats: LogThrottle) -> None:
    """Or the memory would grow with them, and each would have its line."""
    said = sum(bool(repeats.count(f"kind {number}")) for number in range(10_000))
    assert said == MAX_KINDS + 6  # of the rest the 1st, 2nd, 3rd, 10th, 100th and 1,000th
    assert len(repeats._runs) <= MAX_KINDS + 1


def test_a_line_says_how_many_it_stands_for() -> None:
    assert repeat_suffix(1) == ""
    assert repeat_suffix(1000) == " (time 1,000 of this kind)"


def test_powers_of_ten() -> None:
    assert [number for number in range(1001) if is_power_of_ten(number)] == [1, 10, 100, 1000]
