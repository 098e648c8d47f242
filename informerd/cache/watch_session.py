"""One open watch, from its first event to its end, which puts its events into the delta FIFO."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from informerd.cache.delta import Added, BecameUnreadable, Bookmark, Change
from informerd.cache.delta_fifo import DeltaFifo
from informerd.cache.health import HealthMonitor
from informerd.cache.pager import Progress
from informerd.cache.stream_watchdogs import StallWatchdog, StreamWatchdog
from informerd.cache.streaming_list import StreamedList, collect_initial_list
from informerd.cache.watch_event_stream import Event, EventStream, NotSelectedEvent, Unusable
from informerd.clock import Clock
from informerd.errors import InformerdError, Unreachable
from informerd.objects import Object
from informerd.resource_version import is_before

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

SHORT_WATCH_SECONDS = 1.0
"""Seconds; a watch that ends sooner without an event has failed."""

OVERTIME_GRACE_SECONDS = 30.0
"""Seconds beyond the time asked for after which a watch that the API server has not ended is ended from this side.

(client-go relies on the server. But what a proxy in between has forgotten is silent for ever, while probes go through.)
"""


class ShortWatch(InformerdError):
    """The API server ended a watch at once and without an event."""


class HistoryLost(InformerdError):
    """The API server is at a version before one seen earlier: it was restored from a backup, or is another one.

    (client-go does not notice: such a watch stays silent until the versions have caught up.)
    """


class Cursor(msgspec.Struct):
    """The last version that was read; a watch continues from there."""

    version: str = ""
    from_start: bool = False
    """The watch began at "" or "0": its first ADDED events are the current state, in no order, and not changes."""

    def advance(self, version: str, *, added: bool = False) -> None:
        """Take an event's version; `added`: it was an ADDED."""
        if self.from_start:
            if added:
                return
            self.from_start = False
        if version:
            self.version = version


class WatchSession(Generic[T]):
    """Reads one stream, and releases it. `on_dead` is called with the reason when the stream is found dead.

    It began at `started_at` (monotonic seconds), and the API server is to end it after `timeout` seconds.
    """

    def __init__(
        self,
        stream: EventStream[T],
        cursor: Cursor,
        fifo: DeltaFifo[T],
        *,
        started_at: float,
        timeout: float,
        name: str,
        clock: Clock,
        monitor: HealthMonitor,
        silence: float,
        on_dead: Callable[[str], None],
    ) -> None:
        self._stream = stream
        self._cursor = cursor
        self._fifo = fifo
        self._began = started_at
        self._ends_by = started_at + timeout + OVERTIME_GRACE_SECONDS
        self._name = name
        self._clock = clock
        self._monitor = monitor
        self._silence = silence
        self._on_dead = on_dead
        self._dead = ""
        self._events_came = False
        self.outcome = "ok"
        """Outcome of a stream that did not fail: ok, cut_off or overtime (see `list_watch_outcome`)."""

    async def collect(self, progress: Progress) -> StreamedList[T] | None:
        """The list that a streaming list's stream begins with; None if it ended before, and not at once.

        Raises what the stream raises, Unreachable where it was found dead, ShortWatch, and InformerdError where the
        API server does not know streaming lists.
        """
        watchdog = StallWatchdog(self._stream, clock=self._clock, name=self._name)
        watching = asyncio.create_task(watchdog.run())

        def advance(count: int, remaining: int | None) -> None:
            watchdog.record_event()
            self._events_came = True
            progress(count, remaining)

        progress(0, None)
        streamed = None
        try:
            streamed = await collect_initial_list(self._stream, advance)
        except Unreachable as error:
            log.debug("%s: the streaming list was cut off: %s", self._name, error)
        finally:
            watching.cancel()
        if watchdog.has_given_up:
            raise InformerdError("the API server does not send the bookmark that ends a streaming list")
        self._events_came |= streamed is not None
        self._check_end()
        return streamed

    async def follow(self) -> None:
        """Queue events until the stream ends; a broken connection is an end like any other, and so is overtime.

        Raises what the stream raises, Unreachable where it was found dead, and ShortWatch.
        """
        watchdog = StreamWatchdog(self._clock, self._silence, self._fell_silent)
        overtime = asyncio.create_task(self._end_overtime())
        try:
            while events := await self._stream.batch():
                self._events_came = True
                watchdog.record_event(bookmark=self._take(events))
        except Unreachable as error:
            log.debug("%s: the watch was cut off: %s", self._name, error)
            self.outcome = "cut_off"
        finally:
            watchdog.stop()
            overtime.cancel()
        self._check_end()

    def check_alive(self) -> None:
        """Raises Unreachable where it was found dead."""
        if self._dead:
            raise Unreachable(self._dead)

    def declare_dead(self, problem: str) -> None:
        """Close the stream because it can no longer be trusted."""
        self._dead = problem
        self._on_dead(problem)
        self._stream.close()

    async def release(self) -> None:
        """Close the connection."""
        await self._stream.release()

    async def _end_overtime(self) -> None:
        await self._clock.sleep(self._ends_by - self._clock.now())
        log.debug("%s: the API server has not ended the watch in time", self._name)
        self.outcome = "overtime"
        self._stream.close()

    def _check_end(self) -> None:
        self.check_alive()
        if not self._events_came and self._clock.now() - self._began < SHORT_WATCH_SECONDS:
            raise ShortWatch("the API server ended the watch at once")

    def _check_order(self, bookmark: str) -> None:
        """Check the order of bookmarks only.

        The versions of objects need not grow where an API server has no single history.
        """
        if not self._cursor.from_start and is_before(bookmark, self._cursor.version):
            raise HistoryLost(f"the API server is at version {bookmark}, but was at {self._cursor.version} before")

    def _fell_silent(self) -> None:
        self.declare_dead(f"the watch was silent for {self._silence:g} s")

    def _take(self, events: list[Event[T]]) -> bool:
        """Queue the events that came. Returns whether a bookmark was among them."""
        changes: list[Change[T]] = []
        bookmarks = 0
        for event in events:
            if isinstance(event, Bookmark):
                self._queue(changes)
                changes = []
                self._check_order(event.resource_version)
                self._pass(event)
                bookmarks += 1
            elif isinstance(event, (Unusable, NotSelectedEvent)):
                self._queue(changes)
                changes = []
                if not self._cursor.from_start:  # else it may have been an ADDED, whose version says nothing
                    self._pass(Bookmark(event.resource_version))
            else:
                changes.append(event)
        self._queue(changes)
        if bookmarks:
            self._monitor.record_bookmark()
        if bookmarks < len(events):
            self._monitor.record_event()
        return bookmarks > 0

    def _pass(self, bookmark: Bookmark) -> None:
        """Go on from a bookmark, and queue it where it says anything."""
        self._cursor.advance(bookmark.resource_version)
        if bookmark.resource_version:
            self._fifo.bookmark(bookmark)

    def _queue(self, changes: list[Change[T]]) -> None:
        """Queue changes, and go on from the last of them."""
        if not changes:
            return
        if not self._cursor.from_start:
            self._cursor.advance(changes[-1].object.metadata.resource_version)
        else:
            for change in changes:
                self._cursor.advance(
                    change.object.metadata.resource_version, added=isinstance(change, (Added, BecameUnreadable))
                )
        self._fifo.extend(changes)
