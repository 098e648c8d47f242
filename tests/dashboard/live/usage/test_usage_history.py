"""Tests of the past of objects: precision, the most of a span, size, and what gives way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.usage.usage_history import BYTES_A_SAMPLE, COARSE, FINE, UsageHistory, decode, encode
from dashboard.objects.usage.usage import Usage

BEGIN = 1_800_000_000.0
DAY = 24 * 3600


def usage(key: str, cpu: float = 0.1, memory: int = 2**20) -> Usage:
    return Usage(key, BEGIN, 15.0, cpu, memory)


@given(st.floats(min_value=1, max_value=2**50))
def test_an_amount_is_right_to_six_hundredths_of_a_percent(amount: float) -> None:
    for whole in (True, False):
        assert decode(encode(amount, is_whole=whole)) == pytest.approx(amount, rel=0.0006)


def test_nothing_used_is_not_the_same_as_nothing_known() -> None:
    assert decode(encode(0)) == 0
    with pytest.raises(ValueError, match="no sample"):
        decode(0)


def test_a_span_has_the_most_that_was_used_in_it() -> None:
    history = UsageHistory()
    for second, cpu in ((0, 0.2), (20, 0.9), (40, 0.3), (60, 0.1)):
        history.record("pods", [usage("shop/web", cpu)], BEGIN + second)
    older, newer = history.samples("pods", "shop/web", BEGIN + 70)
    assert (older.at, older.seconds) == (BEGIN, FINE[0])
    assert older.cpu == pytest.approx(0.9, rel=0.001)
    assert newer.cpu == pytest.approx(0.1, rel=0.001)


def test_a_sum_is_remembered_with_whether_pods_were_missing_in_it() -> None:
    history = UsageHistory()
    for second, cpu, unmeasured in (
        (0, 0.2, 1),
        (20, 0.9, 0),
        (60, 0.9, 0),
        (80, 1.2, 1),
        (120, 0.0, 1),
        (180, 0.0, 0),
    ):
        used = Usage("shop/web", BEGIN, 15.0, cpu, 2**20, pods=3, unmeasured=unmeasured)
        history.record("deployments.apps", [used], BEGIN + second)
    samples = history.samples("deployments.apps", "shop/web", BEGIN + 180)
    assert [each.is_partial for each in samples] == [False, True, True, False], "as the most of the span was"


def test_a_day_is_kept_the_newest_part_of_it_by_the_minute() -> None:
    history = UsageHistory()
    hours = 30
    for minute in range(hours * 60):
        history.record("pods", [usage("shop/web", minute + 1)], BEGIN + 60 * minute)
    now = BEGIN + 60 * (hours * 60 - 1)
    samples = history.samples("pods", "shop/web", now)
    fine = [each for each in samples if each.seconds == FINE[0]]
    coarse = [each for each in samples if each.seconds == COARSE[0]]
    assert len(fine) == FINE[1]
    assert fine[-1].cpu == pytest.approx(hours * 60, rel=0.001)
    assert [each.at for each in samples] == sorted(each.at for each in samples)
    assert coarse[-1].at + COARSE[0] <= fine[0].at
    assert now - DAY - COARSE[0] < coarse[0].at <= now - DAY + COARSE[0]
    assert coarse[-1].cpu == pytest.approx((coarse[-1].at - BEGIN) / 60 + 10, rel=0.001)


def test_what_was_not_measured_for_a_while_is_a_gap() -> None:
    history = UsageHistory()
    for second in (0, 60, 600):
        history.record("pods", [usage("shop/web")], BEGIN + second)
    assert [each.at - BEGIN for each in history.samples("pods", "shop/web", BEGIN + 600)] == [0, 60, 600]
    assert history.samples("pods", "shop/other", BEGIN + 600) == []
    assert history.samples("nodes", "shop/web", BEGIN + 600) == []


def test_a_clock_that_is_set_back_spoils_nothing() -> None:
    history = UsageHistory()
    history.record("pods", [usage("shop/web", 0.5)], BEGIN + 5400)
    history.record("pods", [usage("shop/web", 0.7)], BEGIN)
    samples = history.samples("pods", "shop/web", BEGIN + 5400)
    assert [each.at for each in samples] == sorted(each.at for each in samples)
    assert samples[-1].cpu == pytest.approx(0.5, rel=0.001)


def test_its_size_depends_on_the_number_of_objects_alone() -> None:
    history = UsageHistory()
    names = [f"shop/web-{number}" for number in range(100)]
    for minute in range(0, 25 * 60, 7):
        history.record("pods", map(usage, names), BEGIN + 60 * minute)
    assert history.size == BYTES_A_SAMPLE * 100 * (FINE[1] + COARSE[1])


def test_where_there_are_too_many_those_not_measured_for_the_longest_time_give_way() -> None:
    history = UsageHistory(max_series=3)
    history.record("pods", [usage("a"), usage("b"), usage("c")], BEGIN)
    history.record("pods", [usage("b"), usage("c")], BEGIN + 60)
    history.record("pods", [usage("d", 7.0)], BEGIN + 120)
    assert (len(history), history.forgotten) == (3, 1)
    assert history.samples("pods", "a", BEGIN + 120) == []
    assert [each.cpu for each in history.samples("pods", "d", BEGIN + 120)] == [pytest.approx(7.0, rel=0.001)]
    assert len(history.samples("pods", "b", BEGIN + 120)) == 2


def test_the_place_of_what_was_not_measured_for_a_day_is_used_again() -> None:
    history = UsageHistory()
    history.record("pods", [usage("old", 3.0)], BEGIN)
    history.record("pods", [usage("new")], BEGIN + DAY + 1_000)
    assert (len(history), history.forgotten) == (1, 0)
    assert len(history.samples("pods", "new", BEGIN + DAY + 1_000)) == 1


def test_a_peak_just_before_the_fine_samples_begin_is_not_lost_and_none_is_invented() -> None:
    history = UsageHistory()
    begin = 1.8e9
    history.record("pods", [usage("spiky", 9.0), usage("flat", 1.0)], begin + 30)
    history.record("pods", [usage("new", 2.0)], begin + 300)
    for minute in range(2, 95):
        history.record("pods", [usage("spiky", 1.0), usage("flat", 1.0)], begin + 60 * minute)
    now = begin + 60 * 94
    spiky = history.samples("pods", "spiky", now)
    assert (spiky[0].at, round(spiky[0].cpu)) == (begin, 9)
    assert spiky[0].at + spiky[0].seconds == spiky[1].at
    assert [sample.seconds for sample in history.samples("pods", "flat", now)] == [60] * 90


def test_samples_are_counted_while_spans_pass_and_objects_give_way() -> None:
    history = UsageHistory(max_series=2)
    history.record("pods", [usage("a"), usage("b", 0.0, 0)], BEGIN)
    history.record("pods", [usage("a")], BEGIN + 20)
    assert history.count == 4, "two objects in two rings"
    history.record("pods", [usage("a")], BEGIN + 60)
    assert history.count == 5, "a new minute of the same ten"
    history.record("pods", [usage("c")], BEGIN + 70)
    assert history.count == 5, "c has taken the place of b"
    history.record("pods", [usage("a")], BEGIN + FINE[0] * FINE[1])
    assert history.count == 6, "the first minute has given way to the newest"
