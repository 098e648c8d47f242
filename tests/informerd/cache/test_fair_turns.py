"""Turns: how often the event loop gets its own while a plain handler is called."""

from __future__ import annotations

import pytest

from informerd.cache.turns import MOST, MOST_IN_A_TURN, STEP, TURN, Turns
from tests.clock import FakeClock


@pytest.fixture
def turns(clock: FakeClock) -> Turns:
    return Turns("mine", clock)


def take(turns: Turns, clock: FakeClock, seconds: float) -> list[int]:
    """Make the calls of one turn, each `seconds` long; how many they were, step by step."""
    steps = []
    while turns.left > 0:
        steps.append(turns.left)
        clock._now += seconds * turns.left
        turns.took(steps[-1])
    turns.had()
    return steps


@pytest.mark.parametrize("seconds", [0.000_001, 0.000_02, 0.000_4, 0.004, 0.03])
def test_a_turn_lasts_no_longer_than_it_may_and_one_call_or_step(
    turns: Turns, clock: FakeClock, seconds: float
) -> None:
    take(turns, clock, seconds)  # nothing is known of the handler
    for _ in range(20):
        began = clock.now()
        take(turns, clock, seconds)
        assert clock.now() - began <= TURN + max(STEP, seconds) + 1e-9


def test_a_fast_handler_is_looked_at_seldom_and_one_that_becomes_slow_at_each_call(
    turns: Turns, clock: FakeClock
) -> None:
    assert take(turns, clock, 0.000_001)[:6] == [4, 8, 16, 32, 64, MOST]
    assert sum(take(turns, clock, 0.000_001)) >= MOST_IN_A_TURN
    assert take(turns, clock, 0.004) == [MOST]
    assert [take(turns, clock, 0.004) for _ in range(2)] == [[1, 1], [1, 1]]
    assert sum(take(turns, clock, 0.000_01)) > MOST


def test_time_that_was_awaited_counts_for_nothing(
    turns: Turns, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    most = turns.left
    turns.awaited(1)
    clock._now += 60
    turns.took(most - 1)
    assert turns.left == 0
    turns.had()
    assert turns.left == most
    assert caplog.text == ""


def test_half_a_second_in_one_go_is_told_once(turns: Turns, clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        take(turns, clock, 0.13)
        turns._step = 4
        turns.had()
    assert caplog.text.count("the handler mine held up the event loop for 0.5 s in 4 calls") == 1
