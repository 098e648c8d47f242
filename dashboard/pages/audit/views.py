"""Page of the audit log: who did what, newest first; and the same as a file."""

from __future__ import annotations

from collections.abc import AsyncIterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.cluster.connection import CONNECTION
from dashboard.live.moments.history_objects import HISTORY
from dashboard.pages.audit.filters import OUTCOME_CHOICES, AuditFilter, filter_problem, parse_filter
from dashboard.pages.audit.lines import CSV_COLUMNS, audit_line, csv_line, csv_text, json_line
from dashboard.pages.audit.query import MaySee, RecordPage, all_records, count_records, page_of
from dashboard.pages.audit.recorder import AUDIT
from dashboard.pages.layout.cross_site_requests import own_pages_only
from dashboard.pages.layout.not_found import NotFoundInfo, not_found_page
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.required_right import CONTROLLERS
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.database_executor import Unavailable
from dashboard.runtime.read_only import is_read_only

AUDIT_KEY = "audit"
"""The entry of the navigation."""
CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


@require_safe
async def audit(request: HttpRequest) -> HttpResponse:
    """The records that match the address's filter and that the reader may see, PAGE_SIZE at a time.

    400 where the filter cannot be read, 503 while the database cannot be used.
    """
    state, chosen = state_of(request), parse_filter(request.GET)
    recorder, now = state[AUDIT], state[CLOCK].time()
    problem = filter_problem(chosen, now)
    found, total = RecordPage((), ""), 0
    if recorder.store is not None and not problem:
        try:
            found, total = await _read(state, chosen, request.GET.get("before", ""))
        except Unavailable as error:
            words = (
                "Its database did not answer in time, or cannot be used. Try again, with a narrower filter if there is "
                f"one. The error: {error}"
            )
            return not_found_page(request, NotFoundInfo("The audit log cannot be read now", words), status=503)
    context = {
        "page": page_info(request, title="Who did what", key=AUDIT_KEY),
        "is_on": recorder.is_on,
        "chosen": chosen,
        "problem": problem,
        "lines": [audit_line(record) for record in found.records],
        "total": total,
        "offers_undo": state[HISTORY] is not None and not is_read_only(),
        "outcomes": OUTCOME_CHOICES,
        "older_href": f"?{_joined(chosen.query, f'before={found.next_before}')}" if found.next_before else "",
        "newest_href": f"?{chosen.query}" if request.GET.get("before") else "",
        "download_query": f"?{chosen.query}" if chosen.query else "",
    }
    response = render(request, "audit/list.html", context, status=400 if problem else 200)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
@own_pages_only
async def audit_download(request: HttpRequest, suffix: str) -> HttpResponseBase:
    """All records that match and that the reader may see, as ``csv`` or ``jsonl``."""
    state, chosen = state_of(request), parse_filter(request.GET)
    problem = filter_problem(chosen, state[CLOCK].time())
    if problem or state[AUDIT].store is None:
        words = problem or "No audit log is kept: DELTABOARD_AUDIT is off."
        return HttpResponse(f"{words}\n", status=400 if problem else 404, content_type="text/plain; charset=utf-8")
    response = StreamingHttpResponse(_file(state, chosen, suffix), content_type=CONTENT_TYPES[suffix])
    response["Content-Disposition"] = f'attachment; filename="who-did-what.{suffix}"'
    response["Cache-Control"] = "no-store"
    return response


async def _read(state: AppState, chosen: AuditFilter, before: str) -> tuple[RecordPage, int]:
    store, server = state[AUDIT].store, state[CONNECTION].cluster.server
    if store is None:
        return RecordPage((), ""), 0
    asked = store.reader, server, chosen, _may_name(state), state[CLOCK].time()
    return await page_of(*asked, before), await count_records(*asked)


async def _file(state: AppState, chosen: AuditFilter, suffix: str) -> AsyncIterator[str]:
    store, server = state[AUDIT].store, state[CONNECTION].cluster.server
    if store is None:
        return
    if suffix == "csv":
        yield csv_text(CSV_COLUMNS)
    line = csv_line if suffix == "csv" else json_line
    async for record in all_records(store.reader, server, chosen, _may_name(state), state[CLOCK].time()):
        yield line(record)


def _may_name(state: AppState) -> MaySee:
    """Whether the reader may know of an object: in lists, or on the controllers page, which has a role of its own."""
    rights = state[RIGHTS]

    def may_name(resource: str, namespace: str, name: str) -> bool:
        return rights.may_list(resource, namespace, name) or (
            resource == CONTROLLERS.key and rights.allows("get", resource)
        )

    return may_name


def _joined(*parts: str) -> str:
    return "&".join(part for part in parts if part)
