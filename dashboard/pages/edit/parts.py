"""Edited part of an object: spec, labels and annotations, or the status, at an address of its own.

Most kinds take a status only through a subresource, which separates the rights to the desired and to the reported
state. In kinds without that subresource the status is a field like any other, written with the object. Where there is
neither, nothing can be edited, and the page says so.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from django.http import HttpRequest, HttpResponse

from dashboard.cluster.access_reviews import ACCESS_REVIEWS, REVIEW_TIMEOUT, ResourceAttributes, ask_denial
from dashboard.cluster.connection import CONNECTION
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo
from dashboard.pages.writes.request import EditRequest, find_edit_request, unavailable_page
from dashboard.pages.writes.target import Editable
from informerd.errors import InformerdError


async def lacks_subresource(place: EditRequest, key: str, subresource: str) -> bool:
    """Whether the API server is known to lack this subresource of the kind `key`."""
    discovery = place.state[CONNECTION].discovery
    if discovery is None:
        return False
    try:
        async with asyncio.timeout(REVIEW_TIMEOUT):
            resource = await discovery.resolve(key)
    except (InformerdError, TimeoutError):
        return False
    return bool(resource.verbs) and subresource not in resource.subresources


async def denial_reason(place: EditRequest, verb: str, subresource: str = "") -> str:
    """Why the action is denied, as a sentence; empty where it is allowed or unknown."""
    target = place.target
    right = ResourceAttributes(verb, target.kind.resource, target.namespace, target.name, subresource)
    return await ask_denial(place.client, right)


STATUS = "status"


async def find_part_request(
    request: HttpRequest, resource: str, namespace: str, name: str, part: Editable
) -> EditRequest | HttpResponse:
    """The edit request for that part of an object, or the page that says why there is none.

    The permission to update is checked before the editor opens; the API server decides each write anyway.
    """
    if part == "spec":
        place = await find_edit_request(request, resource, namespace, name, "edit")
        return place if isinstance(place, HttpResponse) else await _allowed(place)
    place = await find_edit_request(request, resource, namespace, name, "edit/status", part=part)
    if isinstance(place, HttpResponse):
        return place
    if await lacks_subresource(place, place.target.kind.key, STATUS):
        return place if await _is_field(place) else _nothing_there(place)
    place = replace(place, target=replace(place.target, subresource=STATUS))
    refusal = await denial_reason(place, "update", STATUS) if request.method != "POST" else ""
    if not refusal:
        return place
    return unavailable_page(
        request, NotFoundInfo("You are not allowed to edit this status", refusal, _links(place)), 403, place.target.kind
    )


async def _allowed(place: EditRequest) -> EditRequest | HttpResponse:
    """The edit request, or the page that says that the write is denied. A posted text is shown in any case."""
    if place.request.method == "POST" or "draft" in place.request.GET:
        return place
    target = place.target
    refusal = await place.state[ACCESS_REVIEWS].denial(
        ResourceAttributes("update", target.kind.resource, target.namespace, target.name)
    )
    if not refusal:
        return place
    links = (ChoiceLink("Its YAML", f"{target.href}yaml/"), ChoiceLink("Its details", target.href))
    return unavailable_page(
        place.request, NotFoundInfo(f"You are not allowed to edit {target.name}", refusal, links), 403, target.kind
    )


async def has_status(place: EditRequest) -> bool:
    """Whether the kind has an editable status, as far as is known without reading the object."""
    if not await lacks_subresource(place, place.target.kind.key, STATUS):
        return True
    return bool((await place.schema()).child(STATUS))


async def _is_field(place: EditRequest) -> bool:
    """Whether the status is a field like any other: of the schema, or of this object."""
    if (await place.schema()).child(STATUS):
        return True
    try:
        return STATUS in await place.object_client.read()
    except InformerdError:
        return True  # the editor says what is wrong


def _nothing_there(place: EditRequest) -> HttpResponse:
    kind = place.target.kind
    words = f"{kind.title} have neither a status subresource nor an editable field “status”."
    return unavailable_page(
        place.request, NotFoundInfo("There is no status to edit", words, _links(place)), 404, place.target.kind
    )


def _links(place: EditRequest) -> tuple[ChoiceLink, ...]:
    target = place.target
    return (ChoiceLink(f"Edit {target.name} itself", f"{target.href}edit/"), ChoiceLink("Its details", target.href))
