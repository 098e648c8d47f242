"""Tests of the counts of lines over time."""

from __future__ import annotations

import pytest

from dashboard.objects.logs.severity import ERROR, INFO, NONE
from dashboard.pages.logs.histogram import HEIGHT, MAX_SECONDS, LogHistogram
from dashboard.pages.logs.line_buffer import time_bytes


def line(second: float) -> bytes:
    return time_bytes(int((1_795_849_740 + second) * 1e9)) + b" text"


def test_bars_count_lines_by_time_and_severity() -> None:
    histogram = LogHistogram()
    assert histogram.bars() is None
    histogram.add([line(0), line(0.5), line(59)], [INFO, ERROR, NONE])
    bars = histogram.bars()
    assert bars is not None
    assert (bars.begin, bars.end, bars.step) == ("2026-11-28T07:09:00Z", "2026-11-28T07:10:00Z", 1)
    assert bars.totals == (("error", 1), ("info", 1), ("none", 1))
    first, last = bars.bars
    assert [(part.severity, part.height) for part in first.parts] == [("error", HEIGHT / 2), ("info", HEIGHT / 2)]
    assert first.parts[0].y > first.parts[1].y
    assert "2 lines from 07:09:00 UTC: 1 error, 1 info" in first.title
    assert (last.x, last.parts[0].severity) == (round(59 * 100 / 60, 3), "none")


def test_a_long_time_has_wider_bars() -> None:
    histogram = LogHistogram()
    histogram.add([line(0), line(3 * 3600)], [INFO, INFO])
    bars = histogram.bars()
    assert bars is not None
    assert bars.step == 300
    assert len(bars.bars) == 2
    assert "from 07:05:00 UTC" in bars.bars[0].title


def test_bars_of_several_days_say_their_day() -> None:
    histogram = LogHistogram()
    histogram.add([line(0), line(24 * 3600)], [INFO, INFO])
    bars = histogram.bars()
    assert bars is not None
    assert bars.bars[0].title.startswith("1 line from 11-28 07:00:00 UTC")


def test_lines_that_came_too_fast_to_be_judged_are_counted_and_said() -> None:
    histogram = LogHistogram()
    histogram.add([line(0)] * 5000, None)
    histogram.add([line(0)], [NONE])
    assert histogram.total == 5001
    bars = histogram.bars()
    assert bars is not None
    assert bars.totals == (("none", 1), ("unjudged", 5000))
    histogram.clear()
    assert histogram.total == 0


@pytest.mark.slow
def test_its_size_is_bounded_and_odd_times_are_no_bars() -> None:
    histogram = LogHistogram()
    for second in range(MAX_SECONDS + 1):
        histogram.add([line(second)], [INFO])
    assert MAX_SECONDS * 0.8 < histogram.total <= MAX_SECONDS
    histogram.clear()
    histogram.add([b"no time at all, and longer"], [INFO])
    assert histogram.bars() is None
