"""What becomes of a request, by what its reconcile gives or raises."""

from __future__ import annotations

import pytest

from informerd.controller.result import Result
from informerd.errors import TerminalError
from tests.clock import FakeClock, settle
from tests.informerd.controller.rig import A, Script, running


async def test_an_error_is_tried_again_later_each_time(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock, stuck_after=None) as controller:
        controller.requeue(A)
        await settle()
        for seconds in (0.005, 0.01, 0.02):
            assert clock.sleeps == pytest.approx([seconds])
            await clock.advance(seconds + 0.0001)
        assert len(script.called) == 4
        (failed,) = controller.state().failed
        assert (failed.key, failed.error, failed.failures) == ("default/a", "OSError: no route", 4)
        assert failed.retry_at == pytest.approx(clock.time() + 0.04)


async def test_success_forgets_the_failures(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock, stuck_after=None) as controller:
        controller.requeue(A)
        await settle()
        script.answers.clear()
        await clock.advance(0.0051)
        assert controller.queue.num_requeues(A) == 0
        assert controller.state().failed == ()
        assert controller.state().reconciles == {"error": 1, "success": 1}


async def test_a_terminal_error_is_not_tried_again(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = TerminalError("never")
    async with running(script, clock, stuck_after=None) as controller:
        controller.requeue(A)
        await settle()
        assert clock.sleeps == []
        assert controller.state().failed[0].retry_at is None
        controller.requeue(A)
        await settle()
        assert script.called == [A, A]
        assert controller.state().failed[0].failures == 2


async def test_requeue_after_forgets_the_failures_and_waits_as_long_as_asked(clock: FakeClock) -> None:
    script = Script()
    script.answers[A] = OSError("no route")
    async with running(script, clock, stuck_after=None) as controller:
        controller.requeue(A)
        await settle()
        script.answers[A] = Result(requeue_after=30)
        await clock.advance(0.0051)
        assert clock.sleeps == pytest.approx([30])
        assert controller.queue.num_requeues(A) == 0
        assert controller.state().reconciles == {"error": 1, "requeue_after": 1}
