"""Tests of the notifications about a controller's phase."""

from __future__ import annotations

import asyncio

import pytest

from informerd.controller.controller import Controller
from informerd.controller.state import Phase
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import Script


def fail(phase: Phase) -> None:
    raise OSError(f"no room for {phase}")


async def test_listeners_are_told_of_each_phase_once_whatever_one_of_them_raises(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    entered: list[Phase] = []
    controller = Controller("demo", Script(), clock=clock)
    controller.on_phase(fail)
    controller.on_phase(entered.append)
    task = asyncio.create_task(controller.run())
    await run_ready_tasks()
    assert (controller.phase, controller.state().phase) == ("running", "running")
    controller.stop()
    controller.stop()
    await task
    assert entered == ["waiting for caches", "running", "stopping", "stopped"]
    assert "a listener of the controller demo failed on the phase running" in caplog.text
