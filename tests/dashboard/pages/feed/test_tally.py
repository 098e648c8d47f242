"""Tests of counts of changes by steps of time."""

from __future__ import annotations

from dashboard.pages.feed.tally import RateCounter, Tally
from dashboard.pages.feed.time_range import TARGET_BARS


def test_changes_are_counted_by_step_and_operation() -> None:
    tally = Tally(60)
    tally.add(100, "added")
    tally.add(100 + tally.step, "modified")
    tally.add(100 + tally.step, "deleted")
    counts, begin = tally.sums(100, 100 + tally.step)
    assert begin == 100 // tally.step * tally.step
    assert counts == [(1, 0, 0), (0, 1, 1)]


def test_steps_of_a_span_that_has_grown_are_doubled_and_keep_their_counts() -> None:
    tally, first = Tally(60), 0.0
    step = tally.step
    span = 5 * TARGET_BARS * step
    for number in range(0, span, step):
        tally.add(first + number, "added", 2)
    counts, begin = tally.sums(first, first + span - 1)
    assert tally.step == 4 * step
    assert begin == 0
    assert len(counts) <= 2 * TARGET_BARS
    assert sum(added for added, _, _ in counts) == 2 * len(range(0, span, step))
    assert counts[0] == (8, 0, 0)


def test_what_is_long_past_is_forgotten() -> None:
    tally = Tally(60)
    tally.add(0, "added")
    later = tally.step * TARGET_BARS * 3.0
    tally.add(later, "added")
    tally.sums(later, later)
    assert tally.sums(0, 0)[0] == [(0, 0, 0)]


def test_a_rate_is_of_the_last_whole_seconds() -> None:
    rate = RateCounter()
    for second in range(1_000, 1_100):
        rate.add(second + 0.5, 3)
    assert rate.per_second(1_100.9) == 3
    assert rate.per_second(2_000) == 0
