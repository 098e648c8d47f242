"""Lines that the kubelets have of before a moment, or from a moment on, read when somebody asks for them."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import aclosing
from typing import Any

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.live.logs.container_stream import ContainerId
from dashboard.objects.logs.line_filter import ANY_LINE
from dashboard.pages.logs.filtered_log_reader import LineSpan, ReadProgress, read_history
from dashboard.pages.logs.line_buffer import Entry, in_time_order, sort_key, time_bytes
from dashboard.pages.logs.line_formats import MAX_SHOWN_BYTES, text_of
from dashboard.pages.logs.live_logs import entries_as_json
from dashboard.pages.logs.log_source_reader import CONCURRENT_READS, MAX_SOURCES, judge_of
from dashboard.pages.logs.log_sources import wanted_containers
from dashboard.pages.logs.object_or_list import PodsMaker
from dashboard.pages.logs.query import LogsQuery
from dashboard.runtime.app_state import CLOCK, AppState
from informerd.errors import BadRequest, InformerdError, NotFound
from informerd.logs.log_lines import split_time
from informerd.rest.client import Client

LOADED_LINES = 1000
"""Most lines that one request loads."""
AROUND_SECONDS = 1
"""Seconds before a line that its link reads: earlier lines are loaded when somebody asks for them."""


async def containers_with_denials(state: AppState, query: LogsQuery, make_pods: PodsMaker) -> dict[ContainerId, str]:
    """The containers that the address chooses, each with why whoever asks may not read its log, empty where they
    may.
    """
    pods = make_pods(state[HUB], lambda: None)
    try:
        while pods.is_searching:
            await state[CLOCK].sleep(0.01)
        wanted = wanted_containers(pods.rows(), query)
    finally:
        pods.close()
    judge = judge_of(state)
    return {each.container: await judge(each.container) for each in wanted}


async def older_lines(state: AppState, query: LogsQuery, make_pods: PodsMaker, before: str) -> dict[str, Any]:
    """The newest LOADED_LINES that are older than `before` (RFC 3339), for the page's script: ``entries`` and their
    ``sources``, how many ``bytes`` were read, whether these are the first that there are (``is_beginning``), and the
    ``problem`` of logs that could not be read, as a sentence.
    """
    client = state[CONNECTION].client
    denials = await containers_with_denials(state, query, make_pods)
    readable = [each for each, denial in denials.items() if not denial]
    containers = readable[:MAX_SOURCES]
    search = _Search(query, LineSpan(LineSpan.of(query.span.since(state[CLOCK].time()), None).begin, before.encode()))
    if client is not None:
        await asyncio.gather(*(search.read(client, number, each) for number, each in enumerate(containers)))
    entries = in_time_order(search.entries)
    newest: list[tuple[int | None, Entry]] = [(None, entry) for entry in entries[-LOADED_LINES:]]
    return {
        "entries": entries_as_json(newest, query.filter),
        "sources": [(each.namespace, each.pod, each.container) for each in containers],
        "bytes": search.progress.bytes_read,
        "is_beginning": not search.left_out
        and len(entries) <= LOADED_LINES
        and not search.problem
        and len(containers) == len(readable),
        "problem": search.problem,
    }


async def lines_around(state: AppState, query: LogsQuery, make_pods: PodsMaker, at: str) -> dict[str, Any]:
    """LOADED_LINES around a moment (RFC 3339), half of them before it, for the page's script.

    The kubelet reads from AROUND_SECONDS before it, and no further than the last of these. ``entries``, ``sources``
    and ``problem`` are as `older_lines` has them. All lines from ``begin`` to ``end`` are there, where ``is_end`` is
    true all later ones, too. Raises ValueError for what is no time.
    """
    moment = sort_key(at.encode())
    nanoseconds, _ = split_time(moment)
    if nanoseconds is None:
        raise ValueError(f"“{at}” is no time")
    begin = max(
        LineSpan.of(query.span.since(state[CLOCK].time()), None).begin, time_bytes(nanoseconds - AROUND_SECONDS * 10**9)
    )
    span = LineSpan(begin, LineSpan.of(None, query.span.end).end)
    return await _lines_from(state, query, make_pods, moment, span, LOADED_LINES // 2)


async def later_lines(state: AppState, query: LogsQuery, make_pods: PodsMaker, begin: str, end: str) -> dict[str, Any]:
    """The oldest LOADED_LINES of a span of time (RFC 3339, both ends included), as `lines_around` has them."""
    moment = begin.encode()
    return await _lines_from(state, query, make_pods, moment, LineSpan(moment, end.encode()), 0)


async def _lines_from(
    state: AppState, query: LogsQuery, make_pods: PodsMaker, moment: bytes, span: LineSpan, before: int
) -> dict[str, Any]:
    client = state[CONNECTION].client
    denials = await containers_with_denials(state, query, make_pods)
    containers = [each for each, denial in denials.items() if not denial][:MAX_SOURCES]
    search = _SearchFrom(query, span, moment, before)
    if client is not None:
        await asyncio.gather(*(search.read(client, number, each) for number, each in enumerate(containers)))
    entries = search.found()
    return {
        "entries": entries_as_json([(None, entry) for entry in entries], query.filter),
        "sources": [(each.namespace, each.pod, each.container) for each in containers],
        "begin": search.begin.decode(),
        "end": sort_key(entries[-1][1]).decode() if entries else "",
        "is_end": search.is_end,
        "problem": search.problem,
    }


async def whole_line(state: AppState, query: LogsQuery, make_pods: PodsMaker, at: str, cut: int) -> bytes:
    """The text of the line of this time (RFC 3339) of which a page lacks `cut` bytes, read from the kubelet; empty
    where it has none.

    `query` chooses its container. Raises as read_log.
    """
    client, moment = state[CONNECTION].client, at.encode()
    denials = await containers_with_denials(state, query, make_pods)
    readable = [each for each, denial in denials.items() if not denial]
    if client is None or len(readable) != 1:
        return b""
    lines = read_history(
        client,
        readable[0],
        ANY_LINE,
        LineSpan(moment, moment),
        ReadProgress(),
        previous=query.previous,
        with_previous=True,
    )
    async for batch in lines:
        for line in batch:
            if len(text := text_of(line)) == MAX_SHOWN_BYTES + cut:
                return text
    return b""


class _Search:
    """Reads logs up to the end of a span."""

    def __init__(self, query: LogsQuery, span: LineSpan) -> None:
        self.entries: list[Entry] = []
        self.left_out = 0
        """Lines that are older than those that are kept."""
        self.problem = ""
        self.progress = ReadProgress()
        self._query = query
        self._span = span
        self._reads = asyncio.Semaphore(CONCURRENT_READS)

    async def read(self, client: Client, number: int, container: ContainerId) -> None:
        lines: deque[bytes] = deque(maxlen=LOADED_LINES)
        async with self._reads:
            try:
                await self._collect(client, container, lines)
            except (BadRequest, NotFound):  # it has not begun, or is gone
                pass
            except InformerdError as error:
                self.problem = f"Not all could be read: {error}"
        self.entries += [(number, line) for line in lines]

    async def _collect(self, client: Client, container: ContainerId, lines: deque[bytes]) -> None:
        found = read_history(
            client,
            container,
            self._query.filter,
            self._span,
            self.progress,
            previous=self._query.previous,
            with_previous=True,
        )
        async for batch in found:
            older = [line for line in batch if sort_key(line) < self._span.end]
            self.left_out += max(0, len(lines) + len(older) - LOADED_LINES)
            lines.extend(older)


class _SearchFrom:
    """Reads logs from the begin of a span until there are enough lines after a moment within it."""

    def __init__(self, query: LogsQuery, span: LineSpan, moment: bytes, before: int) -> None:
        """`before` is the most lines that are kept of before the moment."""
        self.begin = span.begin
        """From when on no line is left out."""
        self.is_end = True
        """Whether there are no later lines."""
        self.problem = ""
        self._query = query
        self._span = span
        self._moment = moment
        self._before = before
        self._after = LOADED_LINES - before
        self._entries: list[Entry] = []
        self._end = b""
        """Until when no line is left out; empty: until the end."""
        self._reads = asyncio.Semaphore(CONCURRENT_READS)

    def found(self) -> list[Entry]:
        """The lines by time; sets `begin` and `is_end`."""
        within = [each for each in in_time_order(self._entries) if sort_key(each[1]) >= self.begin]
        if self._end:
            within = [each for each in within if sort_key(each[1]) <= self._end]
        place = next((place for place, each in enumerate(within) if sort_key(each[1]) >= self._moment), len(within))
        first = max(0, place - self._before)
        if first:
            self.begin = sort_key(within[first][1])
        self.is_end = not self._end and not self.problem and len(within) - place <= self._after
        return within[first : place + self._after]

    async def read(self, client: Client, number: int, container: ContainerId) -> None:
        async with self._reads:
            try:
                await self._collect(client, number, container)
            except (BadRequest, NotFound):  # it has not begun, or is gone
                pass
            except InformerdError as error:
                self.problem = f"Not all could be read: {error}"

    async def _collect(self, client: Client, number: int, container: ContainerId) -> None:
        earlier: deque[bytes] = deque(maxlen=self._before)
        later: list[bytes] = []
        is_cut = False
        found = read_history(
            client,
            container,
            self._query.filter,
            self._span,
            ReadProgress(),
            previous=self._query.previous,
            with_previous=True,
        )
        async with aclosing(found):
            async for batch in found:
                before = [line for line in batch if sort_key(line) < self._moment]
                is_cut = is_cut or len(earlier) + len(before) > self._before
                earlier.extend(before)
                later += [line for line in batch if sort_key(line) >= self._moment]
                if len(later) > self._after:
                    later = later[: self._after]
                    last = sort_key(later[-1])
                    self._end = min(self._end, last) if self._end else last
                    break
        if is_cut:
            self.begin = max(self.begin, sort_key(earlier[0]) if earlier else self._moment)
        self._entries += [(number, line) for line in (*earlier, *later)]
