"""Endpoints for a list's selection: the matching objects, the selected objects that are gone, and an export.

The browser stores the uids (static/js/list/selection.js); the server stores nothing of a selection. Requests with uids
are POSTs, because thousands of uids fit no address; they change nothing.
"""

from __future__ import annotations

import asyncio
from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_POST, require_safe

from dashboard.live.hub.hub import HUB
from dashboard.live.index.index_store import PathCacheFull
from dashboard.live.index.sort_key_encoding import encode_key
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, Values
from dashboard.objects.printers import MEASURED_KINDS
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import read_field
from dashboard.objects.usage.usage_field import UsageField
from dashboard.pages.layout.not_found import kind_not_found
from dashboard.pages.layout.page import kubectl_of
from dashboard.pages.layout.requested_kind import UnavailableKind, has_synced, open_kind
from dashboard.pages.lists.export import FORMATS, UsageOf, export
from dashboard.pages.lists.kubectl import object_commands
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.invisible_characters import escape_to_one_line

MAX_SELECTED = 10_000
"""Most selected objects: 400 kB of uids. list/selection.js enforces the same limit."""
SORT_BATCH = 256
"""Rows whose order is looked up in one step: a path column is read from each again."""


@require_safe
async def matching_uids(request: HttpRequest, resource: str) -> HttpResponse:
    """``{"uids": […]}`` of all rows of the list, in its order.

    400 where the filter has a mistake, matches more than the limit, or needs fields that there is no room for.
    """
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    query = Query.parse(request.GET, kind.key)
    if query.problems:
        return _text_response(" ".join(problem.message for problem in query.problems), 400)
    if not has_synced(state[REPLICAS].get(kind.key)):
        return _text_response(f"{kind.title} have not been read yet. Try again in a moment.", 503)
    try:
        number = await state[HUB].count_rows(kind, query)
        if number > MAX_SELECTED:
            return _text_response(
                f"{number:,} match, but at most {MAX_SELECTED:,} can be selected: narrow the filter.", 400
            )
        rows = await state[HUB].all_rows(kind, query)
    except PathCacheFull as error:
        return _text_response(str(error), 400)
    return JsonResponse({"uids": [row.uid for row in rows]})


@require_POST
async def missing_uids(request: HttpRequest, resource: str) -> HttpResponse:
    """``{"gone": […]}`` of the form's ``uid`` (separated by commas): the uids that no row has.

    With ``words`` in the form also ``names``, one line for each object, and ``command``, which lists them in a
    terminal. 503 where some are unknown and may or may not be deleted, 400 where there are too many.
    """
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    selected = selected_rows(state, kind, request.POST)
    if isinstance(selected, HttpResponse):
        return selected
    rows, gone = selected
    answer: dict[str, object] = {"gone": gone}
    if "words" in request.POST:
        rows.sort(key=lambda row: (row.namespace, row.name))
        answer["names"] = "\n".join(escape_to_one_line(row.key) for row in rows)
        answer["command"] = "\n".join(f"{kubectl_of(state)} {line}" for line in object_commands(kind, rows))
    return JsonResponse(answer)


@require_POST
async def selected_export(request: HttpRequest, resource: str, suffix: str) -> HttpResponseBase:
    """The objects of the form's ``uid`` as a file like the list's, in its order and columns."""
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    selected = selected_rows(state, kind, request.POST)
    if isinstance(selected, HttpResponse):
        return selected
    rows, _ = selected
    query = Query.parse(request.GET, kind.key).with_(terms=(), namespaces=())
    usage_of = partial(state[HUB].usage.get, kind.key)
    response = StreamingHttpResponse(
        export(
            suffix,
            await _in_order(rows, query, usage_of),
            query.visible_columns(),
            usage_of,
            sums=kind.key not in MEASURED_KINDS,
        ),
        content_type=FORMATS[suffix].content_type,
    )
    response["Content-Disposition"] = f'attachment; filename="{kind.resource.plural}-selected.{suffix}"'
    response["Cache-Control"] = "no-store"
    return response


def selected_rows(state: AppState, kind: KindInfo, form_data: QueryDict) -> tuple[list[Row], list[str]] | HttpResponse:
    """The rows of the form's uids and the uids that no row has; or an error response.

    Another process may have shown an object that this one does not know yet: a missing uid counts as deleted only while
    the replica is up to date.
    """
    replica = state[REPLICAS].get(kind.key)
    uids = list(dict.fromkeys(uid for uid in form_data.get("uid", "").split(",") if uid))
    if len(uids) > MAX_SELECTED:
        return _text_response(f"{len(uids):,} are selected, but the limit is {MAX_SELECTED:,}: select fewer.", 400)
    if not has_synced(replica):
        return _text_response(f"{kind.title} have not been read yet. Try again in a moment.", 503)
    rows = [row for uid in uids if (row := replica.rows.get(uid)) is not None]
    gone = [uid for uid in uids if uid not in replica.rows]
    if gone and not _is_up_to_date(replica):
        return _text_response(
            f"{kind.title} are not up to date, and some of the selected objects are unknown. Try again later.", 503
        )
    return rows, gone


def _is_up_to_date(replica: ReadableReplica) -> bool:
    """Whether a missing row means a deleted object; a kind that the API server no longer serves has no objects."""
    return replica.is_live or (replica.state == "live" and replica.health.state == "absent")


async def _in_order(rows: list[Row], query: Query, usage_of: UsageOf) -> list[Row]:
    """The rows in the query's order. Only these are sorted, however many others the kind has."""

    def read(field: FieldPath | UsageField, row: Row) -> Values:
        return read_field(field, row) if isinstance(field, FieldPath) else field.values(usage_of(row))

    key_of = query.sort_key_by(read)
    placed: list[tuple[bytes, Row]] = []
    for start in range(0, len(rows), SORT_BATCH):
        placed += [(encode_key(key_of(row)), row) for row in rows[start : start + SORT_BATCH]]
        await asyncio.sleep(0)
    placed.sort(key=lambda each: each[0])
    return [row for _, row in placed]


def _text_response(sentence: str, status: int) -> HttpResponse:
    return HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")
