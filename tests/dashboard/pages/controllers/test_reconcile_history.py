"""Tests of the history of a controller: fifteen minutes, by step."""

from __future__ import annotations

from dashboard.pages.controllers.reconcile_history import HISTORY_SECONDS, RATE_WINDOW, STEP_SECONDS, HistoryRecorder
from informerd.workqueue.queue_state import QueueState
from tests.support.controllers.report_samples import NOW, controller


def look(recorder: HistoryRecorder, at: float, *, depth: int = 0, ended: int = 0, failed: int = 0) -> None:
    reconciles = {"success": ended - failed, "error": failed}
    recorder.observe(controller(queue=QueueState(depth=depth), reconciles=reconciles), at)


def test_a_step_has_the_deepest_queue_that_was_seen_and_what_ended_in_it() -> None:
    recorder = HistoryRecorder()
    look(recorder, NOW, depth=3, ended=10)
    look(recorder, NOW + 1, depth=9, ended=14, failed=2)
    look(recorder, NOW + STEP_SECONDS, depth=1, ended=15, failed=2)
    history = recorder.history(NOW + STEP_SECONDS)
    assert history.depth[-2:] == (9, 1)
    assert history.reconciles[-2:] == (14, 1)
    assert history.failures[-2:] == (2, 0)
    assert (len(history.depth), history.step, history.begin) == (2, STEP_SECONDS, int(NOW))


def test_steps_older_than_15_minutes_are_forgotten_and_quiet_ones_are_zero() -> None:
    recorder = HistoryRecorder()
    look(recorder, NOW, depth=3, ended=1)
    look(recorder, NOW + HISTORY_SECONDS, ended=2)
    history = recorder.history(NOW + HISTORY_SECONDS)
    assert len(history.depth) == HISTORY_SECONDS // STEP_SECONDS
    assert set(history.depth) == {0}
    assert sum(history.reconciles) == 1
    assert len(recorder._steps) == 1


def test_the_rate_is_that_of_the_last_ten_seconds() -> None:
    recorder = HistoryRecorder()
    for second in range(61):
        look(recorder, NOW + second, ended=second * 4 if second <= 50 else 200)
    assert recorder.history(NOW + 60).rate == 0
    look(recorder, NOW + 61, ended=200 + int(RATE_WINDOW) * 3)
    assert recorder.history(NOW + 61).rate == 3.0


def test_a_clock_that_is_set_back_leaves_a_history_and_a_rate() -> None:
    recorder = HistoryRecorder()
    look(recorder, NOW, ended=5)
    for second in range(5):
        look(recorder, NOW - 3600 + second, ended=5 + second * 3)
    history = recorder.history(NOW - 3600 + 4)
    assert sum(history.reconciles) == 12
    assert history.rate == 3.0


def test_one_look_tells_no_rate() -> None:
    recorder = HistoryRecorder()
    look(recorder, NOW, ended=500)
    assert recorder.history(NOW).rate == 0


def test_a_controller_that_was_made_anew_counts_from_zero() -> None:
    recorder = HistoryRecorder()
    look(recorder, NOW, ended=100, failed=5)
    look(recorder, NOW + 1, ended=3, failed=1)
    assert recorder.history(NOW + 1).reconciles[-1] == 103
    assert recorder.history(NOW + 1).failures[-1] == 6


def test_panics_time_outs_and_terminal_errors_count_as_failed() -> None:
    recorder = HistoryRecorder()
    outcomes = {"success": 5, "requeue": 1, "error": 1, "panic": 1, "timeout": 1, "terminal": 1}
    recorder.observe(controller(reconciles=outcomes), NOW)
    assert (recorder.history(NOW).reconciles[-1], recorder.history(NOW).failures[-1]) == (10, 4)
