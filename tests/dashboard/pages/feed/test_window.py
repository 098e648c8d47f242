"""How often a page takes in new lines, and how many of them."""

from __future__ import annotations

from dashboard.live.swaps import AT_ONCE, CALM, EVERY, FEW, IN_A_STORM, Swaps


def rooms(waiting: int, every: float, times: int) -> list[int]:
    """What is brought of so many lines that wait at each of so many moments."""
    swaps = Swaps()
    return [swaps.room(number * every, waiting) for number in range(times)]


def test_a_few_lines_are_brought_each_time() -> None:
    assert rooms(FEW, EVERY / 2, 4) == [AT_ONCE] * 4


def test_what_comes_faster_than_it_is_read_is_brought_half_as_often_and_whole() -> None:
    assert rooms(FEW + 1, EVERY / 2, 4) == [AT_ONCE, 0, AT_ONCE, 0]
    assert rooms(AT_ONCE, EVERY / 2, 4) == [AT_ONCE, 0, AT_ONCE, 0]


def test_a_burst_that_comes_alone_fills_its_swap() -> None:
    assert rooms(10 * AT_ONCE, CALM + 1, 3) == [AT_ONCE] * 3


def test_in_a_storm_swaps_are_smaller() -> None:
    assert rooms(AT_ONCE + 1, EVERY / 2, 7) == [AT_ONCE, 0, IN_A_STORM, 0, IN_A_STORM, 0, IN_A_STORM]


def test_the_end_of_a_storm_is_brought_at_once() -> None:
    swaps = Swaps()
    swaps.room(0, AT_ONCE + 1)
    assert swaps.room(0.1, FEW) == AT_ONCE
