"""The page that begins a run: over the rows that were selected, or over all that the list shows."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from dashboard.bulk.place import see_other, with_database
from dashboard.bulk.records import Begin
from dashboard.bulk.run import MOST, Item
from dashboard.drafts.cookies import browser_of, remember_browser
from dashboard.drafts.draft import Whose
from dashboard.drafts.shelf import new_key
from dashboard.live.context import LiveParts, live_of, user_of
from dashboard.live.messages import Row
from dashboard.live.result_store import NoRoom
from dashboard.resources.kinds import KindInfo
from dashboard.resources.missing import Link, Missing, missing_kind, missing_page
from dashboard.resources.opened import Unopened, open_kind
from dashboard.resources.page_info import page_info
from dashboard.resources.pages import is_known
from dashboard.resources.query import Query
from dashboard.resources.selected import chosen_rows


@require_http_methods(["GET", "HEAD", "POST"])
@with_database
async def begin(request: HttpRequest, resource: str) -> HttpResponse:
    """Asks whether all that this list shows are meant; a POST begins a run over them, or over ``uid``."""
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    query = Query.parse(request.GET, kind.key)
    found = chosen_rows(live, kind, request.POST) if "uid" in request.POST else await _matching(live, kind, query)
    if isinstance(found, HttpResponse):
        return _cannot(request, kind, query, found.content.decode(), found.status_code)
    if isinstance(found, str):
        return _cannot(request, kind, query, found, 422)
    rows, gone = found
    if not rows:
        words = (
            "Everything that was selected is gone." if gone else "Nothing is selected: select rows in the list first."
        )
        return _cannot(request, kind, query, words, 422)
    if request.method != "POST":
        page = page_info(request, title=f"Change {kind.title}", key=kind.key)
        context = {"page": page, "kind": kind, "number": len(rows), "filter": query, "back": query.href()}
        return render(request, "bulk/begin.html", context)
    return await _begun(request, live, kind, rows, query)


async def _begun(request: HttpRequest, live: LiveParts, kind: KindInfo, rows: list[Row], query: Query) -> HttpResponse:
    whose = Whose(user_of(request), browser_of(request) or new_key())
    items = sorted(
        (Item(row.namespace, row.name, row.uid) for row in rows), key=lambda item: (item.namespace, item.name)
    )
    begin = Begin(kind.resource, tuple(items), query.href(), matching="uid" not in request.POST)
    key = await live.bulks.records.begin(whose, live.cluster.server, begin, live.clock.time())
    response = see_other(f"{kind.path}bulk/{key}/")
    remember_browser(response, whose.browser)
    return response


async def _matching(live: LiveParts, kind: KindInfo, query: Query) -> tuple[list[Row], list[str]] | str:
    """All rows that the list shows on all its pages; or why they cannot be had."""
    if query.problems:
        return " ".join(problem.message for problem in query.problems)
    if not is_known(live.replicas.get(kind.key)):
        return f"{kind.title} have not been read yet. Ask again in a moment."
    try:
        number = await live.hub.number(kind, query)
        if number > MOST:
            return f"{number:,} match, and {MOST:,} can be changed at once at most: narrow the filter."
        return list(await live.hub.all_rows(kind, query)), []
    except NoRoom as error:
        return str(error)


def _cannot(request: HttpRequest, kind: KindInfo, query: Query, words: str, status: int) -> HttpResponse:
    missing = Missing("Nothing was begun", words, (Link(f"Back to {kind.title}", query.href()),))
    return missing_page(request, missing, key=kind.key, status=status)
