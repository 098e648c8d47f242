"""Tests of reconciles that take too long, a rate limiter that raises, and errors in the log."""

from __future__ import annotations

import asyncio

import pytest

from informerd.controller.request import Request
from informerd.errors import InvalidCall
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, B, Script, running


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
        await run_ready_tasks()
        await clock.advance(4.9)
        assert cancelled == []
        await clock.advance(0.1)
        assert cancelled == [A]
        (failed,) = controller.state().failed
        assert failed.error == "ReconcileTimeout: not done within 5 s, so it was cancelled"
        assert controller.state().reconciles == {"timeout": 1}
        await clock.advance(0.0051)
        assert controller.active == 1


async def test_a_time_out_of_the_reconciles_own_is_an_error_like_others(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = TimeoutError("the printer does not answer")
    async with running(script, clock, reconcile_timeout=5) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        assert controller.state().reconciles == {"error": 1}
        assert controller.state().failed[0].error == "TimeoutError: the printer does not answer"
        assert clock.pending_sleeps == pytest.approx([0.005])


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


async def test_the_same_error_again_and_again_does_not_flood_the_log(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock) as controller:
        for _ in range(1000):
            controller.requeue(A)
            await run_ready_tasks(3)
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
        await run_ready_tasks()
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
        clock.skip(3)
        await asyncio.sleep(0)

    script = Script()
    script.answers |= {A: block, B: lambda: clock.sleep(0.3)}
    async with running(script, clock) as controller:
        for _ in range(5):
            controller.requeue(A)
            await run_ready_tasks()
        controller.requeue(B)
        await run_ready_tasks()
        await clock.advance(1)
    lines = [record.getMessage() for record in caplog.records if "held up" in record.getMessage()]
    assert len(lines) == 3
    assert "of the controller demo held up the event loop for 3.0 s on default/a" in lines[0]
    assert "call it with asyncio.to_thread" in lines[0]
