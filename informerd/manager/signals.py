"""Signal handlers: the first SIGINT or SIGTERM starts an orderly end, the second one ends the process with 1."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

from informerd.errors import InvalidCall

log = logging.getLogger(__name__)

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Holds both signals inside ``with``, in the main thread; a loop that is blocked does not keep the second waiting.

    (controller-runtime's signals.SetupSignalHandler.)
    """

    def __init__(self) -> None:
        self._count = 0
        self._on_first: Callable[[str], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: dict[int, Any] = {}
        self._first = ""

    def __enter__(self) -> Self:
        try:
            self._before = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        except ValueError as error:
            raise InvalidCall("signals are for the main thread: elsewhere, await run() in an event loop") from error
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def on_first(self, function: Callable[[str], None]) -> None:
        """Call `function` with the first one's name, in the running event loop; at once where it has come already."""
        self._loop = asyncio.get_running_loop()
        self._on_first = function
        if self._count:
            self._loop.call_soon(function, self._first)

    def _handle(self, number: int, _: FrameType | None) -> None:
        self._count += 1
        if self._count > 1:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            os.write(2, f"{signal.Signals(number).name} again: ended at once\n".encode())
            os._exit(1)
        self._first = signal.Signals(number).name
        if self._loop is not None and self._on_first is not None:
            with contextlib.suppress(RuntimeError):  # the loop has been closed: it ends anyway
                self._loop.call_soon_threadsafe(self._on_first, self._first)


class LastResort:
    """Ends the process with 1 where the loop's end waits for tasks or threads that cannot be ended.

    asyncio.run waits for them without limit, threads of asyncio.to_thread among them, which nothing can cancel.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._done = threading.Event()

    def arm(self) -> None:
        """Start the countdown."""
        threading.Thread(target=self._wait, name="last resort", daemon=True).start()

    def disarm(self) -> None:
        """The loop has ended."""
        self._done.set()

    def _wait(self) -> None:
        if not self._done.wait(self._seconds):
            text = "tasks or threads do not end: the process ends without them"
            log.error(text, extra={"seconds": self._seconds})
            logging.shutdown()
            os._exit(1)


def is_in_loop() -> bool:
    """Whether an event loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
