"""Tests of an event loop in a thread: results, failures and cancellations across threads."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from informerd.blocking.informers import informers
from informerd.blocking.loop_thread import LoopThread
from informerd.errors import InformerStopped
from tests.support.wait import eventually


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    loop = LoopThread("test loop")
    loop.start()
    yield loop
    loop.close()
    assert "test loop" not in [thread.name for thread in threading.enumerate()]


def test_what_a_coroutine_gives_or_raises_reaches_the_thread_that_asked(loop: LoopThread) -> None:
    async def name() -> str:
        await asyncio.sleep(0)
        return threading.current_thread().name

    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError("not here")

    assert loop.run(name) == "test loop"
    with pytest.raises(LookupError, match="not here"):
        loop.run(fail)


def test_a_function_is_called_in_one_turn_of_the_loop(loop: LoopThread) -> None:
    assert loop.call(lambda: threading.current_thread().name) == "test loop"
    with pytest.raises(ZeroDivisionError):
        loop.call(lambda: 1 // 0)


def test_what_its_own_cancellation_ends_says_so(loop: LoopThread) -> None:
    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(InformerStopped):
        loop.run(cancelled)


def test_closing_cancels_what_runs_and_refuses_what_comes_later(loop: LoopThread) -> None:
    began, ended, raised = threading.Event(), threading.Event(), []

    async def forever() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    def ask() -> None:
        try:
            loop.run(forever)
        except InformerStopped as error:
            raised.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    assert began.wait(10)
    loop.close()
    asking.join(10)
    assert ended.is_set()
    assert raised == ["the informers were closed meanwhile"]
    with pytest.raises(InformerStopped, match="have been closed"):
        loop.call(lambda: None)
    loop.close()


def test_ctrl_c_in_the_thread_that_waits_cancels_what_it_waits_for(loop: LoopThread) -> None:
    waiting, ended = threading.get_ident(), threading.Event()

    async def forever() -> None:
        await eventually(lambda: sys._current_frames()[waiting].f_code is threading.Condition.wait.__code__)
        signal.pthread_kill(waiting, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        loop.run(forever)
    assert ended.wait(10)
    assert loop.call(lambda: "still there") == "still there"


@pytest.mark.parametrize("make", [lambda: 1 / 0, lambda: 5], ids=["raises", "gives no coroutine"])
def test_what_makes_no_coroutine_is_an_error_and_not_a_wait_for_ever(loop: LoopThread, make: Any) -> None:
    with pytest.raises((ZeroDivisionError, TypeError)):
        loop.run(make)


def test_before_it_is_open_nobody_waits_for_it() -> None:
    with pytest.raises(InformerStopped, match="are not open"):
        LoopThread("never").call(lambda: 1)
    cluster = informers()
    with pytest.raises(InformerStopped, match="are not open"):
        cluster.informer("pods")
    with pytest.raises(InformerStopped, match="are not open"):
        cluster.wait_for_sync(1)
    cluster.close()
