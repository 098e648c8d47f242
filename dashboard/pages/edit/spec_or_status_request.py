"""Edited part of an object: spec, labels and annotations, or the status, at an address of its own.

Most kinds take a status only through a subresource, which separates the rights to the desired and to the reported
state. In kinds without that subresource the status is a field like any other, written with the object. Where there is
neither, nothing can be edited, and the page says so.
"""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest

from dashboard.cluster.access_reviews import ACCESS_REVIEWS, ResourceAttributes
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo
from dashboard.pages.writes.access_checks import denial_reason, lacks_subresource
from dashboard.pages.writes.request_context import EditRequest, open_edit_request
from dashboard.pages.writes.target import Editable
from dashboard.pages.writes.write_unavailable import WriteUnavailable
from informerd.errors import InformerdError

STATUS = "status"


async def open_part_request(
    request: HttpRequest, resource: str, namespace: str, name: str, part: Editable
) -> EditRequest:
    """The edit request for that part of an object.

    The permission to update is checked before the editor opens; the API server decides each write anyway. Raises
    WriteUnavailable as `open_edit_request` does, and where the object has no status or the user has no permission.
    """
    if part == "spec":
        edit_request = await open_edit_request(request, resource, namespace, name, "edit")
        await _check_permission(edit_request)
        return edit_request
    edit_request = await open_edit_request(request, resource, namespace, name, "edit/status", part=part)
    if await lacks_subresource(edit_request, edit_request.target.kind.key, STATUS):
        if await _is_field(edit_request):
            return edit_request
        raise _no_status(edit_request)
    edit_request = replace(edit_request, target=replace(edit_request.target, subresource=STATUS))
    refusal = await denial_reason(edit_request, "update", STATUS) if request.method != "POST" else ""
    if refusal:
        missing = NotFoundInfo("You are not allowed to edit this status", refusal, _links(edit_request))
        raise WriteUnavailable(missing, 403, key=edit_request.target.kind.key)
    return edit_request


async def _check_permission(edit_request: EditRequest) -> None:
    """Raise WriteUnavailable where the write is denied. A posted or resumed text is shown in any case."""
    if edit_request.request.method == "POST" or "draft" in edit_request.request.GET:
        return
    target = edit_request.target
    refusal = await edit_request.state[ACCESS_REVIEWS].denial(
        ResourceAttributes("update", target.kind.resource, target.namespace, target.name)
    )
    if refusal:
        links = (ChoiceLink("Its YAML", f"{target.href}yaml/"), ChoiceLink("Its details", target.href))
        missing = NotFoundInfo(f"You are not allowed to edit {target.name}", refusal, links)
        raise WriteUnavailable(missing, 403, key=target.kind.key)


async def has_status(edit_request: EditRequest) -> bool:
    """Whether the kind has an editable status, as far as is known without reading the object."""
    if not await lacks_subresource(edit_request, edit_request.target.kind.key, STATUS):
        return True
    return bool((await edit_request.schema()).child(STATUS))


async def _is_field(edit_request: EditRequest) -> bool:
    """Whether the status is a field like any other: of the schema, or of this object."""
    if (await edit_request.schema()).child(STATUS):
        return True
    try:
        return STATUS in await edit_request.object_client.read()
    except InformerdError:
        return True  # the editor says what is wrong


def _no_status(edit_request: EditRequest) -> WriteUnavailable:
    kind = edit_request.target.kind
    words = f"{kind.title} have neither a status subresource nor an editable field “status”."
    return WriteUnavailable(
        NotFoundInfo("There is no status to edit", words, _links(edit_request)),
        key=kind.key,
        session=edit_request.draft_session,
    )


def _links(edit_request: EditRequest) -> tuple[ChoiceLink, ...]:
    target = edit_request.target
    return (ChoiceLink(f"Edit {target.name} itself", f"{target.href}edit/"), ChoiceLink("Its details", target.href))
