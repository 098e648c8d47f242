"""Tests of reconciles that take too long or block the event loop."""

from __future__ import annotations

import asyncio

import pytest

from informerd.controller.request import Request
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
