"""Tests of fair turns between the event loop and a plain handler."""

from __future__ import annotations

import pytest

from informerd.cache.handler_time_slice import (
    MAX_STEP_CALLS,
    MAX_TURN_CALLS,
    STEP_SECONDS,
    TURN_SECONDS,
    HandlerTimeSlice,
)
from tests.support.clock import FakeClock


@pytest.fixture
def turns(clock: FakeClock) -> HandlerTimeSlice:
    return HandlerTimeSlice("mine", clock)


def take(turns: HandlerTimeSlice, clock: FakeClock, seconds: float) -> list[int]:
    """Make the calls of one turn, each `seconds` long; how many they were, step by step."""
    steps = []
    while turns.calls_left > 0:
        steps.append(turns.calls_left)
        clock.skip(seconds * turns.calls_left)
        turns.count_calls(steps[-1])
    turns.start_turn()
    return steps


@pytest.mark.parametrize("seconds", [0.000_001, 0.000_02, 0.000_4, 0.004, 0.03])
def test_a_turn_lasts_no_longer_than_it_may_and_one_call_or_step(
    turns: HandlerTimeSlice, clock: FakeClock, seconds: float
) -> None:
    take(turns, clock, seconds)  # nothing is known of the handler
    for _ in range(20):
        began = clock.now()
        take(turns, clock, seconds)
        assert clock.now() - began <= TURN_SECONDS + max(STEP_SECONDS, seconds) + 1e-9


def test_a_fast_handler_is_looked_at_seldom_and_one_that_becomes_slow_at_each_call(
    turns: HandlerTimeSlice, clock: FakeClock
) -> None:
    assert take(turns, clock, 0.000_001)[:6] == [4, 8, 16, 32, 64, MAX_STEP_CALLS]
    assert sum(take(turns, clock, 0.000_001)) >= MAX_TURN_CALLS
    assert take(turns, clock, 0.004) == [MAX_STEP_CALLS]
    assert [take(turns, clock, 0.004) for _ in range(2)] == [[1, 1], [1, 1]]
    assert sum(take(turns, clock, 0.000_01)) > MAX_STEP_CALLS


def test_time_that_was_awaited_counts_for_nothing(
    turns: HandlerTimeSlice, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    most = turns.calls_left
    turns.count_awaited(1)
    clock.skip(60)
    turns.count_calls(most - 1)
    assert turns.calls_left == 0
    turns.start_turn()
    assert turns.calls_left == most
    assert caplog.text == ""


def test_half_a_second_in_one_go_is_told_once(
    turns: HandlerTimeSlice, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        take(turns, clock, 0.13)
        turns._step = 4
        turns.start_turn()
    assert caplog.text.count("the handler mine held up the event loop for 0.5 s in 4 calls") == 1
