"""Reflector: lists, then watches, and puts the changes into the delta FIFO, whatever the network does.

The rules are client-go's (reflector.go, 0.37) except where a comment says otherwise.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Generic, TypeVar

from informerd.cache.api_server_probe import Probe
from informerd.cache.backoff import Backoff, RetryWindow
from informerd.cache.counters import ReflectorCounters
from informerd.cache.delta_fifo import DeltaFifo
from informerd.cache.first_byte_wait import LATE_AFTER, FirstByteWait
from informerd.cache.health import HealthMonitor
from informerd.cache.list_watch import ListWatch
from informerd.cache.list_watch_outcome import count_attempt
from informerd.cache.pager import Listing, list_all
from informerd.cache.reflector_failures import Recovery
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.streaming_list import StreamedList
from informerd.cache.watch_session import OVERTIME_GRACE_SECONDS, Cursor, HistoryLost, WatchSession
from informerd.clock import Clock
from informerd.errors import (
    Expired,
    InformerdError,
    NotBegun,
    NotFound,
    ResourceVersionTooLarge,
    ServerError,
    TooManyRequests,
    Unreachable,
)
from informerd.log_throttle import LogThrottle
from informerd.objects import Object
from informerd.resource_version import is_before

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

STREAMING_LIST_TRIES = 3
"""Number of times in a row that a streaming list may be cut off before a plain list is tried. (client-go would go on
for ever: a proxy that cuts every answer after 30 s would keep a large list from ever coming.)"""


MIN_WATCH_SECONDS = 2.0
"""Seconds after which a watch has not failed at once."""


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
        self._source = list_watch
        self._fifo = fifo
        self._clock = clock
        self._monitor = monitor
        self._probe = probe
        self._settings = settings or ReflectorSettings()
        self._name = list_watch.resource.key
        self.counters = ReflectorCounters()
        self.recovery = Recovery(
            self._name,
            clock=clock,
            monitor=monitor,
            backoff=self._backoff(),
            on_unreachable=probe.suspect if probe is not None else None,
        )
        self._list_settings = self._settings
        """Those of the list under way."""
        self._cursor = Cursor()
        self._session: WatchSession[T] | None = None
        self._first_byte = FirstByteWait(clock, self._while_live)
        self._version_unavailable = False  # the last list met Expired or TooLarge: ask for any version
        self._broken = False  # a connection broke, or none came: the server that answers next may be an older one
        self._paginated = False  # the list at version 0 came in pages, so it is served by etcd: go on in pages
        self._followed = False  # a watch has lasted since the last list
        self._last_start = clock.now() - self._settings.watch_interval
        self._lists = self._watches = 0
        self._not_streamed: Exception | None = None  # why the last list did not come as a stream
        self._logged_method = ""
        self._repeats = LogThrottle(clock)
        self._internal_errors = RetryWindow(clock, self._settings.internal_error_retry)

    @property
    def last_resource_version(self) -> str:
        """The newest version that was seen; a watch continues from here."""
        return self._cursor.version

    def _backoff(self) -> Backoff:
        settings = self._settings
        return Backoff(self._clock, base=settings.backoff, cap=settings.backoff_cap, chance=settings.chance)

    async def run(self) -> None:
        """Until cancelled."""
        if self._probe is not None:
            self._probe.subscribe(self)
        try:
            while True:
                try:
                    await self._list_and_watch()
                except NotFound as error:
                    await self._vanish()
                    await self.recovery.pause(error, at_most=self._settings.absent_retry)
                except (Expired, HistoryLost) as error:
                    await self.recovery.pause(error, at_most=self._before_relist())
                except Exception as error:  # noqa: BLE001 - a reflector tries again after any failure
                    await self.recovery.pause(error)
        finally:
            if self._probe is not None:
                self._probe.unsubscribe(self)

    def probe_answered(self, *, is_healthy: bool) -> None:
        """The API server is alive, and healthy or not."""
        self.recovery.probe_answered(is_healthy=is_healthy)

    def probe_failed(self, problem: str) -> None:
        """The API server does not answer, so an open stream does not prove that the data is fresh."""
        self.recovery.probe_failed()
        self._broken = True
        if self._session is not None:
            self._session.declare_dead(problem)
            return
        self._while_live(problem)  # between two watches
        self._first_byte.give_up()

    def _while_live(self, problem: str) -> None:
        if self._monitor.state == "live":
            self.recovery.declare_stale(problem)

    def _before_relist(self) -> float:
        """The longest wait before a list because the history is gone: short where that is not so time and again.

        An API server that is started again has forgotten it, and is well. (client-go waits by the backoff, which is a
        minute for the third or fourth restart in a row.)
        """
        followed, self._followed = self._followed, False
        return 2 * self._settings.backoff if followed else float("inf")

    async def _list_and_watch(self) -> None:
        self._lists += 1
        self._monitor.relists = self._lists - 1
        self._list_settings = self._settings.for_list(self._source.server_version)
        session = await self._watch_list() if self._list_settings.streaming_lists else None
        if session is None:
            await self._list()
        self._log_method(session is not None)
        await self._watch(session)

    async def _watch_list(self) -> WatchSession[T] | None:
        """Replace the store from a streaming list; its stream, or None where a plain list must do."""
        cut_off = 0
        while cut_off < STREAMING_LIST_TRIES:
            version = "" if self._version_unavailable else self._cursor.version
            await self._keep_interval()
            try:
                with count_attempt(self._clock, partial(self.counters.count_list, "stream")) as attempt:
                    session = await self._begin_watch(version, send_initial_events=True)
                    if await self._replace_from(session):
                        return session
                    attempt.outcome = "cut_off"
                cut_off += 1
            except InformerdError as error:
                if isinstance(error, (Expired, ResourceVersionTooLarge)) and version:
                    self._version_unavailable = True
                elif _is_to_be_waited_out(error):
                    await self.recovery.pause(error)
                else:
                    self._not_streamed = error
                    return None
        self._not_streamed = InformerdError(f"it was cut off {cut_off} times")
        return None

    def _log_method(self, streamed: bool) -> None:
        """Say that lists come in pages, and why, when that is news."""
        error, self._not_streamed = self._not_streamed, None
        reason = "" if streamed or error is None else type(error).__name__
        if reason and reason != self._logged_method and self._repeats.count(reason):
            fields = {"resource": self._name, "problem": str(error)}
            log.info("%s: listing in pages instead of a streaming list: %s", self._name, error, extra=fields)
        self._logged_method = reason

    async def _replace_from(self, session: WatchSession[T]) -> bool:
        """Whether the list came and is in the store; otherwise the session is over."""
        done = False
        self._session = session
        try:
            streamed = await session.collect(self._progress)
            if streamed is not None:
                await self._replace(streamed)
                done = True
        finally:
            if not done:
                await self._end(session)
        return done

    async def _list(self) -> None:
        """Replace the store from a list; where the version has expired or is too new, list once more at any version."""
        try:
            is_newest = self._version_unavailable or self._list_settings.consistent_lists
            await self._list_at("" if is_newest else self._cursor.version or "0")
        except (Expired, ResourceVersionTooLarge):
            self._version_unavailable = True
            await self._list_at("")

    async def _list_at(self, version: str) -> None:
        paged = version in ("", "0") or self._paginated
        settings = self._list_settings
        limit, largest = (settings.page_size, settings.largest_page) if paged else (0, 0)
        with count_attempt(self._clock, partial(self.counters.count_list, "pages")):
            listing = await list_all(
                self._source,
                version,
                limit=limit,
                largest=largest,
                progress=self._progress,
                clock=self._clock,
                whole_within=settings.whole_within if settings.consistent_lists else 0.0,
            )
        if version == "0" and listing.is_paginated:
            self._paginated = True
        await self._replace(listing)

    async def _replace(self, content: Listing[T] | StreamedList[T]) -> None:
        version = content.resource_version
        self._version_unavailable = self._broken = False
        self._monitor.listed, self._monitor.remaining = len(content.objects), None
        self._fifo.replace(content.objects, version, content.unusable, content.unreadable)
        await self._fifo.wait_until_processed()
        self._cursor.version, self._cursor.from_start = version, False
        self.recovery.has_list = True

    def _progress(self, count: int, remaining: int | None) -> None:
        self._monitor.record_contact()
        self._monitor.listed, self._monitor.remaining = count, remaining
        if not self.recovery.has_list:
            self._monitor.set_state("syncing")

    async def _watch(self, session: WatchSession[T] | None) -> None:
        """Watch until a relist is needed, and raise why."""
        while True:
            if session is None:
                session = await self._resume()
            try:
                await self._follow(session)
            except (TooManyRequests, Unreachable) as error:
                self._broken = self._broken or isinstance(error, Unreachable)
                await self.recovery.pause(error)
            except HistoryLost:
                self._version_unavailable = True
                raise
            except ServerError as error:
                if error.status.reason != "InternalError" or not self._internal_errors.can_retry():
                    raise
            session = None

    async def _follow(self, session: WatchSession[T]) -> None:
        self._session = session
        began = self._clock.now()
        try:
            session.check_alive()
            self._monitor.record_contact()
            self._monitor.set_state("live")
            self.recovery.record_success()
            with count_attempt(self._clock, self.counters.count_watch) as attempt:
                await session.follow()
                attempt.outcome = session.outcome
                self._broken = self._broken or session.outcome == "cut_off"
        finally:
            self._followed = self._followed or self._clock.now() - began > MIN_WATCH_SECONDS
            await self._end(session)

    async def _resume(self) -> WatchSession[T]:
        """Begin a watch at the last version. No answer and 429 are waited out; other failures are raised."""
        while True:
            await self._keep_interval()
            try:
                if self._broken:
                    await self._check_history()
                with count_attempt(self._clock, self.counters.count_failed_watch) as attempt:
                    session = await self._begin_watch(self._cursor.version)
                    attempt.outcome = ""
            except (TooManyRequests, Unreachable) as error:
                self._broken = self._broken or isinstance(error, Unreachable)
                await self.recovery.pause(error)
            else:
                self._cursor.from_start = self._cursor.version in ("", "0")
                return session

    async def _check_history(self) -> None:
        """Raise HistoryLost where the API server's version is older than one seen before.

        kube-apiserver accepts a watch from a version that it has not reached and is silent until it has, so that
        objects that a restored backup removed would stay in the store. (client-go does not notice.)
        """
        newest = (await self._first_byte.wait_for(self._source.page("", limit=1))).resource_version
        self._broken = False
        if is_before(newest, self._cursor.version):
            self._version_unavailable = True
            raise HistoryLost(f"the API server is at version {newest}, but was at {self._cursor.version} before")

    async def _keep_interval(self) -> None:
        """A server that ends each watch after one event must not make a hot loop of this."""
        wait = self._last_start + self._settings.watch_interval - self._clock.now()
        if wait > 0:
            await self._clock.sleep(wait)

    async def _begin_watch(self, version: str, *, send_initial_events: bool = False) -> WatchSession[T]:
        began = self._clock.now()
        lasting = self._settings.watch_timeout * (1 + self._settings.chance())
        answer = self._source.watch(
            version,
            timeout=lasting,
            begin_within=LATE_AFTER if send_initial_events else lasting + OVERTIME_GRACE_SECONDS,
            send_initial_events=send_initial_events,
        )
        stream = await self._first_byte.wait_for(answer)
        self._last_start = began
        self._watches += 1
        self._monitor.reconnects = self._watches - 1
        return WatchSession(
            stream,
            self._cursor,
            self._fifo,
            started_at=began,
            timeout=lasting,
            name=self._name,
            clock=self._clock,
            monitor=self._monitor,
            silence=self._settings.silence,
            on_dead=self.recovery.declare_stale,
        )

    async def _end(self, session: WatchSession[T]) -> None:
        self._session = None
        await session.release()

    async def _vanish(self) -> None:
        """Empty the store, because the resource does not exist, unless its objects are to stay."""
        if self.recovery.has_list and not self._settings.keep_absent:
            self._fifo.replace({}, "")
            await self._fifo.wait_until_processed()
        self.recovery.has_list = False
        self._monitor.listed = 0
        self._cursor = Cursor()
        self._version_unavailable = self._paginated = False


def _is_to_be_waited_out(error: InformerdError) -> bool:
    """Whether to retry a streaming list after this failure; false where it did not begin in time."""
    return isinstance(error, (TooManyRequests, Unreachable)) and not isinstance(error, NotBegun)
