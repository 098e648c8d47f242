"""Watchdog of an event loop, in another thread: reports a blocked loop, and after a limit gives the lease up."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import traceback
from functools import partial

from informerd.clock import Clock

log = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two looks."""

BLOCKED_SECONDS = 5.0
"""Seconds without a turn, after which the log says what the loop is busy with."""


class LoopWatchdog:
    """Asks `loop`, which runs in `thread`, for a sign of life each second. `run` ends when there was none for `limit`.

    It also ends when the loop is closed, for then nobody is there to be watched. It waits for no lock that the blocked
    thread may hold, that of a log handler included: another thread writes the log.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, thread: int, *, clock: Clock, limit: float, what: str = "the event loop"
    ) -> None:
        self._loop = loop
        self._thread = thread
        self._clock = clock
        self._limit = limit
        self._what = what
        self._asked_at: float | None = None
        self._is_reported = False

    async def run(self) -> str:
        """Watch the loop until it is blocked for `limit` seconds or closed. Returns which, as a sentence."""
        while True:
            if self._asked_at is None:
                self._asked_at = self._clock.now()
                try:
                    self._loop.call_soon_threadsafe(self._answer)
                except RuntimeError:
                    return f"{self._what} has ended"
            await self._clock.sleep(INTERVAL)
            silent = self.silent_seconds
            if silent >= BLOCKED_SECONDS and not self._is_reported:
                self._is_reported = True
                self._say(silent)
            if silent >= self._limit:
                return f"{self._what} has been blocked for {silent:.0f} s"

    @property
    def silent_seconds(self) -> float:
        """Seconds for which the loop has owed an answer."""
        asked_at = self._asked_at
        return 0.0 if asked_at is None else self._clock.now() - asked_at

    def _answer(self) -> None:
        """Called by the loop."""
        silent, was_logged = self.silent_seconds, self._is_reported
        self._asked_at = None
        if was_logged:
            self._is_reported = False
            log.warning("%s goes on after %.1f s without a turn", self._what, silent, extra={"seconds": silent})

    def _say(self, silent: float) -> None:
        frame = sys._current_frames().get(self._thread)  # noqa: SLF001 - there is no other way to see what it does
        stack = "".join(traceback.format_stack(frame)[-6:]) if frame else "(its thread has ended)\n"
        fields = {"seconds": silent}
        text = "%s has been blocked for %.0f s: call what blocks in asyncio.to_thread. It is in\n%s"
        writing = partial(log.warning, text, self._what, silent, stack.rstrip(), extra=fields)
        threading.Thread(target=writing, name="loop watchdog's log", daemon=True).start()


def make_running_loop_watchdog(clock: Clock, limit: float) -> LoopWatchdog:
    """A watch over the loop that runs in this thread."""
    return LoopWatchdog(asyncio.get_running_loop(), threading.get_ident(), clock=clock, limit=limit)
