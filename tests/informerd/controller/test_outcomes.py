"""What becomes of a request, by what its reconcile gives or raises."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from informerd.controller.attempt import outcome_of
from informerd.controller.controller import Controller
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import InvalidCall, InvalidReconcile, TerminalError
from tests.clock import FakeClock, settle
from tests.informerd.controller.rig import A, B, Script, running


async def test_an_error_is_tried_again_later_each_time(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock) as controller:
        controller.requeue(A)
        await settle()
        for seconds in (0.005, 0.01, 0.02):
            assert clock.sleeps == pytest.approx([seconds])
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
        await settle()
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
        await settle()
        assert clock.sleeps == []
        assert controller.state().failed[0].retry_at is None
        controller.requeue(A)
        await settle()
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
        await settle()
        controller.requeue(B)
        await settle()
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
            await settle()
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
            await settle()
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
            await settle()
        assert script.called == [A, B]
        assert controller.phase == "running"
        assert controller.state().reconciles == {"success": 2}


async def test_requeue_after_forgets_the_failures_and_waits_as_long_as_asked(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock) as controller:
        controller.requeue(A)
        await settle()
        script.answers[A] = Result(requeue_after=30)
        await clock.advance(0.0051)
        assert clock.sleeps == pytest.approx([30])
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
        await settle()
        assert len(script.called) > 10
        script.answers.clear()


async def test_requeue_is_again_by_the_rate_limiter_and_no_failure(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = Result(requeue=True)
    async with running(script, clock) as controller:
        controller.requeue(A)
        await settle()
        assert clock.sleeps == pytest.approx([0.005])
        await clock.advance(0.0051)
        assert clock.sleeps == pytest.approx([0.01])
        assert controller.state().reconciles == {"requeue": 2}
        assert controller.state().failed == ()


@pytest.mark.parametrize("wrong", ["soon", float("nan"), float("inf"), [3]], ids=repr)
def test_a_result_with_seconds_that_are_none_is_refused_where_it_is_made(wrong: Any) -> None:
    with pytest.raises(InvalidCall, match="give seconds as a number, or None for not at all"):
        Result(requeue_after=wrong)


def test_a_result_with_a_priority_that_is_none_is_refused_where_it_is_made() -> None:
    with pytest.raises(InvalidCall, match="give a whole number"):
        Result(priority="high")  # type: ignore[arg-type]


class Awaited:
    """No coroutine, but it can be awaited."""

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return Result(requeue_after=7)


async def test_whatever_can_be_awaited_is_a_reconcile(clock: FakeClock) -> None:
    async with running(lambda _: Awaited(), clock) as controller:
        controller.requeue(A)
        await settle()
        assert controller.state().reconciles == {"requeue_after": 1}


def plain(request: Request) -> None:
    """No async function."""


async def generator(request: Request) -> Any:
    yield request


async def nonsense(request: Request) -> Any:
    return {"requeue": True}


@pytest.mark.parametrize(
    ("reconcile", "sentence"),
    [
        (plain, "the reconcile plain of the controller demo gave None, which cannot be awaited: write it with `async"),
        (generator, "which cannot be awaited: write it with `async def`, and without `yield`"),
        (nonsense, "gave {'requeue': True}: return None, or Result(requeue_after=seconds)"),
    ],
)
async def test_a_reconcile_that_gives_nonsense_is_a_typed_error_that_says_what_to_do(
    clock: FakeClock, caplog: pytest.LogCaptureFixture, reconcile: Any, sentence: str
) -> None:
    async with running(reconcile, clock) as controller:
        controller.requeue(A)
        await settle()
        assert controller.phase == "running"
        (failed,) = controller.state().failed
        assert failed.error.startswith("InvalidReconcile: ")
        assert sentence in failed.error
        assert sentence in caplog.text
        assert controller.state().reconciles == {"panic": 1}


@pytest.mark.parametrize("reconcile", [None, "reconcile", 5])
def test_what_cannot_be_called_is_refused_where_the_controller_is_made(reconcile: Any) -> None:
    with pytest.raises(InvalidReconcile, match="`async def reconcile"):
        Controller("demo", reconcile)


async def takes_nothing() -> None: ...


async def takes_two(kind: str, request: Request) -> None: ...


@pytest.mark.parametrize("reconcile", [takes_nothing, takes_two])
def test_what_takes_no_request_is_refused_where_the_controller_is_made(reconcile: Any) -> None:
    with pytest.raises(InvalidReconcile, match=f"{reconcile.__name__}.* cannot be called with a request alone"):
        Controller("demo", reconcile)
    Controller("demo", partial(takes_two, "pods"))


async def test_a_reconcile_that_takes_too_long_is_cancelled_and_tried_again(clock: FakeClock) -> None:
    cancelled: list[Request] = []

    async def reconcile(request: Request) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(request)
            raise

    async with running(reconcile, clock, reconcile_timeout=5) as controller:
        controller.requeue(A)
        await settle()
        await clock.advance(4.9)
        assert cancelled == []
        await clock.advance(0.1)
        assert cancelled == [A]
        (failed,) = controller.state().failed
        assert failed.error == "ReconcileTimeout: not done within 5 s, and cancelled"
        assert controller.state().reconciles == {"timeout": 1}
        await clock.advance(0.0051)
        assert controller.active == 1


async def test_a_time_out_of_the_reconciles_own_is_an_error_like_others(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = TimeoutError("the printer does not answer")
    async with running(script, clock, reconcile_timeout=5) as controller:
        controller.requeue(A)
        await settle()
        assert controller.state().reconciles == {"error": 1}
        assert controller.state().failed[0].error == "TimeoutError: the printer does not answer"
        assert clock.sleeps == pytest.approx([0.005])


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
        await settle()
        script.answers.clear()
        await clock.advance(10)
        assert script.called == [A, B, A]
        assert "the rate limiter of the controller demo failed on default/a" in caplog.text


async def test_the_same_error_again_and_again_does_not_flood_the_log(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock) as controller:
        for _ in range(1000):
            controller.requeue(A)
            await settle(3)
        lines = [record.getMessage() for record in caplog.records if "failed on default/a" in record.getMessage()]
        assert len(script.called) == 1000
        assert len(lines) == 6
        assert lines[0] == "the controller demo failed on default/a: OSError: no route; next try in 0.005 s"
        assert lines[-1].endswith("(time 1,000 of this kind)")


async def test_what_the_library_raises_is_a_line_and_what_else_is_raised_comes_with_its_trace(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script()
    script.answers |= {A: InvalidCall("no name"), B: OSError("no route")}
    async with running(script, clock) as controller:
        controller.requeue(A)
        controller.requeue(B)
        await settle()
    traces = {
        record.getMessage().split()[5]: record.exc_info for record in caplog.records if record.levelname == "ERROR"
    }
    assert traces["default/a:"] is None
    assert traces["default/b:"]


async def test_a_reconcile_that_holds_up_the_event_loop_is_named_with_what_to_do(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    async def block() -> None:
        await asyncio.sleep(0)
        clock._now += 3
        await asyncio.sleep(0)

    script = Script()
    script.answers |= {A: block, B: lambda: clock.sleep(0.3)}
    async with running(script, clock) as controller:
        for _ in range(5):
            controller.requeue(A)
            await settle()
        controller.requeue(B)
        await settle()
        await clock.advance(1)
    lines = [record.getMessage() for record in caplog.records if "held up" in record.getMessage()]
    assert len(lines) == 3
    assert "of the controller demo held up the event loop for 3.0 s on default/a" in lines[0]
    assert "call it with asyncio.to_thread" in lines[0]
