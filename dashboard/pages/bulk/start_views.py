"""Page that starts a bulk run: over the selected rows, or over all matches of the list."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from dashboard.access.identity import remember_browser
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.namespace_limits import limit_of
from dashboard.live.index.index_store import PathCacheFull
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.query.list_query import Query
from dashboard.pages.bulk.request_context import require_database, see_other, starting_identity
from dashboard.pages.bulk.run import MAX_ITEMS, Item
from dashboard.pages.bulk.runner import BULK_RUNNER
from dashboard.pages.bulk.store import NewRun
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, kind_not_found, not_found_page
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.read_only_page import read_only_page
from dashboard.pages.layout.requested_kind import UnavailableKind, has_synced, open_kind
from dashboard.pages.lists.selection_views import selected_rows
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.read_only import is_read_only


@require_http_methods(["GET", "HEAD", "POST"])
@require_database
async def start_run(request: HttpRequest, resource: str) -> HttpResponse:
    """Asks for confirmation of all matches of this list; a POST starts a run over them, or over ``uid``."""
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    if is_read_only():
        return read_only_page(request, ChoiceLink(kind.title, kind.path), key=kind.key)
    query = Query.parse(request.GET, kind.key)
    selected = (
        selected_rows(state, kind, request.POST) if "uid" in request.POST else await _matching(state, kind, query)
    )
    if isinstance(selected, HttpResponse):
        return _cannot(request, kind, query, selected.content.decode(), selected.status_code)
    if isinstance(selected, str):
        return _cannot(request, kind, query, selected, 422)
    rows, gone = selected
    if not rows:
        words = "All selected objects are gone." if gone else "Nothing is selected: select rows in the list first."
        return _cannot(request, kind, query, words, 422)
    if request.method != "POST":
        page = page_info(request, title=f"Change {kind.title}", key=kind.key)
        context = {"page": page, "kind": kind, "match_count": len(rows), "query": query, "list_href": query.href()}
        context["limit"] = limit_of(state[REPLICAS].get(kind.key).health)
        return render(request, "bulk/confirm_all_matches.html", context)
    return await _start_run(request, state, kind, rows, query)


async def _start_run(
    request: HttpRequest, state: AppState, kind: KindInfo, rows: list[Row], query: Query
) -> HttpResponse:
    identity = starting_identity(request)
    items = sorted(
        (Item(row.namespace, row.name, row.uid) for row in rows), key=lambda item: (item.namespace, item.name)
    )
    begin = NewRun(kind.resource, tuple(items), query.href(), is_over_all_matches="uid" not in request.POST)
    key = await state[BULK_RUNNER].store.create(identity, state[CONNECTION].cluster.server, begin, state[CLOCK].time())
    response = see_other(f"{kind.path}bulk/{key}/")
    remember_browser(response, identity.browser)
    return response


async def _matching(state: AppState, kind: KindInfo, query: Query) -> tuple[list[Row], list[str]] | str:
    """All matching rows of the list, on all its pages; or the refusal."""
    if query.problems:
        return " ".join(problem.message for problem in query.problems)
    if not has_synced(state[REPLICAS].get(kind.key)):
        return f"{kind.title} have not been read yet. Try again in a moment."
    try:
        number = await state[HUB].count_rows(kind, query)
        if number > MAX_ITEMS:
            return f"{number:,} match, but at most {MAX_ITEMS:,} can be changed together: narrow the filter."
        return list(await state[HUB].all_rows(kind, query)), []
    except PathCacheFull as error:
        return str(error)


def _cannot(request: HttpRequest, kind: KindInfo, query: Query, words: str, status: int) -> HttpResponse:
    missing = NotFoundInfo("Nothing was started", words, (ChoiceLink(f"Back to {kind.title}", query.href()),))
    return not_found_page(request, missing, key=kind.key, status=status)
