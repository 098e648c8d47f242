"""What the dashboard's log leaves out."""

from __future__ import annotations

import asyncio
import logging

import pytest

from dashboard.logs import WorthALine
from informerd import Controller, Request
from informerd.cache.health import HealthMonitor
from tests.clock import FakeClock
from tests.wait import eventually


def test_a_kind_that_starts_as_it_should_is_no_line_and_all_other_changes_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    monitor = HealthMonitor(FakeClock(), "pods")
    with caplog.at_level(logging.INFO, "informerd"):
        monitor.become("syncing")
        monitor.become("live")
        monitor.become("stale", "no answer")
        monitor.become("live")
    shown = [record.message for record in caplog.records if WorthALine().filter(record)]
    assert shown == ["pods: live → stale: no answer", "pods: stale → live"]


async def test_a_controller_that_begins_and_ends_as_it_should_is_no_line(caplog: pytest.LogCaptureFixture) -> None:
    async def reconcile(_: Request) -> None: ...

    controller = Controller("sample", reconcile)
    with caplog.at_level(logging.INFO, "informerd"):
        running = asyncio.create_task(controller.run())
        await eventually(lambda: controller.phase == "running")
        controller.stop()
        await running
    assert "the controller sample has ended" in caplog.messages
    assert [record.message for record in caplog.records if WorthALine().filter(record)] == []
