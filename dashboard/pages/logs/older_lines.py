"""Lines that the kubelets have of before a moment, read when somebody asks for them."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.live.logs.container_stream import ContainerId
from dashboard.objects.logs.line_filter import ANY_LINE
from dashboard.pages.logs.filtered_log_reader import LineSpan, ReadProgress, read_history
from dashboard.pages.logs.line_buffer import Entry, in_time_order, sort_key
from dashboard.pages.logs.line_formats import MAX_SHOWN_BYTES, text_of
from dashboard.pages.logs.live_logs import entries_as_json
from dashboard.pages.logs.log_source_reader import CONCURRENT_READS, MAX_SOURCES, judge_of
from dashboard.pages.logs.log_sources import wanted_containers
from dashboard.pages.logs.object_or_list import PodsMaker
from dashboard.pages.logs.query import LogsQuery
from dashboard.runtime.app_state import CLOCK, AppState
from informerd.errors import BadRequest, InformerdError, NotFound
from informerd.rest.client import Client

LOADED_LINES = 1000
"""Most lines that one request loads."""


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
        "entries": entries_as_json(newest),
        "sources": [(each.namespace, each.pod, each.container) for each in containers],
        "bytes": search.progress.bytes_read,
        "is_beginning": not search.left_out
        and len(entries) <= LOADED_LINES
        and not search.problem
        and len(containers) == len(readable),
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
