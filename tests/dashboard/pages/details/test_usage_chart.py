"""Tests of the charts of usage: the line, the limit, gaps, marks, and the same in words."""

from __future__ import annotations

import re

import msgspec
import pytest

from dashboard.objects.usage.past_usage import PastUsage, Sample
from dashboard.objects.usage.usage import Usage
from dashboard.pages.details.usage_chart import HEIGHT, SPANS, TOP, UsageChart, UsageCharts, usage_charts
from dashboard.pages.details.usage_marks import UsageMark
from tests.support.live.fake_usage import MEBIBYTE, usage

NOW = 1_800_003_600.0


def past(*samples: tuple[float, float]) -> PastUsage:
    """Samples of a minute each: seconds before NOW, and mebibytes; a core for each hundred of these."""
    made = tuple(
        Sample(NOW - before, 60, mebibytes / 100, mebibytes * MEBIBYTE) for before, mebibytes in sorted(samples)[::-1]
    )
    return PastUsage("1", "pods", "shop/web", NOW - 90_000, made)


def charts(samples: PastUsage | None, used: Usage | None = None, *marks: UsageMark, problem: str = "") -> UsageCharts:
    return usage_charts(used, samples, marks, NOW, problem)


def memory(of: UsageCharts) -> UsageChart:
    return of.charts[1]


def points(line: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([\d.]+),([\d.]+)", line)]


def test_the_line_goes_from_the_first_sample_to_now_and_reaches_the_top_where_most_is_used() -> None:
    chart = memory(charts(past(*[(60 * minute, minute) for minute in range(1, 61)])))
    found = points(chart.line)
    assert found[0] == (0.0, TOP)
    assert found[-1][0] == 1000.0
    assert found[-1][1] == pytest.approx(HEIGHT - (HEIGHT - TOP) / 60, abs=0.1)
    assert chart.line.count("M") == 1


def test_a_chart_is_a_quarter_of_an_hour_wide_at_least() -> None:
    found = points(memory(charts(past((60, 10)))).line)
    assert [round(x) for x, _ in found] == [933, 1000]


def test_what_was_not_measured_is_a_gap() -> None:
    chart = memory(charts(past(*[(60 * minute, 10) for minute in range(1, 61) if not 20 < minute < 40])))
    assert chart.line.count("M") == 2
    assert chart.area.count("Z") == 2
    assert len(chart.spans) < SPANS


@pytest.mark.parametrize(
    ("limit", "is_drawn", "top"), [(0.0, False, 100.0), (128.0, True, 128.0), (5_000.0, False, 100.0)]
)
def test_the_limit_is_drawn_where_usage_comes_near_it(limit: float, is_drawn: bool, top: float) -> None:
    used = usage("shop/web", 0.5, 100, of_mebibytes=limit)
    chart = memory(charts(past((600, 50), (60, 100)), used))
    assert bool(chart.limit_y) is is_drawn
    assert min(y for _, y in points(chart.line)) == pytest.approx(HEIGHT - 100 / top * (HEIGHT - TOP), abs=0.1)
    assert chart.share == (f"{100 / limit * 100:.0f}% of the limit {limit:.0f}Mi" if limit else "")


@pytest.mark.parametrize(("mebibytes", "tone"), [(40, "ok"), (80, "warn"), (96, "bad")])
def test_what_is_nearly_used_up_is_marked(mebibytes: float, tone: str) -> None:
    used = usage("shop/web", 0.5, mebibytes, of_mebibytes=100)
    assert memory(charts(None, used)).tone == tone
    assert charts(None, used).charts[0].tone == "idle"


def test_a_span_says_what_was_used_most_in_it() -> None:
    used = usage("shop/web", 0.5, 100, of_mebibytes=200)
    chart = memory(charts(past(*[(60 * minute, minute) for minute in range(1, 121)]), used))
    assert 0 < len(chart.spans) <= SPANS
    assert re.fullmatch(r"\d\d:\d\d – \d\d:\d\d UTC: at most 120Mi, 60%", chart.spans[0].words)


def test_a_span_says_that_pods_were_missing_in_its_sum() -> None:
    samples = [
        Sample(NOW - 600, 60, 0.1, 100.0 * MEBIBYTE),
        Sample(NOW - 60, 60, 0.1, 50.0 * MEBIBYTE, is_partial=True),
    ]
    spans = memory(charts(PastUsage("1", "deployments.apps", "shop/web", 0.0, tuple(samples)))).spans
    assert spans[0].words.endswith("at most 100Mi")
    assert spans[-1].words.endswith("at most 50Mi, not all pods measured")


def test_marks_stand_at_their_time_and_the_newest_are_written_out() -> None:
    marks = [UsageMark(NOW - 60 * minute, "restart", f"restart {minute}") for minute in range(50, 0, -5)]
    found = charts(past((3_600, 10), (60, 10)), None, UsageMark(NOW - 7_200, "rollout", "before"), *marks)
    assert len(found.marks) == 10
    assert [float(mark.x) for mark in found.marks] == pytest.approx(
        [1000 * (60 - m) / 60 for m in range(50, 0, -5)], abs=0.1
    )
    assert [mark.words for mark in found.newest_marks] == [f"restart {minute}" for minute in range(5, 35, 5)]
    assert found.more_marks == 4
    assert found.newest_marks[0].title == "Restart"


def test_the_chart_says_the_same_in_words() -> None:
    used = usage("shop/web", 0.25, 64, of_cpu=0.5)
    cpu = charts(past((600, 40), (60, 20)), used).charts[0]
    assert cpu.summary == "CPU: now 250m, 50% of the limit 500m, at most 400m in the time shown"
    assert charts(None).charts[0].summary == "CPU: not measured"


def test_the_most_that_was_used_gives_the_scale() -> None:
    found = charts(past((600, 40), (60, 20)), usage("shop/web", 0.25, 64))
    assert [chart.peak for chart in found.charts] == ["400m", "64Mi"]
    assert charts(None, usage("shop/web", 0.25, 64)).charts[0].peak == ""


def test_what_is_used_now_is_never_more_than_the_most() -> None:
    stored = past((60, 60.53))  # what may be stored of 0.6055 cores
    assert charts(stored, usage("shop/web", 0.6055, 64)).charts[0].peak == "606m"
    assert charts(stored, usage("shop/web", 0.3, 64)).charts[0].peak == "605m"


def test_dashed_lines_are_named_by_what_they_are() -> None:
    limited = usage("shop/web", 0.25, 64, of_cpu=0.5, of_mebibytes=128)
    assert charts(None, limited).dashed == "the limit"
    allocatable = msgspec.structs.replace(limited, cpu_basis="allocatable")
    assert charts(None, allocatable).dashed == "its node's allocatable, the limit"
    node = msgspec.structs.replace(allocatable, key="worker-1", memory_basis="allocatable")
    assert charts(None, node).dashed == "its allocatable"
    assert charts(None, node).charts[0].share == "50% of its allocatable 500m"
    assert charts(None, usage("shop/web", 0.25, 64)).dashed == ""


def test_nothing_measured_is_not_nothing_used() -> None:
    found = charts(None, problem="The metrics API does not answer.")
    assert found.is_empty
    assert (found.measured_at, found.problem) == ("", "The metrics API does not answer.")
    assert [chart.now for chart in found.charts] == ["", ""]
    assert not charts(past((60, 0))).is_empty


def test_a_sum_says_how_many_pods_are_in_it() -> None:
    assert charts(None, usage("shop/web", 0.5, 100, pods=38, unmeasured=2)).measured == "38 of 40 pods measured"
    assert charts(None, usage("shop/web", 0.5, 100, pods=40)).measured == ""
