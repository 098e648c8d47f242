"""Pages of logs, the lines that a page loads, and downloads."""

from __future__ import annotations

import asyncio
import heapq
import json
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.live.logs.container_stream import ContainerId
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.layout.cross_site_requests import own_pages_only
from dashboard.pages.layout.htmx import keep_address, vary_on_htmx, wants_fragment
from dashboard.pages.layout.not_found import kind_not_found, object_not_found
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import (
    UnavailableKind,
    has_synced,
    open_kind,
    open_object,
    path_namespace,
    redirect_with_query,
)
from dashboard.pages.logs.history import LineSpan, ReadProgress, read_history
from dashboard.pages.logs.kubectl import logs_commands
from dashboard.pages.logs.line_buffer import Entry, in_time_order, sort_key
from dashboard.pages.logs.line_text import SeverityJudge, as_html, as_record, as_text, text_of
from dashboard.pages.logs.links import LogLinks
from dashboard.pages.logs.live_logs import LogSubject, entries_as_json, open_logs
from dashboard.pages.logs.pods import PODS
from dashboard.pages.logs.query import LogsQuery
from dashboard.pages.logs.source_readers import judge_of
from dashboard.pages.logs.sources import wanted_containers
from dashboard.pages.logs.subjects import (
    LINES_PARAM,
    PodsMaker,
    object_pods,
    object_subject,
    selection_pods,
    selection_query,
    selection_subject,
)
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.text_with_links import object_href
from informerd.errors import BadRequest, InformerdError, NotFound

FIRST_LINES_SECONDS = 0.25
"""Seconds that a page waits for its first lines; then they come by the socket."""
FIRST_LINES = 300
"""Most lines of a page without scripts."""
LOADED_LINES = 1000
"""Most lines that one request loads."""
CONCURRENT_READS = 4
NO_STORE = {"Cache-Control": "no-store"}
"""Lines may hold secrets."""


@require_safe
async def object_logs(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The logs of an object's pods: of a pod, or of what selects or owns pods."""
    kind = await _open(request, resource, namespace, name)
    if isinstance(kind, HttpResponse):
        return kind
    namespace, query = path_namespace(namespace), LogsQuery.parse(request.GET)
    subject, make_pods = object_subject(kind, namespace, name), object_pods(kind, namespace, name)
    return await _page(request, subject, query, make_pods, key=kind.key)


@require_safe
async def selection_logs(request: HttpRequest) -> HttpResponse:
    """The logs of the pods that a list's filter matches."""
    if isinstance(unavailable := await open_kind(request, PODS), UnavailableKind):
        return kind_not_found(request, PODS, unavailable)
    state = state_of(request)
    query = selection_query(state, request.GET)
    lines = LogsQuery.parse(request.GET, LINES_PARAM)
    lines = replace(lines, problems=(*query.problems, *lines.problems))
    return await _page(request, selection_subject(query), lines, selection_pods(query), key=PODS)


@require_safe
@own_pages_only
async def log_lines(request: HttpRequest, resource: str = "", namespace: str = "", name: str = "") -> HttpResponse:
    """Lines as JSON, for the page's script: ``from=`` and ``to=`` are numbers of lines that the view keeps, and
    ``before=`` (RFC 3339) asks for those that the kubelet has before a moment. ``line=`` is one line's whole text.

    410 where the view keeps none of them any more.
    """
    opened = await _opened(request, resource, namespace, name)
    if isinstance(opened, HttpResponse):
        return opened
    subject, query, make_pods = opened
    if "before" in request.GET:
        return await _older_lines(state_of(request), query, make_pods, request.GET["before"])
    view = open_logs(state_of(request), subject, query, make_pods)
    if "line" in request.GET:
        found = view.buffer.between(number := _number(request, "line"), number + 1)
        texts = [text_of(item) for _, (_, item) in found if isinstance(item, bytes)]
        if not texts:
            return HttpResponse("This line is not kept any more.\n", status=410, content_type="text/plain")
        return HttpResponse(texts[0], content_type="text/plain; charset=utf-8", headers=NO_STORE)
    first, end = _number(request, "first"), _number(request, "end")
    numbered = view.buffer.between(max(first, end - LOADED_LINES), end)
    content = {"entries": entries_as_json(numbered), "sources": view.names, "first": view.buffer.first_number}
    return JsonResponse(content, headers=NO_STORE)


@require_safe
@own_pages_only
async def log_download(
    request: HttpRequest, suffix: str, resource: str = "", namespace: str = "", name: str = ""
) -> HttpResponseBase:
    """All lines that the kubelet has, by time, as text (``logs.txt``) or records (``logs.ndjson``)."""
    opened = await _opened(request, resource, namespace, name)
    if isinstance(opened, HttpResponse):
        return opened
    subject, query, make_pods = opened
    if query.problems:
        sentences = "".join(f"{each.message}\n" for each in query.problems)
        return HttpResponse(sentences, status=400, content_type="text/plain; charset=utf-8")
    containers = await _containers(state_of(request), query, make_pods)
    content = _download(state_of(request), containers, query, suffix)
    kind = "application/x-ndjson" if suffix == "ndjson" else "text/plain; charset=utf-8"
    response = StreamingHttpResponse(content, content_type=kind, headers=NO_STORE)
    response["Content-Disposition"] = f'attachment; filename="{_safe_name(subject.title)}-logs.{suffix}"'
    return response


async def _open(request: HttpRequest, resource: str, namespace: str, name: str) -> KindInfo | HttpResponse:
    """The kind of the address, with pods followed, too; or the page that says why it cannot be opened."""
    kind = await open_object(request, resource, namespace, name)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    if kind.key != resource:
        return redirect_with_query(request, f"{object_href(kind.key, path_namespace(namespace), name)}logs/")
    if isinstance(unavailable := await open_kind(request, PODS), UnavailableKind):
        return kind_not_found(request, PODS, unavailable)
    replica = state_of(request)[HUB].hub_kinds.replica(kind.key)
    if replica.get(path_namespace(namespace), name) is None and has_synced(replica):
        return object_not_found(request, kind, path_namespace(namespace), name)
    return kind


async def _opened(
    request: HttpRequest, resource: str, namespace: str, name: str
) -> tuple[LogSubject, LogsQuery, PodsMaker] | HttpResponse:
    if not resource:
        if isinstance(unavailable := await open_kind(request, PODS), UnavailableKind):
            return kind_not_found(request, PODS, unavailable)
        listed = selection_query(state_of(request), request.GET)
        return selection_subject(listed), LogsQuery.parse(request.GET, LINES_PARAM), selection_pods(listed)
    kind = await _open(request, resource, namespace, name)
    if isinstance(kind, HttpResponse):
        return kind
    namespace = path_namespace(namespace)
    query = LogsQuery.parse(request.GET)
    return object_subject(kind, namespace, name), query, object_pods(kind, namespace, name)


async def _page(
    request: HttpRequest, subject: LogSubject, query: LogsQuery, make_pods: PodsMaker, *, key: str
) -> HttpResponse:
    state = state_of(request)
    await open_logs(state, subject, query, make_pods).wait_until_begun(FIRST_LINES_SECONDS)
    view = open_logs(state, subject, query, make_pods)  # with what has come meanwhile
    numbered = view.buffer.newest(FIRST_LINES)
    names = view.names
    severities = SeverityJudge().judge(entry for _, entry in numbered)
    rows = [as_html(number, entry, each, names) for (number, entry), each in zip(numbered, severities, strict=True)]
    page = page_info(request, title=f"Logs of {view.subject.title}", key=key, view=view)
    pods = sorted({(each.container.namespace, each.container.pod) for each in view.sources if each.state != "gone"})
    context = {
        "view": view.with_query(query),
        "page": page,
        "query": query,
        "rows": rows,
        "links": LogLinks(subject.href, query),
        "command": logs_commands(view.subject, query, pods),
    }
    fragment = wants_fragment(request, "#logs")
    response = render(request, "logs/_logs.html" if fragment else "logs/page.html", context)
    if fragment and query.problems:
        keep_address(response)
    response["Cache-Control"] = "no-store"
    return vary_on_htmx(response)


async def _containers(state: AppState, query: LogsQuery, make_pods: PodsMaker) -> list[ContainerId]:
    """The containers that the address chooses, and whose logs whoever asks may read."""
    pods = make_pods(state[HUB], lambda: None)
    try:
        while pods.is_searching:
            await state[CLOCK].sleep(0.01)
        wanted = wanted_containers(pods.rows(), query)
    finally:
        pods.close()
    judge = judge_of(state)
    return [each.container for each in wanted if not await judge(each.container)]


async def _older_lines(state: AppState, query: LogsQuery, make_pods: PodsMaker, before: str) -> HttpResponse:
    """The newest LOADED_LINES of those that are older than `before`."""
    client, progress = state[CONNECTION].client, ReadProgress()
    containers = await _containers(state, query, make_pods)
    end = before.encode()
    kept: list[deque[bytes]] = [deque(maxlen=LOADED_LINES) for _ in containers]
    left_out, problem = 0, ""
    reads = asyncio.Semaphore(CONCURRENT_READS)

    async def read(container: ContainerId, lines: deque[bytes]) -> None:
        nonlocal left_out
        async with reads:
            if client is None:
                return
            try:
                span = LineSpan(LineSpan.of(query.span.since(state[CLOCK].time()), None).begin, end)
                async for batch in read_history(client, container, query.filter, span, progress,
                                                previous=query.previous, with_previous=True):  # fmt: skip
                    older = [line for line in batch if sort_key(line) < end]
                    left_out += max(0, len(lines) + len(older) - LOADED_LINES)
                    lines.extend(older)
            except (BadRequest, NotFound):
                return

    try:
        async with asyncio.TaskGroup() as group:
            for container, lines in zip(containers, kept, strict=True):
                group.create_task(read(container, lines))
    except* InformerdError as errors:
        problem = f"Older lines could not be read: {errors.exceptions[0]}\n"
    if problem:
        return HttpResponse(problem, status=502, content_type="text/plain; charset=utf-8")
    entries: list[Entry] = in_time_order((number, line) for number, lines in enumerate(kept) for line in lines)
    left_out += max(0, len(entries) - LOADED_LINES)
    numbered: list[tuple[int | None, Entry]] = [(None, entry) for entry in entries[-LOADED_LINES:]]
    names = [(each.pod, each.container, 0) for each in containers]
    content: dict[str, Any] = {
        "entries": entries_as_json(numbered),
        "sources": names,
        "bytes": progress.bytes_read,
        "is_beginning": not left_out,
    }
    return JsonResponse(content, headers=NO_STORE)


async def _download(
    state: AppState, containers: Sequence[ContainerId], query: LogsQuery, suffix: str
) -> AsyncIterator[bytes]:
    """The lines of all containers, merged by their times as they are read."""
    client = state[CONNECTION].client
    if client is None:
        return
    span = LineSpan.of(query.span.since(state[CLOCK].time()), query.span.end)
    readers = [
        _LineReader(
            read_history(client, each, query.filter, span, ReadProgress(), previous=query.previous, with_previous=True)
        )
        for each in containers
    ]
    batch: list[bytes] = []
    async for number, line in _by_time(readers):
        pod, container = containers[number].pod, containers[number].container
        batch.append(
            json.dumps(as_record(pod, container, line)).encode()
            if suffix == "ndjson"
            else as_text(pod, container, line, has_prefix=len(containers) > 1)
        )
        if len(batch) >= LOADED_LINES:
            yield b"\n".join(batch) + b"\n"
            batch.clear()
    if suffix == "txt":
        batch += [f"# {each.pod}/{each.container}: {reader.problem}".encode()
                  for reader, each in zip(readers, containers, strict=True) if reader.problem]  # fmt: skip
    if batch:
        yield b"\n".join(batch) + b"\n"


async def _by_time(readers: Sequence[_LineReader]) -> AsyncIterator[tuple[int, bytes]]:
    """The lines of all readers by their times, each with the number of its reader."""
    heap = [(sort_key(reader.line), number) for number, reader in enumerate(readers) if await reader.advance()]
    heapq.heapify(heap)
    while heap:
        _, number = heap[0]
        yield number, readers[number].line
        if await readers[number].advance():
            heapq.heapreplace(heap, (sort_key(readers[number].line), number))
        else:
            heapq.heappop(heap)


class _LineReader:
    """The lines of one log one by one; the log is read as they are needed."""

    def __init__(self, batches: AsyncIterator[list[bytes]]) -> None:
        self._batches = batches
        self._batch: list[bytes] = []
        self._at = -1
        self.problem = ""
        """Why the rest could not be read."""

    @property
    def line(self) -> bytes:
        return self._batch[self._at]

    async def advance(self) -> bool:
        """Go to the next line; False where there is none."""
        self._at += 1
        while self._at >= len(self._batch):
            try:
                self._batch, self._at = await anext(self._batches), 0
            except StopAsyncIteration:
                return False
            except InformerdError as error:
                self.problem = f"The log could not be read to its end: {error}"
                return False
        return True


def _safe_name(title: str) -> str:
    return "".join(each if each.isascii() and (each.isalnum() or each in ".-_") else "_" for each in title)[:100]


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 16 else 0
