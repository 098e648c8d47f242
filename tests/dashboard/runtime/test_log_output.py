"""Tests of the log's filter and of its lines."""

from __future__ import annotations

import asyncio
import logging

import pytest

from dashboard.runtime.log_output import PlainFormatter, RoutineFilter
from informerd import Controller, Request
from informerd.cache.health import HealthMonitor
from tests.support.clock import FakeClock
from tests.support.wait import eventually


def test_a_kind_that_starts_as_it_should_is_no_line_and_all_other_changes_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    monitor = HealthMonitor(FakeClock(), "pods")
    with caplog.at_level(logging.INFO, "informerd"):
        monitor.set_state("syncing")
        monitor.set_state("live")
        monitor.set_state("stale", "no answer")
        monitor.set_state("live")
    shown = [record.message for record in caplog.records if RoutineFilter().filter(record)]
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
    assert [record.message for record in caplog.records if RoutineFilter().filter(record)] == []


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("pods: live → stale", "WARNING pods: live → stale"),
        ("denied: \x1b]0;title\x07\x1b[2J", r"WARNING denied: \x1b]0;title\x07\x1b[2J"),
        ("denied\nWARNING all is well", "WARNING denied\n    WARNING all is well"),
        ("a\r\nb\u2028c\x9b", "WARNING a\\r\n    b\\u2028c\\x9b"),
        ("a\u202eb\u2066c\u200fd\u061c", r"WARNING a\u202eb\u2066c\u200fd\u061c"),
        ("a\tb", "WARNING a\tb"),
    ],
)
def test_no_text_of_others_looks_like_a_line_or_reaches_the_terminal(message: str, line: str) -> None:
    record = logging.LogRecord("dashboard", logging.WARNING, __file__, 1, "%s", (message,), None)
    assert PlainFormatter("{levelname} {message}", style="{").format(record) == line
