"""The reflector: lists, then watches, and puts what it hears into the delta FIFO, whatever the network does.

The rules are client-go's (reflector.go, 0.37) except where a comment says otherwise; docs/informerd.md names them.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from informerd.backoff import Backoff
from informerd.clock import Clock, sleep_or
from informerd.delta_fifo import Added, Bookmark, Change, Deleted, DeltaFifo, Updated
from informerd.errors import (
    ApiError,
    Expired,
    Forbidden,
    InformerdError,
    NotFound,
    ResourceVersionTooLarge,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from informerd.event_stream import EventStream, WatchEvent
from informerd.health import HealthMonitor, State
from informerd.list_watch import ListWatch
from informerd.objects import Object
from informerd.pager import list_all
from informerd.probe import Probe
from informerd.streaming_list import Patience, StreamedList, collect
from informerd.vigil import Vigil

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

WatchErrorHandler = Callable[[Exception], None]
"""Called for failures of a list, of a watch and of a watch's start, before the wait for the next try."""


class ReflectorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Times are in seconds."""

    page_size: int = 500
    watch_timeout: float = 300.0
    """The API server is asked to end each watch after between one and two times this."""
    streaming_lists: bool = True
    internal_error_retry: float = 0.0
    """How long a watch that ends with InternalError is taken up again without a relist."""
    watch_interval: float = 1.0
    """Watches start this far apart at least, and one that ends sooner without an event counts as a failure."""
    silence: float = 150.0
    """A watch that has sent periodic bookmarks and then nothing for so long is dead."""
    absent_retry: float = 5.0
    """The longest wait before a resource that does not exist is asked for again."""
    chance: Callable[[], float] = random.random


class ShortWatch(InformerdError):
    """The API server ended a watch at once and without an event."""


class Reflector(Generic[T]):
    """Mirrors one resource into `fifo` until cancelled; never ends by itself and never raises."""

    def __init__(
        self,
        list_watch: ListWatch[T],
        fifo: DeltaFifo[T],
        *,
        clock: Clock,
        monitor: HealthMonitor,
        probe: Probe | None = None,
        settings: ReflectorSettings | None = None,
    ) -> None:
        self.on_error: WatchErrorHandler | None = None
        self.last_resource_version = ""
        """The newest version that was heard of; a watch goes on from here."""
        self._source = list_watch
        self._fifo = fifo
        self._clock = clock
        self._monitor = monitor
        self._probe = probe
        self._settings = settings or ReflectorSettings()
        self._name = list_watch.resource.key
        self._backoff = Backoff(clock, chance=self._settings.chance)
        self._listed = False
        self._version_unavailable = False  # the last list met Expired or TooLarge: ask for any version
        self._paginated = False  # the list at version 0 came in pages, so it is served by etcd: go on in pages
        self._from_start = False  # the watch began at "" or "0": its first ADDED events are no news
        self._stream: EventStream[T] | None = None
        self._dead = ""  # why the stream was closed from this side
        self._probe_failing = False
        self._wake = asyncio.Event()
        self._last_start = -self._settings.watch_interval + clock.now()
        self._lists = self._watches = 0
        self._internal_errors_since: float | None = None

    async def run(self) -> None:
        """Until cancelled."""
        if self._probe is not None:
            self._probe.subscribe(self)
        try:
            while True:
                try:
                    await self._list_and_watch()
                except Exception as error:  # noqa: BLE001 - whatever it is, it is reported and tried again
                    await self._recover(error)
        finally:
            if self._probe is not None:
                self._probe.unsubscribe(self)

    def probe_answered(self) -> None:
        """The API server is alive: what waits for it may try at once."""
        self._monitor.heard()
        if self._probe_failing:
            self._probe_failing = False
            self._wake.set()

    def probe_failed(self, problem: str) -> None:
        """The API server does not answer: what the stream says, or does not say, is worth nothing."""
        self._probe_failing = True
        if self._stream is not None:
            self._declare_dead(problem)

    async def _list_and_watch(self) -> None:
        self._lists += 1
        self._monitor.relists = self._lists - 1
        stream = await self._watch_list() if self._settings.streaming_lists else None
        if stream is None:
            await self._list()
        await self._watch(stream)

    # Streaming list

    async def _watch_list(self) -> EventStream[T] | None:
        """Replace the store from a streaming list; its stream, or None where a plain list must do."""
        while True:
            version = "" if self._version_unavailable else self.last_resource_version
            try:
                started = self._clock.now()
                stream = await self._start_watch(version, send_initial_events=True)
                streamed = await self._collect(stream)
            except (Unreachable, TooManyRequests) as error:
                await self._hold(error)
            except (Expired, ResourceVersionTooLarge) as error:
                if not version:
                    return self._no_streaming_list(error)
                self._version_unavailable = True
            except InformerdError as error:
                return self._no_streaming_list(error)
            else:
                if streamed is not None:
                    return await self._replace_from(stream, streamed)
                if self._clock.now() - started < self._settings.watch_interval:
                    return self._no_streaming_list(ShortWatch("the API server ended the streaming list at once"))

    def _no_streaming_list(self, error: InformerdError) -> EventStream[T] | None:
        log.debug("%s: no streaming list, falling back to pages: %s", self._name, error)
        return None

    async def _collect(self, stream: EventStream[T]) -> StreamedList[T] | None:
        """The list that the stream begins with. The stream is closed unless that comes."""
        patience = Patience(stream, clock=self._clock, name=self._name)
        watching = asyncio.create_task(patience.run())
        streamed = None

        def progress(count: int, remaining: int | None) -> None:
            patience.heard()
            self._progress(count, remaining)

        self._stream, self._dead = stream, ""
        self._progress(0, None)
        try:
            streamed = await collect(stream, progress)
        except Unreachable:
            log.debug("%s: the streaming list was cut off", self._name)
        finally:
            watching.cancel()
            self._stream = None
            if streamed is None:
                await stream.release()
        if patience.gave_up:
            raise InformerdError("the API server does not send the bookmark that ends a streaming list")
        if self._dead:
            raise Unreachable(self._dead)
        return streamed

    async def _replace_from(self, stream: EventStream[T], streamed: StreamedList[T]) -> EventStream[T]:
        try:
            await self._replace(streamed.objects, streamed.resource_version)
        except BaseException:
            await stream.release()
            raise
        return stream

    # List

    async def _list(self) -> None:
        """Replace the store from a list; where the version is gone or not there yet, once more at any version."""
        try:
            await self._list_at("" if self._version_unavailable else self.last_resource_version or "0")
        except (Expired, ResourceVersionTooLarge):
            self._version_unavailable = True
            await self._list_at("")

    async def _list_at(self, version: str) -> None:
        paged = version in ("", "0") or self._paginated
        limit = self._settings.page_size if paged else 0
        listing = await list_all(self._source, version, limit=limit, progress=self._progress)
        if version == "0" and listing.paginated:
            self._paginated = True
        await self._replace(listing.objects, listing.resource_version)

    async def _replace(self, objects: dict[str, T], version: str) -> None:
        self._version_unavailable = False
        self._fifo.replace(objects, version)
        self._monitor.listed, self._monitor.remaining = len(objects), None
        await self._fifo.processed()
        self.last_resource_version = version
        self._listed = True

    def _progress(self, count: int, remaining: int | None) -> None:
        self._monitor.heard()
        self._monitor.listed, self._monitor.remaining = count, remaining
        if not self._listed:
            self._monitor.become("syncing")

    # Watch

    async def _watch(self, stream: EventStream[T] | None) -> None:
        """Watch until a relist is needed, and raise why."""
        while True:
            began = self._clock.now()
            if stream is None:
                stream = await self._open_watch()
            try:
                await self._follow(stream, began)
            except (TooManyRequests, Unreachable) as error:
                await self._hold(error)
            except ServerError as error:
                if not self._may_retry(error):
                    raise
            else:
                self._internal_errors_since = None
            finally:
                self._stream = None
                await stream.release()
            stream = None

    async def _open_watch(self) -> EventStream[T]:
        """Begin a watch at the last version. No answer and 429 are waited out; other failures are raised."""
        while True:
            try:
                stream = await self._start_watch(self.last_resource_version)
            except (TooManyRequests, Unreachable) as error:
                await self._hold(error)
            else:
                self._from_start = self.last_resource_version in ("", "0")
                return stream

    async def _start_watch(self, version: str, *, send_initial_events: bool = False) -> EventStream[T]:
        wait = self._last_start + self._settings.watch_interval - self._clock.now()
        if wait > 0:  # a server that ends each watch after one event must not make a hot loop of this
            await self._clock.sleep(wait)
        started = self._clock.now()
        lasting = self._settings.watch_timeout * (1 + self._settings.chance())
        stream = await self._source.watch(version, lasting=lasting, send_initial_events=send_initial_events)
        self._last_start = started
        self._watches += 1
        self._monitor.reconnects = self._watches - 1
        return stream

    async def _follow(self, stream: EventStream[T], began: float) -> None:
        """Take events until the stream ends. Raises what ended it, unless it was the API server's own time-out."""
        self._stream, self._dead = stream, ""
        self._monitor.heard()
        self._monitor.become("live")
        vigil = Vigil(self._clock, self._settings.silence, self._fell_silent)
        events_came = False
        try:
            while events := await stream.batch():
                events_came = True
                vigil.word(bookmark=self._take(events))
        except Unreachable as error:
            log.debug("%s: the watch was cut off: %s", self._name, error)
        finally:
            vigil.end()
        if self._dead:
            raise Unreachable(self._dead)
        if not events_came and self._clock.now() - began < self._settings.watch_interval:
            raise ShortWatch("the API server ended the watch at once")

    def _take(self, events: list[WatchEvent[T]]) -> bool:
        """Queue what came; whether a bookmark was in it."""
        changes: list[Change[T] | Bookmark] = []
        bookmark = False
        for event in events:
            obj = event.object
            if obj is None:
                if event.type == "BOOKMARK":
                    bookmark = True
                    changes.append(Bookmark(event.resource_version))
            elif event.type == "MODIFIED":
                changes.append(Updated(obj.key, obj))
            elif event.type == "ADDED":
                changes.append(Added(obj.key, obj))
            else:
                changes.append(Deleted(obj.key, obj))
            self._advance(event)
        if bookmark:
            self._monitor.heard_bookmark()
        if not bookmark or len(events) > 1:
            self._monitor.heard_event()
        self._fifo.extend(changes)
        return bookmark

    def _advance(self, event: WatchEvent[T]) -> None:
        if self._from_start:
            if event.type == "ADDED":
                return
            self._from_start = False
        if event.resource_version:
            self.last_resource_version = event.resource_version

    def _may_retry(self, error: ServerError) -> bool:
        if error.status.reason != "InternalError":
            return False
        now = self._clock.now()
        if self._internal_errors_since is None:
            self._internal_errors_since = now
        return now - self._internal_errors_since < self._settings.internal_error_retry

    def _fell_silent(self) -> None:
        self._declare_dead(f"nothing was heard for {self._settings.silence:g} s")

    def _declare_dead(self, problem: str) -> None:
        self._dead = problem
        self._monitor.become(self._state_after(None), problem)
        if self._stream is not None:
            self._stream.close()

    # Failures

    async def _recover(self, error: Exception) -> None:
        """Wait before a relist."""
        delay = self._backoff.next()
        if isinstance(error, NotFound):
            delay = min(delay, self._settings.absent_retry)
            await self._vanish()
        await self._pause(error, delay)

    async def _hold(self, error: ApiError | Unreachable) -> None:
        """Wait before the same request is made again."""
        await self._pause(error, self._backoff.next())

    async def _pause(self, error: Exception, delay: float) -> None:
        self._tell(error)
        if not isinstance(error, InformerdError):
            log.error("%s: unexpected failure", self._name, exc_info=error)
        if isinstance(error, ApiError) and error.retry_after is not None:
            delay = max(delay, error.retry_after)
        problem = f"the API server has no {self._name}" if isinstance(error, NotFound) else str(error)
        self._monitor.become(self._state_after(error), problem, self._clock.time() + delay)
        self._wake.clear()
        await sleep_or(self._wake, delay, self._clock)

    def _tell(self, error: Exception) -> None:
        if self.on_error is not None:
            try:
                self.on_error(error)
            except Exception:
                log.exception("%s: the watch-error handler failed", self._name)

    async def _vanish(self) -> None:
        """The resource does not exist (any more): neither do its objects."""
        if self._listed:
            self._fifo.replace({}, "")
            await self._fifo.processed()
        self._listed = False
        self._monitor.listed = 0
        self.last_resource_version = ""
        self._version_unavailable = self._paginated = False

    def _state_after(self, error: Exception | None) -> State:
        if isinstance(error, NotFound):
            return "absent"
        if self._listed:
            return "stale"
        return "forbidden" if isinstance(error, (Forbidden, Unauthorized)) else "unreachable"
