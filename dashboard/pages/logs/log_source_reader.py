"""Reads the logs of a page's containers: those that it follows, and what the kubelets have of before."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

from dashboard.cluster.access_reviews import ResourceAttributes
from dashboard.cluster.connection import ClusterAccess
from dashboard.live.logs.container_stream import ContainerId
from dashboard.live.logs.container_streams import LogStreams, TooManyStreams
from dashboard.objects.kinds.row import Row
from dashboard.pages.layout.required_right import right_denial
from dashboard.pages.logs.filtered_log_reader import LineSpan, ReadProgress, read_history
from dashboard.pages.logs.line_buffer import Entry, LogPageMark, sort_key, time_bytes
from dashboard.pages.logs.line_formats import text_of
from dashboard.pages.logs.line_store import MAX_MERGED_LINES, LineStore
from dashboard.pages.logs.log_sources import COLOURS, LogSource, SourceState, WantedContainer, wanted_containers
from dashboard.pages.logs.query import LogsQuery
from dashboard.pages.logs.shared_marks import SHARED_KINDS, SharedMarks
from dashboard.runtime.app_state import CLOCK, AppState
from informerd.clock import Clock
from informerd.errors import BadRequest, Forbidden, InformerdError, NotFound, Unauthorized, Unreachable
from informerd.logs.log_events import LogEvent, LogLines, MarkKind
from informerd.resource import PODS
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

MAX_SOURCES = 50
"""Most containers whose logs one page follows: each is a connection to the API server."""
MAX_READERS = 5
"""Most people of equal rights whose clients are tried."""
CONCURRENT_READS = 4
BEGIN_SECONDS = 1.0
"""Seconds that the reading of a log's history waits for the first followed line."""
SHORT_WAIT = 0.05
RIGHTS_SECONDS = 30.0
"""Seconds for which an answer about a right holds, where rights are not known beforehand."""

_STATES: Mapping[MarkKind, SourceState] = {
    "waiting": "waiting", "interrupted": "interrupted", "resumed": "live", "restarted": "live", "ended": "ended",
    "gone": "gone", "refused": "refused", "failed": "failed",
}  # fmt: skip

_BETWEEN_LINES: frozenset[str] = frozenset({"gap", "repeated", "restarted", "ended"})
"""Marks that belong between two lines, whenever they are told."""

Judge = Callable[[ContainerId], Awaitable[str]]
"""Why a log may not be read, as a sentence; empty where it surely may."""


class LogSourceReader:
    """Reads the containers that `update` is given into a LineStore. `on_change` is called after each change."""

    def __init__(
        self, query: LogsQuery, streams: LogStreams, judge: Judge, clock: Clock, on_change: Callable[[], None]
    ) -> None:
        self.store = LineStore()
        self.sources: list[LogSource] = []
        self.left_out = 0
        """Containers that are not read, because there are too many."""
        self.progress = ReadProgress()
        self.span = LineSpan()
        """Of which time lines are wanted; set it before the first `update`."""
        self._query = query
        self._streams = streams
        self._judge = judge
        self._clock = clock
        self._on_change = on_change
        self._by_container: dict[ContainerId, LogSource] = {}
        self._readers: deque[ClusterAccess] = deque(maxlen=MAX_READERS)
        self._reads = asyncio.Semaphore(CONCURRENT_READS)
        self._tasks: set[asyncio.Task[None]] = set()
        self._shared_marks = SharedMarks(clock, self._add_mark)

    def add_reader(self, connection: ClusterAccess) -> None:
        """Note whose rights logs may be read with: each of the people who open the page."""
        if connection not in self._readers:
            self._readers.appendleft(connection)

    def log_clients(self) -> Mapping[int, Client]:
        return {id(each): client for each in self._readers if (client := each.client) is not None}

    @property
    def pod_uids(self) -> frozenset[str]:
        return frozenset(source.container.uid for source in self.sources)

    @property
    def missing_before(self) -> dict[int, bytes]:
        """Times of before which the page may lack lines, by the numbers of the sources."""
        return {source.number: time for source in self.sources if (time := source.missing_before)}

    async def update(self, pods: Sequence[Row]) -> None:
        """Read the containers of these pods; new ones are joined, and those that are gone keep their lines."""
        wanted = wanted_containers(pods, self._query)
        known = [each for each in wanted if each.container in self._by_container]
        new = [each for each in wanted if each.container not in self._by_container]
        for each in known:
            self._by_container[each.container].restarts = each.runs.restarts
        # one whose pod is no longer among the newest is read on
        room = max(0, MAX_SOURCES - sum(source.state != "gone" for source in self.sources))
        self.left_out = max(0, len(new) - room)
        for each in new[:room]:
            await self._begin(self._add(each))

    async def ask_again(self) -> None:
        """Stop what may not be read any more, and begin again what was refused, had no room, or failed."""
        for source in list(self.sources):
            denial = await self._judge(source.container)
            if denial and source.state != "refused":
                self._leave(source)
                self._set_state(source, "refused", denial)
            elif not denial and source.can_begin_again:
                self._leave(source)
                self._set_state(source, "reading", "")
                await self._begin(source)

    def stop(self) -> None:
        """Read nothing more, and forget everything."""
        for source in self.sources:
            self._leave(source)
        for task in self._tasks:
            task.cancel()
        self._shared_marks = SharedMarks(self._clock, self._add_mark)
        self.sources, self._by_container, self.left_out = [], {}, 0
        self.progress = ReadProgress()
        self.store.clear()

    def _add(self, each: WantedContainer) -> LogSource:
        number = len(self.sources)
        source = LogSource(number, each.container, each.runs.role, number % COLOURS, each.runs.restarts)
        self.sources.append(source)
        self._by_container[each.container] = source
        return source

    async def _begin(self, source: LogSource) -> None:
        if denial := await self._judge(source.container):
            source.is_read = True
            return self._set_state(source, "refused", denial)
        if self._by_container.get(source.container) is not source:  # stopped meanwhile
            return None
        if self._query.is_live:
            try:
                source.stream, before = self._streams.join(source.container, self)
            except TooManyStreams as error:
                source.is_read = True
                return self._set_state(source, "full", str(error))
            source.begins_within = source.begins_within or source.restarts > 0 or source.stream.ring.has_dropped
            source.had_until = sort_key(source.last_line) if source.last_line else b""
            for event in before:
                self.log_event(source.container, event)
        if self._query.reads_history and not source.has_history:
            self._keep(self._read_history(source))
        else:
            source.is_read = True
        return None

    def _leave(self, source: LogSource) -> None:
        if source.stream is not None:
            self._streams.leave(source.stream, self)
            source.stream = None

    def _set_state(self, source: LogSource, state: SourceState, words: str) -> None:
        source.state, source.words = state, words
        self._on_change()

    # --- followed lines ---

    def log_event(self, container: ContainerId, event: LogEvent) -> None:
        source = self._by_container.get(container)
        if source is None:
            return
        if isinstance(event, LogLines):
            self._take_lines(source, event.lines)
        else:
            if (state := _STATES.get(event.kind)) is not None:
                self._set_state(source, state, event.words)
            if event.kind == "gone":  # nothing more comes: its place is for another log
                self._leave(source)
            is_known = event.words == source.refusal
            source.refusal = event.words if event.kind in ("refused", "failed") else ""
            if event.kind != "waiting" and not is_known:
                self._mark(source, event.kind, event.words)
        self._on_change()

    def _take_lines(self, source: LogSource, lines: Sequence[bytes]) -> None:
        lines = self._new_of(source, lines)
        if source.state != "live":
            self._set_state(source, "live", "")
        if not lines:
            return
        source.first_line = source.first_line or lines[0]
        if source.stream is not None and source.stream.begins_within:
            source.begins_within = True
        source.last_line, source.refusal = lines[-1], ""
        chosen = self.span.chosen([*lines]) if self.span.begin else lines
        self.progress.lines_read += len(chosen)
        if self._query.reads_history:
            self.progress.bytes_read += sum(map(len, chosen)) + len(chosen)
        if self._query.filter:
            matches = self._query.filter.matches
            chosen = [line for line in chosen if matches(text_of(line))]
        self.store.add(source.number, chosen)

    def _new_of(self, source: LogSource, lines: Sequence[bytes]) -> Sequence[bytes]:
        """The lines that the page does not have: a log that is followed anew begins with lines of before. Where these
        do not reach back to the last one that it has, a mark says so.
        """
        if not source.had_until:
            return lines
        new = [line for line in lines if sort_key(line) > source.had_until]
        if len(new) == len(lines):
            self._mark(source, "gap", "Lines may be missing here: the log was not read for a while.")
        if new:
            source.had_until = b""
        return new

    def _mark(self, source: LogSource, kind: str, words: str) -> None:
        """A mark after the source's newest line; of what happens to its reading, at the time of now."""
        newest = sort_key(source.last_line) if source.last_line else b""
        now = time_bytes(int(self._clock.time() * 1e9))
        moment = newest if newest and kind in _BETWEEN_LINES else max(now, newest)
        if kind not in SHARED_KINDS or len(self.sources) == 1:
            self._add_mark(source.number, moment, kind, words)
        elif self._shared_marks.add(source.number, kind, words):
            self._keep(self._shared_marks.tell_later(moment, kind, words))

    def _add_mark(self, source: int, moment: bytes, kind: str, words: str) -> None:
        self.store.add(source, [LogPageMark(moment, kind, words)])
        self._on_change()

    # --- lines of before ---

    async def _read_history(self, source: LogSource) -> None:
        """Read what is older than the followed lines, or all of a log that is not followed."""
        if source.stream is not None:
            await source.stream.wait_until_begun(BEGIN_SECONDS)
        lines: deque[bytes] = deque(maxlen=MAX_MERGED_LINES)
        problem, is_whole = "", True
        async with self._reads:
            try:
                await self._collect(source, lines)
            except (Forbidden, Unauthorized) as error:
                is_whole = False
                lines.clear()  # it is read again from its beginning once it may be
                self._set_state(source, "refused", str(error))
            except (BadRequest, NotFound) as error:  # there is none
                problem = str(error) if source.stream is None else ""
            except InformerdError as error:
                problem, is_whole = f"The log could not be read: {error}", False
        await self._wait_for_followed(source)
        source.is_read, source.is_whole = True, is_whole
        if source.stream is None and source.state == "reading":
            self._set_state(source, "done", problem)
        source.has_history = source.state != "refused"
        if source.stream is not None and lines:
            if source.first_line:  # it was followed only while this was read: what is older than that is history
                first = sort_key(source.first_line)
                lines = deque(line for line in lines if sort_key(line) < first)
            else:
                source.had_until = sort_key(lines[-1])
        if lines:
            entries: list[Entry] = [(source.number, line) for line in lines]
            self.store.merge(entries)
        if problem:
            self._mark(source, "error", problem)
        self._on_change()

    async def _wait_for_followed(self, source: LogSource) -> None:
        """Return once the followed lines have come to the newest that the kubelet had: a search has read all then.
        After BEGIN_SECONDS it goes on without.
        """
        until = self._clock.now() + BEGIN_SECONDS
        while source.is_behind and self._clock.now() < until:
            await self._clock.sleep(SHORT_WAIT)

    async def _collect(self, source: LogSource, lines: deque[bytes]) -> None:
        client = next(iter(self.log_clients().values()), None)
        if client is None:
            raise Unreachable("there is no connection to the cluster")
        found = read_history(
            client,
            source.container,
            self._query.filter,
            self.span,
            self.progress,
            previous=self._query.previous,
            with_previous=source.restarts > 0,
            first_line=lambda: source.first_line,
            note_newest=source.note_newest,
        )
        async for batch in found:
            self.store.dropped += max(0, len(lines) + len(batch) - MAX_MERGED_LINES)
            lines.extend(batch)
            self.store.count(batch)
            self._on_change()

    def _keep(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, name="lines and marks of a log")
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("lines or marks of a log could not be added to a page", exc_info=error)


def judge_of(state: AppState) -> Judge:
    """Whether logs may be read by whoever has these rights. An answer holds RIGHTS_SECONDS."""
    answers: dict[tuple[str, str], tuple[float, str]] = {}

    async def judge(container: ContainerId) -> str:
        key, now = (container.namespace, container.pod), state[CLOCK].now()
        known = answers.get(key)
        if known is None or now - known[0] >= RIGHTS_SECONDS:
            access = ResourceAttributes("get", PODS, container.namespace, container.pod, "log")
            known = answers[key] = now, await right_denial(state, access)
        return known[1]

    return judge
