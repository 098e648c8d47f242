"""Tests of a reconcile's errors in the log."""

from __future__ import annotations

import pytest

from informerd.errors import InvalidCall
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, B, Script, running


@pytest.mark.slow
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
