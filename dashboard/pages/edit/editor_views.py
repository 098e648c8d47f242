"""What the YAML editor asks beside the check: the schema at a path, and others' changes made part of the text."""

from __future__ import annotations

from dataclasses import asdict, replace

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_POST, require_safe

from dashboard.edits.actions import read_text, take_in
from dashboard.edits.check import unread
from dashboard.edits.editable import Part, Target
from dashboard.edits.fields import Path
from dashboard.edits.hints import FieldHint, Hints, ValueHint, hints, is_labels, of_status, read_path
from dashboard.edits.outcomes import Draft, Refused
from dashboard.edits.owners import set_by
from dashboard.edits.parts import find_part
from dashboard.edits.place import Place, find_place
from dashboard.edits.posted import base_json, sent_draft
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.live.context import LiveParts, live_of
from dashboard.live.row_values import Labels
from dashboard.resources.kinds import KindInfo
from dashboard.resources.opened import Unopened, open_kind
from dashboard.resources.values_there import MOST
from dashboard.resources.yaml_text import scalar
from informerd.errors import InformerdError

LONGEST = 200
"""Characters of what is typed that are looked for."""


@require_safe
async def schema_at(request: HttpRequest, resource: str) -> HttpResponse:
    """`?path=["spec","port"]`: the fields and values that may stand there, and help, as JSON (hints.Hints).

    At labels, `part` is what is typed and the answer has those that objects of the kind carry now. With
    `edits=status`: only what concerns the status.
    """
    live = live_of(request)
    kind = await open_kind(live, resource)
    path = read_path(request.GET.get("path", ""))
    if isinstance(kind, Unopened) or path is None:
        return JsonResponse({}, status=404 if isinstance(kind, Unopened) else 400)
    schema = UNKNOWN if live.client is None else await live.schemas.schema_of(live.client, kind.resource)
    found = await hints_at(live, kind, schema, path, request.GET.get("part", "")[:LONGEST])
    if request.GET.get("edits") == "status":
        found = of_status(found, path)
    response = JsonResponse(asdict(found))
    response["Cache-Control"] = "private, no-cache"
    return response


async def hints_at(live: LiveParts, kind: KindInfo, schema: Schema, path: Path, part: str) -> Hints:
    """What may stand at a path of a kind's object; at labels, those in use that have what is typed (`part`)."""
    if is_labels(path):
        names = await live.hub.commonest(kind, Labels(), part)
        fields = (FieldHint(each.value, scalar(each.value), "value", each.words) for each in names[:MOST])
        return Hints(fields=tuple(fields), asks=True)
    if is_labels(path[:-1]):
        values = await live.hub.commonest(kind, Labels(str(path[-1])), part)
        return Hints(values=tuple(ValueHint(scalar(each.value), each.words) for each in values[:MOST]), asks=True)
    found = hints(schema, path)
    if path in (("apiVersion",), ("kind",)):
        only = kind.resource.kind if path == ("kind",) else kind.resource.api_version
        return replace(found, values=(ValueHint(only),))
    return found


@require_safe
async def owner(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """`?path=["spec","port"]`: who set that field of the object as it is now, ``{"by": ["kubectl-edit"]}``."""
    place = await find_place(request, resource, namespace, name, "edit")
    path = read_path(request.GET.get("path", ""))
    if not isinstance(place, Place) or path is None:
        return JsonResponse({}, status=400 if isinstance(place, Place) else place.status_code)
    try:
        live = await place.exchange.read()
    except InformerdError:
        return JsonResponse({"by": []})
    return JsonResponse({"by": set_by(live, path)})


@require_POST
async def take(request: HttpRequest, resource: str, namespace: str, name: str, part: Part = "spec") -> HttpResponse:
    """The posted text with others' changes merged in, as JSON; empty where they overlap: then the page itself asks.

    Of a text that cannot be taken as it is: what is wrong, as `check` tells it.
    """
    place = await find_part(request, resource, namespace, name, part)
    if isinstance(place, HttpResponse):
        return JsonResponse({}, status=place.status_code)
    draft = await sent_draft(request.POST)
    if draft is None:
        return JsonResponse({})
    document = await read_text(place.exchange, draft)
    if isinstance(document, Refused):
        return JsonResponse(unread(document.refusal, draft))
    taken = await take_in(place.exchange, draft, await place.schema())
    return JsonResponse(_answer(taken, place.target) if isinstance(taken, Draft) else {})


def _answer(taken: Draft, target: Target) -> dict[str, object]:
    base = taken.base
    return {
        "yaml": taken.text,
        "inputs": {"base": base_json(base), "base_uid": base.uid, "base_version": base.version},
        "note": render_to_string("edits/_taken.html", {"target": target}),
    }
