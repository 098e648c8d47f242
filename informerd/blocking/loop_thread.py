"""Event loop in a thread of its own, for programs that have none."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from informerd.errors import InformerStopped, InsideEventLoop

R = TypeVar("R")


class LoopThread:
    """Runs functions and coroutines on its event loop, and returns their results to the calling thread.

    The thread is a daemon: a program may end without `close`.
    """

    def __init__(self, name: str) -> None:
        self._loop: Future[asyncio.AbstractEventLoop] = Future()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name=name, daemon=True)

    def start(self) -> None:
        """Start it. Raises InsideEventLoop."""
        refuse_inside_event_loop()
        self._thread.start()
        self._loop.result()

    def run(self, make: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Run the coroutine that `make` creates to its end; returns its result, or raises its error.

        An exception in the thread that waits, such as KeyboardInterrupt, cancels it. Raises InsideEventLoop, and
        InformerStopped before `start` and after `close`.
        """
        refuse_inside_event_loop()
        done: Future[R] = Future()
        running: list[asyncio.Task[R]] = []

        def begin() -> None:
            try:
                running.append(asyncio.create_task(make()))
            except BaseException as error:  # noqa: BLE001 - whatever `make` raises is for the thread that waits
                done.set_exception(error)
            else:
                running[0].add_done_callback(lambda task: _pass_on(task, done))

        self._soon(begin)
        try:
            return done.result()
        except CancelledError:
            raise InformerStopped("the informers were closed meanwhile") from None
        except BaseException:
            if not done.done():
                with contextlib.suppress(InformerStopped):
                    self._soon(lambda: running[0].cancel())
            raise

    def call(self, function: Callable[[], R]) -> R:
        """Call a function on the event loop, between two of its turns. Raises as `run`, and what it raises."""

        async def calling() -> R:
            return function()

        return self.run(calling)

    @property
    def is_open(self) -> bool:
        """Whether it was started; also true after `close`."""
        return self._loop.done()

    def close(self) -> None:
        """Cancel all that still runs and wait for the end of the thread. May be repeated."""
        with contextlib.suppress(InformerStopped):
            self._soon(self._end.set)
        self._thread.join()

    def _soon(self, callback: Callable[[], object]) -> None:
        if not self._loop.done():
            raise InformerStopped("the informers are not open: use them in a with block, or call open()")
        try:
            self._loop.result().call_soon_threadsafe(callback)
        except RuntimeError:
            raise InformerStopped("the informers have been closed") from None

    async def _main(self) -> None:
        self._loop.set_result(asyncio.get_running_loop())
        await self._end.wait()


def refuse_inside_event_loop() -> None:
    """Raise InsideEventLoop where the calling thread runs one: to wait here would stop it, perhaps for ever."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise InsideEventLoop


def _pass_on(task: asyncio.Task[R], done: Future[R]) -> None:
    if task.cancelled():
        done.cancel()
        done.set_running_or_notify_cancel()
    elif (error := task.exception()) is not None:
        done.set_exception(error)
    else:
        done.set_result(task.result())
