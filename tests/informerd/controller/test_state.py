"""Tests of the snapshot of a controller's state."""

from __future__ import annotations

from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, Script, running


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
