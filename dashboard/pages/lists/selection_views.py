"""What the selection of a list asks: which objects match, which of the selected are still there, and them as a file.

A browser keeps the uids (static/js/selection.js); nothing of a selection is kept here. Questions that bring uids are
POSTs, because thousands of them fit no address; they change nothing.
"""

from __future__ import annotations

import asyncio

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_POST, require_safe

from dashboard.live.context import LiveParts, live_of
from dashboard.live.messages import Row
from dashboard.live.packed_key import packed
from dashboard.live.replica import Replica
from dashboard.live.result_store import NoRoom
from dashboard.resources.export import FORMATS, export
from dashboard.resources.kinds import KindInfo
from dashboard.resources.kubectl_command import commands_for
from dashboard.resources.missing import missing_kind
from dashboard.resources.opened import Unopened, open_kind
from dashboard.resources.pages import is_known
from dashboard.resources.query import Query

MOST = 10_000
"""Objects that can be selected at once: 400 kB of uids. The browser keeps to it, see selection.js."""
AT_A_STEP = 256
"""Rows whose place in the order is looked up at one step: a field by path is read from each anew."""


@require_safe
async def matching(request: HttpRequest, resource: str) -> HttpResponse:
    """``{"uids": […]}`` of all rows of the list, in its order.

    400 where the filter has a mistake, matches more than can be selected, or needs fields that there is no room for.
    """
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    query = Query.parse(request.GET, kind.key)
    if query.problems:
        return _said(" ".join(problem.message for problem in query.problems), 400)
    if not is_known(live.replicas.get(kind.key)):
        return _said(f"{kind.title} have not been read yet. Ask again in a moment.", 503)
    try:
        number = await live.hub.number(kind, query)
        if number > MOST:
            return _said(f"{number:,} match, and {MOST:,} can be selected at most: narrow the filter.", 400)
        rows = await live.hub.all_rows(kind, query)
    except NoRoom as error:
        return _said(str(error), 400)
    return JsonResponse({"uids": [row.uid for row in rows]})


@require_POST
async def selected(request: HttpRequest, resource: str) -> HttpResponse:
    """Of the form's ``uid`` (separated by commas): ``{"gone": […]}``, those that are not there (any more).

    With ``words`` in the form also ``names``, a line an object, and ``command``, which lists them in a terminal.
    503 where some are not known and it cannot be told whether they were deleted, 400 where there are too many.
    """
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    found = chosen_rows(live, kind, request.POST)
    if isinstance(found, HttpResponse):
        return found
    rows, gone = found
    answer: dict[str, object] = {"gone": gone}
    if "words" in request.POST:
        rows.sort(key=lambda row: (row.namespace, row.name))
        answer["names"] = "\n".join(f"{row.namespace}/{row.name}" if row.namespace else row.name for row in rows)
        answer["command"] = commands_for(kind, rows)
    return JsonResponse(answer)


@require_POST
async def selected_export(request: HttpRequest, resource: str, suffix: str) -> HttpResponseBase:
    """The objects of the form's ``uid`` that are there, as a file like the list's, in its order and columns."""
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    found = chosen_rows(live, kind, request.POST)
    if isinstance(found, HttpResponse):
        return found
    query = Query.parse(request.GET, kind.key).with_(terms=(), namespaces=())
    response = StreamingHttpResponse(
        export(suffix, await _in_order(found[0], query), query.shown_columns()),
        content_type=FORMATS[suffix].content_type,
    )
    response["Content-Disposition"] = f'attachment; filename="{kind.resource.plural}-selected.{suffix}"'
    response["Cache-Control"] = "no-store"
    return response


def chosen_rows(live: LiveParts, kind: KindInfo, form: QueryDict) -> tuple[list[Row], list[str]] | HttpResponse:
    """The rows of the form's uids and the uids that no row has; or why that cannot be told.

    Another process may have shown what this one has not heard of yet: what is missing counts as gone only while the
    replica is up to date.
    """
    replica = live.replicas.get(kind.key)
    uids = list(dict.fromkeys(uid for uid in form.get("uid", "").split(",") if uid))
    if len(uids) > MOST:
        return _said(f"{len(uids):,} are selected, and {MOST:,} can be at most: select fewer.", 400)
    if not is_known(replica):
        return _said(f"{kind.title} have not been read yet. Ask again in a moment.", 503)
    rows = [row for uid in uids if (row := replica.rows.get(uid)) is not None]
    gone = [uid for uid in uids if uid not in replica.rows]
    if gone and not _is_up_to_date(replica):
        return _said(f"{kind.title} are not up to date, and some of the selected are not known. Try again later.", 503)
    return rows, gone


def _is_up_to_date(replica: Replica) -> bool:
    """Whether what it does not have is not in the cluster; a kind that the API server has no more has no objects."""
    return replica.live or (replica.state == "live" and replica.health.state == "absent")


async def _in_order(rows: list[Row], query: Query) -> list[Row]:
    """The rows in the query's order. Only they are sorted, however many others the kind has."""
    placed: list[tuple[bytes, Row]] = []
    for start in range(0, len(rows), AT_A_STEP):
        placed += [(packed(query.sort_key(row)), row) for row in rows[start : start + AT_A_STEP]]
        await asyncio.sleep(0)
    placed.sort(key=lambda each: each[0])
    return [row for _, row in placed]


def _said(sentence: str, status: int) -> HttpResponse:
    return HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")
