"""What of an object a page edits: its spec, labels and annotations, or its status, on an address of its own.

Most kinds take a status by a subresource alone, which keeps who may set what is wanted and who may report what is
apart. Of kinds without that subresource the status is a field like any other, written with the object itself. Where
there is neither subresource nor field, there is nothing to edit, and the page says so.
"""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse

from dashboard.access.rights import Right
from dashboard.edits.access import absent, forbidden
from dashboard.edits.editable import Part
from dashboard.edits.place import Place, find_place, missing_place
from dashboard.resources.missing import Link, Missing
from informerd.errors import InformerdError

STATUS = "status"


async def find_part(request: HttpRequest, resource: str, namespace: str, name: str, part: Part) -> Place | HttpResponse:
    """The place where that part of an object is edited, or the page that says why there is none.

    Whether the person may update it is asked before the editor opens; the API server judges each write anyway.
    """
    if part == "spec":
        place = await find_place(request, resource, namespace, name, "edit")
        return place if isinstance(place, HttpResponse) else await _allowed(place)
    place = await find_place(request, resource, namespace, name, "edit/status", part=part)
    if isinstance(place, HttpResponse):
        return place
    if await absent(place, place.target.kind.key, STATUS):
        return place if await _is_field(place) else _nothing_there(place)
    place = replace(place, target=replace(place.target, subresource=STATUS))
    refusal = await forbidden(place, "update", STATUS) if request.method != "POST" else ""
    if not refusal:
        return place
    return missing_place(
        request, Missing("You may not edit this status", refusal, _ways(place)), 403, place.target.kind
    )


async def _allowed(place: Place) -> Place | HttpResponse:
    """The place, or the page that says that nobody may write there. What was typed already is shown in any case."""
    if place.request.method == "POST" or "draft" in place.request.GET:
        return place
    target = place.target
    refusal = await place.live.rights.denial(Right("update", target.kind.resource, target.namespace, target.name))
    if not refusal:
        return place
    links = (Link("Its YAML", f"{target.href}yaml/"), Link("Its details", target.href))
    return missing_place(place.request, Missing(f"You may not edit {target.name}", refusal, links), 403, target.kind)


async def has_status(place: Place) -> bool:
    """Whether the kind has a status to edit, as far as is known without reading the object."""
    if not await absent(place, place.target.kind.key, STATUS):
        return True
    return bool((await place.schema()).child(STATUS))


async def _is_field(place: Place) -> bool:
    """Whether the status is a field like any other: of the schema, or of this very object."""
    if (await place.schema()).child(STATUS):
        return True
    try:
        return STATUS in await place.exchange.read()
    except InformerdError:
        return True  # the editor says what is wrong


def _nothing_there(place: Place) -> HttpResponse:
    kind = place.target.kind
    words = f"{kind.title} have no status subresource, nor a field “status” that could be edited."
    return missing_place(
        place.request, Missing("There is no status to edit", words, _ways(place)), 404, place.target.kind
    )


def _ways(place: Place) -> tuple[Link, ...]:
    target = place.target
    return (Link(f"Edit {target.name} itself", f"{target.href}edit/"), Link("Its details", target.href))
