"""Fifteen minutes of a controller, by step."""

from __future__ import annotations

from dashboard.controllers.history import RATE_SPAN, SPAN, STEP, Recorder
from informerd.workqueue.state import QueueState
from tests.controllers.made import NOW, controller


def look(recorder: Recorder, at: float, *, depth: int = 0, ended: int = 0, failed: int = 0) -> None:
    reconciles = {"success": ended - failed, "error": failed}
    recorder.look(controller(queue=QueueState(depth=depth), reconciles=reconciles), at)


def test_a_step_has_the_deepest_queue_that_was_seen_and_what_ended_in_it() -> None:
    recorder = Recorder()
    look(recorder, NOW, depth=3, ended=10)
    look(recorder, NOW + 1, depth=9, ended=14, failed=2)
    look(recorder, NOW + STEP, depth=1, ended=15, failed=2)
    history = recorder.history(NOW + STEP)
    assert history.depth[-2:] == (9, 1)
    assert history.ended[-2:] == (14, 1)
    assert history.failed[-2:] == (2, 0)
    assert (len(history.depth), history.step, history.begin) == (2, STEP, int(NOW))


def test_steps_older_than_15_minutes_are_forgotten_and_quiet_ones_are_zero() -> None:
    recorder = Recorder()
    look(recorder, NOW, depth=3, ended=1)
    look(recorder, NOW + SPAN, ended=2)
    history = recorder.history(NOW + SPAN)
    assert len(history.depth) == SPAN // STEP
    assert set(history.depth) == {0}
    assert sum(history.ended) == 1
    assert len(recorder._steps) == 1


def test_the_rate_is_that_of_the_last_ten_seconds() -> None:
    recorder = Recorder()
    for second in range(61):
        look(recorder, NOW + second, ended=second * 4 if second <= 50 else 200)
    assert recorder.history(NOW + 60).rate == 0
    look(recorder, NOW + 61, ended=200 + int(RATE_SPAN) * 3)
    assert recorder.history(NOW + 61).rate == 3.0


def test_a_clock_that_is_set_back_leaves_a_history_and_a_rate() -> None:
    recorder = Recorder()
    look(recorder, NOW, ended=5)
    for second in range(5):
        look(recorder, NOW - 3600 + second, ended=5 + second * 3)
    history = recorder.history(NOW - 3600 + 4)
    assert sum(history.ended) == 12
    assert history.rate == 3.0


def test_one_look_tells_no_rate() -> None:
    recorder = Recorder()
    look(recorder, NOW, ended=500)
    assert recorder.history(NOW).rate == 0


def test_a_controller_that_was_made_anew_counts_from_zero() -> None:
    recorder = Recorder()
    look(recorder, NOW, ended=100, failed=5)
    look(recorder, NOW + 1, ended=3, failed=1)
    assert recorder.history(NOW + 1).ended[-1] == 103
    assert recorder.history(NOW + 1).failed[-1] == 6


def test_panics_time_outs_and_terminal_errors_count_as_failed() -> None:
    recorder = Recorder()
    outcomes = {"success": 5, "requeue": 1, "error": 1, "panic": 1, "timeout": 1, "terminal": 1}
    recorder.look(controller(reconciles=outcomes), NOW)
    assert (recorder.history(NOW).ended[-1], recorder.history(NOW).failed[-1]) == (10, 4)
