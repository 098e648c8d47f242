"""Tests of the outcomes of a request, by what its reconcile returns or raises."""

from __future__ import annotations

import asyncio

import pytest

from informerd.controller.reconcile_call import outcome_of
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import InvalidCall, InvalidReconcile, TerminalError
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, B, Script, running


async def test_an_error_is_tried_again_later_each_time(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        for seconds in (0.005, 0.01, 0.02):
            assert clock.pending_sleeps == pytest.approx([seconds])
            await clock.advance(seconds + 0.0001)
        assert len(script.called) == 4
        (failed,) = controller.state().failed
        assert (failed.key, failed.error, failed.failures) == ("default/a", "OSError: no route", 4)
        assert failed.retry_at
        assert failed.retry_at - failed.at == pytest.approx(0.04, abs=1e-4)
        assert failed.at == pytest.approx(clock.time(), abs=1e-3)


async def test_success_forgets_the_failures(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        script.answers.clear()
        await clock.advance(0.0051)
        assert controller.queue.num_requeues(A) == 0
        assert controller.state().failed == ()
        assert controller.state().reconciles == {"error": 1, "success": 1}


async def test_a_terminal_error_is_not_tried_again_until_the_object_comes_up_anew(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = TerminalError("never")
    async with running(script, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        assert clock.pending_sleeps == []
        assert controller.state().failed[0].retry_at is None
        controller.requeue(A)
        await run_ready_tasks()
        assert script.called == [A, A]
        assert controller.state().failed[0].failures == 2
        assert controller.state().reconciles == {"terminal": 2}


def chained(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (TerminalError("x"), "terminal"),
        (chained(OSError("x"), TerminalError("y")), "terminal"),
        (chained(TerminalError("x"), OSError("y")), "terminal"),
        (ExceptionGroup("both", [TerminalError("x"), TerminalError("y")]), "terminal"),
        (ExceptionGroup("one of two", [TerminalError("x"), OSError("y")]), "error"),
        (OSError("x"), "error"),
        (ValueError("x"), "error"),
        (RuntimeError("x"), "error"),
        (TimeoutError("its own"), "error"),
        (asyncio.CancelledError(), "panic"),
        (InvalidCall("x"), "error"),
        (InvalidReconcile("x"), "panic"),
        (KeyError("x"), "panic"),
        (AttributeError("x"), "panic"),
        (TypeError("x"), "panic"),
        (AssertionError("x"), "panic"),
        (ZeroDivisionError("x"), "panic"),
        (SystemExit(3), "panic"),
    ],
    ids=repr,
)
def test_what_an_error_means_shows_by_its_class_and_causes(error: BaseException, outcome: str) -> None:
    assert outcome_of(error) == outcome


def test_causes_that_go_in_a_circle_are_gone_through_once() -> None:
    one, other = OSError("one"), OSError("other")
    one.__cause__, other.__cause__ = other, one
    assert outcome_of(one) == "error"


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), SystemExit(3), asyncio.CancelledError(), BaseExceptionGroup("x", [SystemExit(1)])],
    ids=repr,
)
async def test_whatever_is_raised_ends_no_worker_and_is_tried_again(clock: FakeClock, error: BaseException) -> None:
    script = Script()
    script.answers[A] = error
    async with running(script, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        controller.requeue(B)
        await run_ready_tasks()
        assert script.called == [A, B]
        assert controller.state().reconciles == {"panic": 1, "success": 1}
        await clock.advance(0.0051)
        assert script.called == [A, B, A]


async def test_a_reconcile_that_cancels_its_own_task_harms_only_itself(clock: FakeClock) -> None:
    async def cancel() -> None:
        task = asyncio.current_task()
        assert task
        task.cancel()
        await asyncio.sleep(0)

    script = Script()
    script.answers[A] = cancel
    async with running(script, clock) as controller:
        for request in (A, B):
            controller.requeue(request)
            await run_ready_tasks()
        assert script.called == [A, B]
        assert controller.phase == "running"
        assert controller.state().reconciles == {"panic": 1, "success": 1}


async def test_an_error_that_cannot_say_what_it_is_ends_no_worker(clock: FakeClock) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise KeyError("field")

    script = Script()
    script.answers[A] = Mute()
    async with running(script, clock) as controller:
        for request in (A, B):
            controller.requeue(request)
            await run_ready_tasks()
        assert script.called == [A, B]
        (failed,) = controller.state().failed
        assert failed.error == "Mute: (what it says cannot be had: KeyError)"


async def test_a_cancellation_that_a_reconcile_leaves_behind_ends_no_worker(clock: FakeClock) -> None:
    async def leave() -> None:
        task = asyncio.current_task()
        assert task
        task.cancel()

    script = Script()
    script.answers[A] = leave
    async with running(script, clock) as controller:
        for request in (A, B):
            controller.requeue(request)
            await run_ready_tasks()
        assert script.called == [A, B]
        assert controller.phase == "running"
        assert controller.state().reconciles == {"success": 2}


async def test_requeue_after_forgets_the_failures_and_waits_as_long_as_asked(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        script.answers[A] = Result(requeue_after=30)
        await clock.advance(0.0051)
        assert clock.pending_sleeps == pytest.approx([30])
        assert controller.queue.num_requeues(A) == 0
        assert controller.state().reconciles == {"error": 1, "requeue_after": 1}
        await clock.advance(30)
        assert len(script.called) == 3


@pytest.mark.parametrize("seconds", [0, -5])
async def test_requeue_after_a_moment_that_has_passed_is_at_once_and_leaves_the_event_loop_its_turns(
    clock: FakeClock, seconds: float
) -> None:
    script = Script()
    script.answers[A] = Result(requeue_after=seconds)
    async with running(script, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        assert len(script.called) > 10
        script.answers.clear()


async def test_requeue_is_again_by_the_rate_limiter_and_no_failure(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = Result(requeue=True)
    async with running(script, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        assert clock.pending_sleeps == pytest.approx([0.005])
        await clock.advance(0.0051)
        assert clock.pending_sleeps == pytest.approx([0.01])
        assert controller.state().reconciles == {"requeue": 2}
        assert controller.state().failed == ()


class Broken:
    """A rate limiter that raises."""

    def when(self, item: Request) -> float:
        raise ValueError("no more numbers")

    def forget(self, item: Request) -> None:
        raise ValueError("no more numbers")

    def num_requeues(self, item: Request) -> int:
        return 0


async def test_a_rate_limiter_that_raises_loses_no_request_and_no_worker(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock, limiter=Broken()) as controller:
        controller.requeue(A)
        controller.requeue(B)
        await run_ready_tasks()
        script.answers.clear()
        await clock.advance(10)
        assert script.called == [A, B, A]
        assert "the rate limiter of the controller demo failed on default/a" in caplog.text
