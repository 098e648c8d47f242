"""Tests of the watchdog of an event loop: its report of a blocked one, and the moment when it gives up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import cast

import pytest

from informerd.leader_election.loop_watchdog import LoopWatchdog
from tests.support.clock import FakeClock


class Loop:
    """Stands in for a loop in another thread: it takes its turns when told to."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []
        self.closed = False

    def call_soon_threadsafe(self, callback: Callable[[], None]) -> None:
        if self.closed:
            raise RuntimeError("Event loop is closed")
        self.waiting.append(callback)

    def turn(self) -> None:
        waiting, self.waiting = self.waiting, []
        for callback in waiting:
            callback()


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def watch(loop: Loop, clock: FakeClock) -> LoopWatchdog:
    return LoopWatchdog(cast("asyncio.AbstractEventLoop", loop), threading.get_ident(), clock=clock, limit=60.0)


def wait_for_log() -> None:
    """Wait for the threads that write the log."""
    for thread in threading.enumerate():
        if thread.name == "loop watchdog's log":
            thread.join()


async def test_a_loop_that_answers_is_left_alone(
    watch: LoopWatchdog, loop: Loop, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    running = asyncio.create_task(watch.run())
    await clock.wait_for_sleeper()
    for _ in range(100):
        await clock.advance(1)
        loop.turn()
    assert caplog.text == ""
    assert not running.done()
    running.cancel()


async def test_a_blocked_loop_is_said_once_with_what_it_is_busy_with_and_again_when_it_goes_on(
    watch: LoopWatchdog, loop: Loop, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    running = asyncio.create_task(watch.run())
    await clock.wait_for_sleeper()
    await clock.advance(20)
    wait_for_log()
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("the event loop has been blocked for 5 s: call what blocks in asyncio.to_thread. It is in")
    assert "loop_watchdog.py" in said
    loop.turn()
    assert caplog.records[-1].getMessage() == "the event loop goes on after 20.0 s without a turn"
    await clock.advance(4)
    assert len(caplog.records) == 2
    running.cancel()


async def test_a_loop_that_does_not_come_back_is_given_up(watch: LoopWatchdog, clock: FakeClock) -> None:
    running = asyncio.create_task(watch.run())
    await clock.wait_for_sleeper()
    await clock.advance(60)
    assert await running == "the event loop has been blocked for 60 s"


async def test_a_loop_that_is_blocked_while_it_writes_a_log_line_is_given_up_too(
    watch: LoopWatchdog, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    running = asyncio.create_task(watch.run())
    await clock.wait_for_sleeper()
    caplog.handler.acquire()
    try:
        await clock.advance(60)
        assert await running == "the event loop has been blocked for 60 s"
        assert caplog.text == ""
    finally:
        caplog.handler.release()
    wait_for_log()
    assert "the event loop has been blocked for 5 s" in caplog.text


async def test_a_loop_that_was_closed_is_watched_no_more(watch: LoopWatchdog, loop: Loop) -> None:
    loop.closed = True
    assert await watch.run() == "the event loop has ended"
