"""Tests of the feed's window: how often a page adds new lines, and how many."""

from __future__ import annotations

from dashboard.pages.feed.refresh_rate import (
    IMMEDIATE_LINES,
    MAX_STORM_LINES,
    MAX_SWAP_LINES,
    STORM_WINDOW,
    SWAP_INTERVAL,
    RefreshRate,
)


def rooms(waiting: int, every: float, times: int) -> list[int]:
    """What is brought of so many lines that wait at each of so many moments."""
    swaps = RefreshRate()
    return [swaps.allowed_lines(number * every, waiting) for number in range(times)]


def test_a_few_lines_are_brought_each_time() -> None:
    assert rooms(IMMEDIATE_LINES, SWAP_INTERVAL / 2, 4) == [MAX_SWAP_LINES] * 4


def test_what_comes_faster_than_it_is_read_is_brought_half_as_often_and_whole() -> None:
    assert rooms(IMMEDIATE_LINES + 1, SWAP_INTERVAL / 2, 4) == [MAX_SWAP_LINES, 0, MAX_SWAP_LINES, 0]
    assert rooms(MAX_SWAP_LINES, SWAP_INTERVAL / 2, 4) == [MAX_SWAP_LINES, 0, MAX_SWAP_LINES, 0]


def test_a_burst_that_comes_alone_fills_its_swap() -> None:
    assert rooms(10 * MAX_SWAP_LINES, STORM_WINDOW + 1, 3) == [MAX_SWAP_LINES] * 3


def test_in_a_storm_swaps_are_smaller() -> None:
    assert rooms(MAX_SWAP_LINES + 1, SWAP_INTERVAL / 2, 7) == [
        MAX_SWAP_LINES,
        0,
        MAX_STORM_LINES,
        0,
        MAX_STORM_LINES,
        0,
        MAX_STORM_LINES,
    ]


def test_the_end_of_a_storm_is_brought_at_once() -> None:
    swaps = RefreshRate()
    swaps.allowed_lines(0, MAX_SWAP_LINES + 1)
    assert swaps.allowed_lines(0.1, IMMEDIATE_LINES) == MAX_SWAP_LINES
