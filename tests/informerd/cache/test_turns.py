"""Turns: how often the event loop gets its own while a plain handler is called."""

from __future__ import annotations

import pytest

from informerd.cache.turns import FIRST, MOST, Turns
from tests.clock import FakeClock


@pytest.fixture
def turns(clock: FakeClock) -> Turns:
    return Turns("mine", clock)


def take(turns: Turns, clock: FakeClock, seconds: float) -> int:
    """Make all calls of one turn, each `seconds` long; how many that were."""
    calls = turns.left
    clock._now += seconds * calls
    turns.took(calls)
    assert turns.left <= 0
    turns.had()
    return calls


def test_a_slow_handler_gets_shorter_turns_and_a_fast_one_its_full_ones_back(turns: Turns, clock: FakeClock) -> None:
    assert [take(turns, clock, 0.004) for _ in range(4)] == [FIRST, 25, 6, 6]
    assert [take(turns, clock, 0.06) for _ in range(3)] == [6, 1, 1]
    assert [take(turns, clock, 0.0001) for _ in range(9)] == [1, 2, 4, 8, 16, 32, 64, 128, 128]
    assert [take(turns, clock, 0.000_001) for _ in range(6)] == [128, 256, 512, 1024, MOST, MOST]


def test_time_that_was_awaited_counts_for_nothing(
    turns: Turns, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    turns.awaited(1)
    clock._now += 60
    turns.took(FIRST - 1)
    assert turns.left == 0
    turns.had()
    assert turns.left == FIRST
    assert caplog.text == ""


def test_half_a_second_in_one_go_is_told_once(turns: Turns, clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        take(turns, clock, 0.0051)
        turns._length = FIRST
        turns.had()
    assert caplog.text.count("the handler mine held up the event loop for 0.5 s in 100 calls") == 1
