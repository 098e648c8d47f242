"""Queue of events on their way from a recorder to the API server."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable

from informerd.clock import Clock, within
from informerd.errors import AlreadyStarted
from informerd.record.correlator import Correlator
from informerd.record.event import Event
from informerd.record.event_counts import RecorderState
from informerd.record.sink import EventSink
from informerd.rest.client import Client

QUEUE_SIZE = 1000
"""Events that wait at most, as client-go's broadcaster has it."""

log = logging.getLogger(__name__)


class EventQueue:
    """A queue that never waits, and the one task that empties it. `put` may be called from any thread."""

    def __init__(self, client: Client, clock: Clock, chance: Callable[[], float]) -> None:
        self._clock = clock
        self._correlator = Correlator(clock)
        self._writer = EventSink(client, clock, chance)
        self._queue: deque[Event] = deque()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._filled = asyncio.Event()
        self._idle = asyncio.Event()
        self._writing = False
        self._last_number = 0
        self._counts = {"created": 0, "repeated": 0, "filtered": 0, "refused": 0}
        self._dropped = 0
        self._dropping = False

    def next_nanoseconds(self, at: float) -> int:
        """Nanoseconds of a time, and never the same twice: two events of one moment have two names."""
        with self._lock:
            self._last_number = max(round(at * 1e9), self._last_number + 1)
            return self._last_number

    def put(self, event: Event) -> None:
        """Take an event, or drop it where too many wait."""
        with self._lock:
            if len(self._queue) < QUEUE_SIZE:
                self._queue.append(event)
                loop = self._loop
            else:
                self._drop(1, f"{QUEUE_SIZE:,} wait to be written already")
                return
        if loop is not None:
            try:
                loop.call_soon_threadsafe(self._filled.set)
            except RuntimeError:  # the loop has been closed: nobody will write it
                log.debug("an event came after the end")

    def count_refused(self) -> None:
        """Count a call that made no event."""
        with self._lock:
            self._counts["refused"] += 1

    async def run(self) -> None:
        """Write events as they come, until cancelled. Raises AlreadyStarted where another call runs."""
        if self._loop is not None:
            raise AlreadyStarted("these events are being written already, as by a manager whose recorder this is")
        self._loop = asyncio.get_running_loop()
        try:
            while True:
                while self._queue:
                    self._writing = True
                    await self._write(self._queue.popleft())
                self._writing = self._dropping = False
                self._idle.set()
                self._filled.clear()
                if not self._queue:
                    await self._filled.wait()
        finally:
            self._loop = None
            self._end()

    async def flush(self, seconds: float | None) -> bool:
        """Wait until no event waits or is being written, at most `seconds`. Returns whether that is so."""
        try:
            async with within(seconds, self._clock):
                while self._queue or self._writing:
                    self._idle.clear()
                    await self._idle.wait()
        except TimeoutError:
            return False
        return True

    def state(self) -> RecorderState:
        """Counts of the events so far."""
        return RecorderState(
            queued=len(self._queue), dropped=self._dropped, problem=self._writer.problem, **self._counts
        )

    async def _write(self, event: Event) -> None:
        outcome = "refused"
        try:
            correlated = self._correlator.correlate(event)
            outcome = "filtered" if correlated is None else await self._writer.write(correlated)
        except Exception:  # a fault of ours must not end the writing of all events that follow
            log.exception("an event about %s was lost", event.about.name, extra={"object": event.about.name})
        with self._lock:
            self._counts[outcome] += 1

    def _drop(self, count: int, why: str) -> None:
        self._dropped += count
        if not self._dropping:
            log.warning("events are dropped: %s", why, extra={"problem": why})
        self._dropping = True

    def _end(self) -> None:
        with self._lock:
            left = len(self._queue) + self._writing
            self._queue.clear()
            self._writing = False
            if left:
                self._drop(left, f"{left} were not written before the end")
        self._idle.set()
