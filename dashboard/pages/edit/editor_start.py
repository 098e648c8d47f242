"""Editor with the present object."""

from __future__ import annotations

from dashboard.objects.fields.field_access import Value
from dashboard.objects.problems.write_refusal import Refusal
from dashboard.pages.edit.responses import Editor
from dashboard.pages.writes.editable_part import Base
from dashboard.pages.writes.outcomes import Submission
from dashboard.pages.writes.request_context import EditRequest


async def editor_of(edit_request: EditRequest, text: str = "", refusal: Refusal | None = None) -> Editor:
    """The editor with the current object. Raises WriteUnavailable where it cannot be read."""
    return await editor_over(edit_request, await edit_request.read("Edit"), text, refusal)


async def editor_over(
    edit_request: EditRequest, live: dict[str, Value], text: str = "", refusal: Refusal | None = None
) -> Editor:
    """The editor on top of the current object; with `text`, where there is one."""
    base = Base.of(live, edit_request.target.part)
    deletion_timestamp = live["metadata"].get("deletionTimestamp", "")
    offers = await edit_request.draft_session.offers()
    return Editor(Submission(text or base.text, base), refusal, deletion_timestamp=deletion_timestamp, offers=offers)
