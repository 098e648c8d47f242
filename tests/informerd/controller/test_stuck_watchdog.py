"""Tests of the warning about reconciles that seem stuck."""

from __future__ import annotations

import asyncio

import pytest

from informerd.controller.state import StuckKey
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, B, Script, running


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
