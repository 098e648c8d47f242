"""Start of an edit from history: a version, some of its fields, or the reverse of one write.

A version starts the editor. Fields and a reverse start with the review, as their text is made from the present object.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from django.http import HttpResponseRedirect, QueryDict

from dashboard.access.rights import RIGHTS
from dashboard.live.history.version import ObjectName
from dashboard.live.moments.history_objects import HISTORY
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.paths.field_changes import put_back
from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.pages.edit.actions import review
from dashboard.pages.edit.editor_start import editor_of, editor_over
from dashboard.pages.edit.responses import Editor
from dashboard.pages.layout.shown_moment import BEFORE, FIELD, UNDO, VERSION
from dashboard.pages.writes.editable_part import Base, editable_part
from dashboard.pages.writes.outcomes import Outcome, Submission
from dashboard.pages.writes.past_version import read_past_version
from dashboard.pages.writes.recorded_write import NotRecorded, RecordedWrite, read_when_recorded, read_write
from dashboard.pages.writes.request_context import EditRequest
from dashboard.pages.writes.write_unavailable import WriteUnavailable
from dashboard.runtime.app_state import CLOCK
from dashboard.runtime.thread_pools import run_in_thread
from informerd.errors import InformerdError, NotFound

NOT_PUT_BACK = "Nothing is put back"
NOT_UNDONE = "The change is not undone"
MAX_NAMED = 3


async def start_from_history(edit_request: EditRequest, params: QueryDict) -> Editor | Outcome | None:
    """The start that an address asks for; None where that is the present object."""
    version = params.get(VERSION, "")
    if version and (FIELD in params or edit_request.request.method == "POST"):
        return await _put_back(edit_request, version, params.getlist(FIELD))
    if version:
        return await _restore(edit_request, version)
    resource_version = params.get(UNDO, "")
    if resource_version and edit_request.target.part == "spec":
        return await _undo(edit_request, resource_version, params.get(BEFORE, ""))
    return None


async def _restore(edit_request: EditRequest, version: str) -> Editor:
    """The editor with a version from history on top of the current object, which the review compares it with."""
    target, part = edit_request.target, edit_request.target.part
    found = await read_past_version(edit_request.state, target, version)
    if isinstance(found, Refusal):
        return await editor_of(edit_request, refusal=found)
    text = to_yaml(editable_part(found.value, part))
    try:
        live = await edit_request.object_client.read()
    except NotFound:  # it is created again
        place = f"{target.namespace or '-'}/{target.name}"
        query = urlencode({"from": place, VERSION: found.at}, safe=":/")
        raise WriteUnavailable.redirect(HttpResponseRedirect(f"{target.kind.new_path}?{query}")) from None
    except InformerdError as error:
        raise edit_request.read_failure(error, "Edit") from error
    return replace(await editor_over(edit_request, live, text), restored_at=found.at)


async def _put_back(edit_request: EditRequest, version: str, paths: list[str]) -> Editor | Outcome:
    """The review of the current object with these fields as they were in a version."""
    if not paths:
        refusal = Refusal((Problem("No field was chosen. Go back, and choose those to put back."),), 422, NOT_PUT_BACK)
        return await editor_of(edit_request, refusal=refusal)
    found = await read_past_version(edit_request.state, edit_request.target, version)
    if isinstance(found, Refusal):
        return await editor_of(edit_request, refusal=found)
    base = Base.of(await edit_request.read("Edit"), edit_request.target.part)
    then = editable_part(found.value, edit_request.target.part)
    mine, missing = await run_in_thread(put_back, base.value, then, frozenset(paths))
    if missing:
        named = ", ".join(sorted(missing)[:MAX_NAMED]) + (" and more" if len(missing) > MAX_NAMED else "")
        words = (
            f"{named} cannot be put back alone: the present object and that version do not both have what contains it, "
            "or it is not to be edited here."
        )
        return await editor_of(edit_request, refusal=Refusal((Problem(words),), 422, NOT_PUT_BACK))
    return await review(edit_request.object_client, Submission(to_yaml(mine), base), await edit_request.schema())


async def _undo(edit_request: EditRequest, resource_version: str, before: str) -> Editor | Outcome:
    """The review of the current object without what a write changed, or the questions where others changed the same.
    It was written on top of the resourceVersion `before`, empty where that is not known.
    """
    target, state = edit_request.target, edit_request.state
    live = await edit_request.read("Edit")
    name = ObjectName(target.kind.key, target.namespace, target.name, live["metadata"]["uid"])
    history = state[HISTORY]

    async def read() -> RecordedWrite:
        if not state[RIGHTS].scope_of(target.kind.key).includes(target.namespace, target.name):
            raise NotRecorded("History has no such version.")
        return await read_write(history, target.kind, name, resource_version, base_version=before)

    try:
        write = await read_when_recorded(history, target.kind, state[CLOCK].time(), read)
    except NotRecorded as reason:
        return await editor_of(edit_request, refusal=Refusal((Problem(str(reason)),), reason.code, NOT_UNDONE))
    draft = Submission(to_yaml(write.before), Base(name.uid, resource_version, write.after))
    return await review(edit_request.object_client, draft, await edit_request.schema())
