"""Tests of what a controller remembers of its reconciles: durations, failures, and errors in one line."""

from __future__ import annotations

from informerd.controller.reconcile_stats import MAX_FAILED, ReconcileStats, format_error
from informerd.controller.request import Request
from tests.support.clock import FakeClock


def test_quantiles_are_of_the_last_thousand_durations(clock: FakeClock) -> None:
    stats = ReconcileStats(clock)
    assert stats.quantiles(0.5, 0.99) == [None, None]
    for _ in range(500):
        stats.record_end("success", 1000.0)
    for number in range(1, 1001):
        stats.record_end("success", float(number))
    assert stats.quantiles(0.5, 0.99) == [500.0, 990.0]
    assert stats.counters.outcomes == {"success": 1500}
    assert sum(stats.counters.seconds.counts) == 1500


def test_one_duration_is_every_quantile(clock: FakeClock) -> None:
    stats = ReconcileStats(clock)
    stats.record_end("error", 2.0)
    assert stats.quantiles(0.5, 0.99) == [2.0, 2.0]


def test_the_last_failed_requests_are_remembered_the_newest_first(clock: FakeClock) -> None:
    stats = ReconcileStats(clock)
    requests = [Request("", f"n{number}") for number in range(MAX_FAILED + 10)]
    for request in requests:
        stats.record_failure(request, OSError("x"), 1.0)
    stats.record_failure(requests[20], OSError("y"), None)
    keys = [failed.key for failed in stats.recent_failures]
    assert len(keys) == MAX_FAILED
    assert keys[:3] == ["n20", "n59", "n58"]
    assert (stats.recent_failures[0].failures, stats.recent_failures[0].retry_at) == (2, None)
    stats.record_success(requests[20])
    assert [failed.key for failed in stats.recent_failures][:2] == ["n59", "n58"]


def test_failures_in_a_row_are_counted_however_many_other_requests_fail(clock: FakeClock) -> None:
    stats = ReconcileStats(clock)
    requests = [Request("", f"n{number}") for number in range(MAX_FAILED + 10)]
    for request in requests * 3:
        stats.record_failure(request, OSError("x"), 1.0)
    assert {failed.failures for failed in stats.recent_failures} == {3}
    for request in requests:
        stats.record_success(request)
    stats.record_failure(requests[0], OSError("x"), 1.0)
    assert [failed.failures for failed in stats.recent_failures] == [1]


def test_an_error_is_shown_in_one_line_of_bounded_length() -> None:
    assert format_error(OSError("two\n  lines")) == "OSError: two lines"
    assert format_error(KeyError()) == "KeyError"
    assert len(format_error(OSError("x" * 10_000))) == 500
