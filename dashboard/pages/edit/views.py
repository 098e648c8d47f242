"""Editor pages: edit, review and conflicts.

An edit page is one form with several buttons; the pressed one decides what a POST does. A write needs POST, the CSRF
token and, for an edit, the mark of a review of this text on top of this state. A POST takes these steps:

1. the request: the object of the address, the API client and the draft (part_request.open_part_request);
2. the form data: button, text, base and answers to conflicts, and the form's input in the text (form_data);
3. the check of the text before anything is sent (check);
4. the merge with the current object, where that has changed (merge);
5. the dry run, or the write of what a dry run has shown (actions, dry_run, recreate);
6. the response to the outcome (responses.outcome_response).
"""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.objects.manifests.document import parse
from dashboard.objects.problems.write_refusal import Problem, Refusal, refusal_of
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.drafts.draft import Content, Draft
from dashboard.pages.drafts.request_draft import DISCARD
from dashboard.pages.edit.actions import merge_theirs, review, save
from dashboard.pages.edit.check_while_typing import check_result, theirs_note
from dashboard.pages.edit.concurrent_changes import current_object
from dashboard.pages.edit.editor_start import editor_of, editor_over
from dashboard.pages.edit.form_data import Button, EditForm, fill_text, parse_base, read_form
from dashboard.pages.edit.recreate import recreate, review_recreation
from dashboard.pages.edit.responses import Editor, name_to_type_for, outcome_response
from dashboard.pages.edit.signed_review import unsign_review
from dashboard.pages.edit.spec_or_status_request import open_part_request
from dashboard.pages.edit.start_from_history import start_from_history
from dashboard.pages.forms import ButtonResult, form_fields, press
from dashboard.pages.forms.input_names import FIELD, INITIAL
from dashboard.pages.layout.flash import clear_flash
from dashboard.pages.layout.shown_moment import VERSION
from dashboard.pages.writes.outcomes import Gone, Outcome, Refused, Saved, Submission, returns_outcome
from dashboard.pages.writes.request_context import EditRequest
from dashboard.pages.writes.target import Editable
from dashboard.pages.writes.typed_name import is_missing
from dashboard.pages.writes.write_unavailable import unavailable_as_json, unavailable_as_page
from dashboard.runtime.request_retry import LOST_INPUT
from dashboard.runtime.thread_pools import run_in_thread_if_large
from informerd.errors import InformerdError, NotFound


@require_http_methods(["GET", "HEAD", "POST"])
@unavailable_as_page
async def edit(request: HttpRequest, resource: str, namespace: str, name: str, part: Editable = "spec") -> HttpResponse:
    """The editor of one object, or of its status, and the responses to its buttons."""
    edit_request = await open_part_request(request, resource, namespace, name, part)
    if DISCARD in request.POST:
        target = edit_request.target
        return await edit_request.draft_session.discard(
            target.kind.path if request.POST[DISCARD] == "list" else target.href
        )
    if request.method == "POST" and VERSION in request.POST:
        outcome = await _open(edit_request, request.POST)
    elif request.method == "POST":
        await edit_request.draft_session.keep(Content.of(request.POST.dict()))
        outcome = await _press(edit_request, await read_form(request.POST))
    else:
        outcome = await _open(edit_request, request.GET)
    if isinstance(outcome, Saved):
        await edit_request.draft_session.end()
    response = await outcome_response(edit_request, outcome)
    if request.method != "POST":
        clear_flash(request, response)
    return edit_request.draft_session.set_cookies(response)


@require_POST
@unavailable_as_json
async def check(
    request: HttpRequest, resource: str, namespace: str, name: str, part: Editable = "spec"
) -> HttpResponse:
    """The editor script's check while the user types: form and YAML merged, problems, other users' changes. JSON."""
    edit_request = await open_part_request(request, resource, namespace, name, part)
    return JsonResponse(await check_result(edit_request))


# --- GET ---


async def _open(edit_request: EditRequest, params: QueryDict) -> Editor | Outcome:
    """The editor with the current object, with a draft, or with a version from history."""
    if started := await start_from_history(edit_request, params):
        return started
    draft_key = params.get("draft", "")
    if not draft_key:
        return await editor_of(edit_request)
    stored_draft = await edit_request.draft_session.resume(draft_key)
    if stored_draft is not None:
        return await _resumed(edit_request, stored_draft)
    words = "It was saved or thrown away, or belongs to another browser. The editor shows the current object."
    refusal = Refusal((Problem(words),), 404, "This draft does not exist any more")
    return await editor_of(edit_request, refusal=refusal)


@returns_outcome
async def _resumed(edit_request: EditRequest, stored_draft: Draft) -> Editor:
    """The editor with a draft on top of its base, so that later changes by others are found."""
    content = stored_draft.content
    base = await run_in_thread_if_large(
        parse_base, content.base_uid, content.base_version, content.base, size=len(content.base)
    )
    if base is None:
        return await editor_of(edit_request, content.text)
    draft = Submission(content.text, base)
    try:
        live = await current_object(edit_request.object_client, draft)
    except InformerdError as error:
        raise edit_request.read_failure(error, "Edit") from error
    deletion_timestamp = live["metadata"].get("deletionTimestamp", "")
    typed = dict(content.fields)
    changed = {name: value for name, value in typed.items() if name.startswith((FIELD, INITIAL))}
    filled = await fill_text(draft, await edit_request.schema(), changed)
    if isinstance(filled, Submission):
        draft, typed = filled, {name: value for name, value in typed.items() if name not in changed}
    theirs = await theirs_note(edit_request, draft)
    return Editor(
        draft, deletion_timestamp=deletion_timestamp, resumed=stored_draft, form_data=typed, theirs_html=theirs
    )


# --- POST ---


async def _press(edit_request: EditRequest, form: EditForm) -> Editor | Outcome:
    """The outcome of the pressed button."""
    if form.submission is None and form.button == Button.ADOPT:  # from the page of a new object whose name is in use
        return await editor_of(edit_request, form.text)
    if form.submission is None:
        words = "The form arrived without its base, so the edit now starts from the current object."
        return await editor_of(edit_request, form.text, Refusal((), 400, words))
    post, client, schema = edit_request.request.POST, edit_request.object_client, await edit_request.schema()
    draft = await fill_text(form.submission, schema, form_fields(post.dict()))
    if isinstance(draft, Refused):
        refusal = None if form.button == Button.EDIT else draft.refusal
        return Editor(form.submission, refusal, has_unapplied_input=True)
    match form.button:
        case Button.EDIT:
            return Editor(draft)
        case Button.CHANGE:
            return await _form_changed(draft, schema, post.dict())
        case Button.ADOPT:
            return await _adopt(edit_request, draft)
        case Button.TAKE_THEIRS:
            merged = await merge_theirs(client, draft, schema)
            return Editor(merged, has_merged_theirs=True) if isinstance(merged, Submission) else merged
        case button:
            return await _write_or_review(edit_request, button, draft, schema)


async def _write_or_review(edit_request: EditRequest, button: Button, draft: Submission, schema: Schema) -> Outcome:
    """The outcome of a write with the mark of its review; without a mark, the review."""
    post, client = edit_request.request.POST, edit_request.object_client
    is_creation = button in (Button.CREATE, Button.RECREATE)
    if is_creation and edit_request.target.part == "status":
        return await review(client, draft, schema)  # no object can be created from a status alone
    if button in (Button.SAVE, Button.CREATE):
        lost, mark = post.get(LOST_INPUT, ""), post.get("reviewed", "")
        reader = edit_request.draft_session.identity
        reviewed = await run_in_thread_if_large(
            unsign_review, reader, edit_request.target, draft, button.value, mark, size=len(draft.text)
        )
        if reviewed is not None and is_creation:
            return await recreate(client, draft, lost_answer=lost, reviewed_changes=reviewed)
        if reviewed is not None and not is_missing(await name_to_type_for(edit_request, draft)):
            return await save(client, draft, schema, lost_answer=lost, reviewed_changes=reviewed)
    return await (review_recreation(client, draft) if is_creation else review(client, draft, schema))


async def _form_changed(draft: Submission, schema: Schema, post: dict[str, str]) -> Editor:
    """The editor again, after one of the form's own buttons."""

    def changed() -> ButtonResult:
        return press(schema, parse(draft.text), post)

    pressed = await run_in_thread_if_large(changed, size=len(draft.text))
    return Editor(replace(draft, text=pressed.document.text), expanded=pressed.expanded, focus=pressed.focus)


async def _adopt(edit_request: EditRequest, draft: Submission) -> Editor | Outcome:
    """Continue the text as an edit of the object that has the name now; the review compares the two."""
    try:
        live = await edit_request.object_client.read()
    except NotFound:
        return Gone(draft)
    except InformerdError as error:
        return Editor(draft, refusal_of(error))
    return await editor_over(edit_request, live, draft.text)
