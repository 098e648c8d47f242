"""Pages of logs, the lines that a page loads, and downloads."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.details.node_pods import PODS
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
    wait_until_reported,
)
from dashboard.pages.logs.download import download
from dashboard.pages.logs.line_formats import text_of, time_of
from dashboard.pages.logs.live_logs import entries_as_json, open_logs
from dashboard.pages.logs.log_source_reader import MAX_SOURCES
from dashboard.pages.logs.log_subject import LogSubject
from dashboard.pages.logs.object_or_list import (
    LINES_PARAM,
    PodsMaker,
    object_pods,
    object_subject,
    selection_pods,
    selection_query,
    selection_subject,
)
from dashboard.pages.logs.older_lines import (
    LOADED_LINES,
    containers_with_denials,
    later_lines,
    lines_around,
    older_lines,
    whole_line,
)
from dashboard.pages.logs.page_context import FIRST_LINES_SECONDS, logs_context
from dashboard.pages.logs.query import LogsQuery
from dashboard.runtime.app_state import state_of
from dashboard.runtime.text_with_links import object_href
from informerd.errors import InformerdError

NO_STORE = {"Cache-Control": "no-store"}
"""Lines may hold secrets."""


@require_safe
async def object_logs(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The logs of an object's pods: of a pod, or of what selects or owns pods."""
    kind = await _open(request, resource, namespace, name)
    if isinstance(kind, HttpResponse):
        return kind
    namespace, query = path_namespace(namespace), LogsQuery.parse(request.GET)
    make_pods = object_pods(kind, namespace, name, query.pods)
    return await _page(request, object_subject(kind, namespace, name), query, make_pods, key=kind.key)


@require_safe
async def selection_logs(request: HttpRequest) -> HttpResponse:
    """The logs of the pods that a list's filter matches."""
    if isinstance(unavailable := await open_kind(request, PODS), UnavailableKind):
        return kind_not_found(request, PODS, unavailable)
    state = state_of(request)
    query = selection_query(state, request.GET)
    lines = LogsQuery.parse(request.GET, LINES_PARAM)
    lines = replace(lines, problems=(*query.problems, *lines.problems))
    return await _page(request, selection_subject(query), lines, selection_pods(query, lines.pods), key=PODS)


@require_safe
@own_pages_only
async def log_lines(request: HttpRequest, resource: str = "", namespace: str = "", name: str = "") -> HttpResponse:
    """Lines as JSON, for the page's script: ``first=`` and ``end=`` are numbers of lines that the view keeps, and
    ``before=`` (RFC 3339) asks for those that the kubelet has before a moment, ``around=`` for those around one, and
    ``after=`` and ``until=`` for the first ones of a span. One line's whole text has ``time=``, its time, and
    ``line=``, its number, while the view keeps it. Else it is read from the kubelet: ``cut=`` are the bytes that the
    page lacks, and the address chooses one container.

    410 where it is not kept any more.
    """
    opened = await _opened(request, resource, namespace, name)
    if isinstance(opened, HttpResponse):
        return opened
    subject, query, make_pods = opened
    if "before" in request.GET:
        content = await older_lines(state_of(request), query, make_pods, request.GET["before"])
        return JsonResponse(content, headers=NO_STORE)
    if "around" in request.GET:
        try:
            content = await lines_around(state_of(request), query, make_pods, request.GET["around"])
        except ValueError as error:
            return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
        return JsonResponse(content, headers=NO_STORE)
    if "after" in request.GET:
        after, until = request.GET["after"], request.GET.get("until", "")
        return JsonResponse(await later_lines(state_of(request), query, make_pods, after, until), headers=NO_STORE)
    if "cut" in request.GET:
        cut = _number(request, "cut")
        try:
            return _one_line(await whole_line(state_of(request), query, make_pods, request.GET.get("time", ""), cut))
        except InformerdError as error:
            return HttpResponse(f"{error}\n", status=502, content_type="text/plain; charset=utf-8")
    view = open_logs(state_of(request), subject, query, make_pods)
    if "line" in request.GET:
        found = view.buffer.between(number := _number(request, "line"), number + 1)
        lines = [item for _, (_, item) in found if isinstance(item, bytes)]
        at = request.GET.get("time")
        return _one_line(b"".join(text_of(each) for each in lines if at in (None, time_of(each))))
    first, end = _number(request, "first"), _number(request, "end")
    numbered = view.buffer.between(max(first, end - LOADED_LINES), end)
    content = {
        "entries": entries_as_json(numbered, query.filter),
        "sources": view.names,
        "first": view.buffer.first_number,
    }
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
    denials = await containers_with_denials(state_of(request), query, make_pods)
    readable = [each for each, denial in denials.items() if not denial]
    if not denials:
        text = "The address chooses no container: there is no pod, or none that has a container of this name.\n"
        return HttpResponse(text, status=404, content_type="text/plain; charset=utf-8")
    if not readable:
        return HttpResponse(f"{next(iter(denials.values()))}\n", status=403, content_type="text/plain; charset=utf-8")
    if len(readable) > MAX_SOURCES:
        sentence = f"These are {len(readable):,} containers; a file has the logs of {MAX_SOURCES} at most. "
        text = f"{sentence}Choose pods or containers on the page, and download those.\n"
        return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")
    if state_of(request)[CONNECTION].client is None:
        text = "There is no connection to the cluster, so no log can be read. Try again once this page says live.\n"
        return HttpResponse(text, status=503, content_type="text/plain; charset=utf-8")
    content = download(state_of(request), denials, query, suffix)
    kind = "application/x-ndjson" if suffix == "ndjson" else "text/plain; charset=utf-8"
    response = StreamingHttpResponse(content, content_type=kind, headers=NO_STORE)
    response["Content-Disposition"] = f'attachment; filename="{_safe_name(subject.title)}-logs.{suffix}"'
    return response


def _one_line(text: bytes) -> HttpResponse:
    if not text:
        return HttpResponse("This line is not kept any more.\n", status=410, content_type="text/plain")
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=NO_STORE)


async def _open(request: HttpRequest, resource: str, namespace: str, name: str) -> KindInfo | HttpResponse:
    """The kind of the address, with pods followed, too; or the page that says why it cannot be opened."""
    kind = await open_object(request, resource, namespace, name)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    if kind.key != resource:
        return redirect_with_query(request, f"{object_href(kind.key, path_namespace(namespace), name)}logs/")
    if isinstance(unavailable := await open_kind(request, PODS), UnavailableKind):
        return kind_not_found(request, PODS, unavailable)
    await wait_until_reported(state_of(request), kind, path_namespace(namespace), name)
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
        lines = LogsQuery.parse(request.GET, LINES_PARAM)
        return selection_subject(listed), lines, selection_pods(listed, lines.pods)
    kind = await _open(request, resource, namespace, name)
    if isinstance(kind, HttpResponse):
        return kind
    namespace = path_namespace(namespace)
    query = LogsQuery.parse(request.GET)
    return object_subject(kind, namespace, name), query, object_pods(kind, namespace, name, query.pods)


async def _page(
    request: HttpRequest, subject: LogSubject, query: LogsQuery, make_pods: PodsMaker, *, key: str
) -> HttpResponse:
    state = state_of(request)
    await open_logs(state, subject, query, make_pods).wait_until_begun(FIRST_LINES_SECONDS)
    view = open_logs(state, subject, query, make_pods)  # with what has come meanwhile
    where = f" in {subject.namespace}" if subject.namespace else ""
    page = page_info(request, title=f"Logs of {subject.title}{where}", key=key, view=view)
    context = {**logs_context(view, query), "page": page}
    fragment = wants_fragment(request, "#logs")
    response = render(request, "logs/_logs.html" if fragment else "logs/page.html", context)
    if fragment and query.problems:
        keep_address(response)
    response["Cache-Control"] = "no-store"
    return vary_on_htmx(response)


def _safe_name(title: str) -> str:
    return "".join(each if each.isascii() and (each.isalnum() or each in ".-_") else "_" for each in title)[:100]


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 16 else 0
