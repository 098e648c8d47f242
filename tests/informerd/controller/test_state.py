"""Tests of a controller's state: its counters, and a warning about reconciles that seem stuck."""

from __future__ import annotations

import asyncio

import pytest

from informerd.controller.reconcile_log import MAX_FAILED, ReconcileLog, format_error
from informerd.controller.request import Request
from informerd.controller.state import StuckKey
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, B, Script, running


async def test_it_says_who_it_is_and_what_it_has_done(clock: FakeClock) -> None:
    script = Script()
    async with running(script, clock, workers=3, resource="mydemos.crddemo.k8s.io") as controller:
        before = controller.state()
        assert (before.name, before.resource, before.workers) == ("demo", "mydemos.crddemo.k8s.io", 3)
        assert (before.phase, before.last_at, before.p50, before.reconciles) == ("running", None, None, {})
        controller.requeue(A)
        await run_ready_tasks()
        after = controller.state()
        assert after.reconciles == {"success": 1}
        assert after.last_at == clock.time()
        assert (after.queue.adds, after.queue.depth) == (1, 0)


def test_quantiles_are_of_the_last_thousand_durations(clock: FakeClock) -> None:
    stats = ReconcileLog(clock)
    assert stats.quantiles(0.5, 0.99) == [None, None]
    for _ in range(500):
        stats.record_end("success", 1000.0)
    for number in range(1, 1001):
        stats.record_end("success", float(number))
    assert stats.quantiles(0.5, 0.99) == [500.0, 990.0]
    assert stats.counters.outcomes == {"success": 1500}
    assert sum(stats.counters.seconds.counts) == 1500


def test_one_duration_is_every_quantile(clock: FakeClock) -> None:
    stats = ReconcileLog(clock)
    stats.record_end("error", 2.0)
    assert stats.quantiles(0.5, 0.99) == [2.0, 2.0]


def test_the_last_failed_requests_are_remembered_the_newest_first(clock: FakeClock) -> None:
    stats = ReconcileLog(clock)
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
    stats = ReconcileLog(clock)
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


async def test_a_reconcile_that_seems_stuck_is_warned_of_once_with_its_key_and_its_seconds(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    gate = asyncio.Event()
    script = Script()
    script.answers[A] = gate.wait
    async with running(script, clock, workers=2, stuck_after=60) as controller:
        await clock.advance(45)
        controller.requeue(A)
        await run_ready_tasks()
        await clock.advance(59)
        assert controller.state().stuck == ()
        await clock.advance(1)
        assert controller.state().stuck == (StuckKey("default/a", 60.0),)
        await clock.advance(600)
        lines = [record.getMessage() for record in caplog.records if "stuck" in record.getMessage()]
        assert lines == [
            "the controller demo has been reconciling default/a for 60 s: it may be stuck, and takes a worker"
        ]
        assert controller.counters.stuck == 1
        controller.requeue(B)
        await run_ready_tasks()
        assert script.called == [A, B]
        script.answers.clear()
        gate.set()
        await run_ready_tasks()
        assert controller.state().stuck == ()
    assert clock.pending_sleeps == []


async def test_one_that_is_stuck_anew_is_warned_of_anew(clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    script = Script()
    async with running(script, clock, stuck_after=60) as controller:
        for _ in range(2):
            gate = asyncio.Event()
            script.answers[A] = gate.wait
            controller.requeue(A)
            await run_ready_tasks()
            await clock.advance(61)
            script.answers[A] = None
            gate.set()
            await run_ready_tasks()
        assert controller.counters.stuck == 2
