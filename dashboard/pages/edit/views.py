"""Editor pages: edit, review and conflicts. This module has the HTTP part; edit/actions.py has the logic.

An edit page is one form with several buttons; the pressed one decides what a POST does. A write needs POST, the CSRF
token and, for an edit, the mark of a review of this text on top of this state.
"""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.objects.fields.fields import Value
from dashboard.objects.manifests.document import DocumentError, parse
from dashboard.objects.problems.problem import Problem, Refusal, refusal_of, unreadable_refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.drafts.draft import Content, Subject
from dashboard.pages.drafts.session import DISCARD, DraftSession
from dashboard.pages.edit.actions import merge_theirs, review, save
from dashboard.pages.edit.current import current_object
from dashboard.pages.edit.form_data import parse_base, read_submission, submitted_text, unsign_review
from dashboard.pages.edit.live_check import check_result, theirs_note
from dashboard.pages.edit.parts import find_part_request
from dashboard.pages.edit.recreate import recreate, review_recreation
from dashboard.pages.edit.responses import Editor, editor_page, outcome_response
from dashboard.pages.forms import ButtonResult, apply_form, form_fields, press
from dashboard.pages.forms.input_names import CHANGE, FIELD, INITIAL
from dashboard.pages.layout.flash import clear_flash
from dashboard.pages.writes.outcomes import Gone, Outcome, Refused, Replaced, Saved, Submission
from dashboard.pages.writes.request import EditRequest
from dashboard.pages.writes.rescued_text import has_text
from dashboard.pages.writes.target import Base, Editable
from dashboard.runtime.background import run_in_thread_if_large
from dashboard.runtime.retry import LOST_INPUT
from informerd.errors import InformerdError, NotFound

SAVE, CREATE, REVIEW, RECREATE, TAKE_THEIRS, ADOPT, EDIT = (
    "save",
    "create",
    "review",
    "recreate",
    "take",
    "adopt",
    "edit",
)
BUTTONS = (SAVE, CREATE, REVIEW, RECREATE, TAKE_THEIRS, ADOPT, CHANGE, EDIT)


@require_http_methods(["GET", "HEAD", "POST"])
async def edit(request: HttpRequest, resource: str, namespace: str, name: str, part: Editable = "spec") -> HttpResponse:
    """The editor of one object, or of its status, and the responses to its buttons."""
    place = await find_part_request(request, resource, namespace, name, part)
    if isinstance(place, HttpResponse):
        namespace = "" if namespace == "-" else namespace
        subject = Subject.of(resource, namespace, name, status=part == "status")
        return await _rescue_text(request, subject, place)
    if request.method == "POST":
        if DISCARD in request.POST:
            gone = request.POST[DISCARD] == "list"
            return await place.draft_session.discard(place.target.kind.path if gone else place.target.href)
        await place.draft_session.keep(Content.of(request.POST.dict()))
        return place.draft_session.set_cookies(await _button_response(place))
    key = request.GET.get("draft", "")
    response = await (_resumed_editor(place, key) if key else _fresh_editor(place))
    clear_flash(request, response)
    return place.draft_session.set_cookies(response)


async def _rescue_text(request: HttpRequest, subject: Subject, response: HttpResponse) -> HttpResponse:
    """The page that says why there is no editor; a posted text is stored as a draft all the same."""
    if DISCARD in request.POST:
        return await DraftSession(request, subject).discard(f"/resources/{subject.kind}/")
    if not has_text(request):
        return response
    writing = DraftSession(request, subject)
    await writing.keep(Content.of(request.POST.dict()))
    return writing.set_cookies(response)


@require_POST
async def check(
    request: HttpRequest, resource: str, namespace: str, name: str, part: Editable = "spec"
) -> HttpResponse:
    """The editor script's check while the user types: form and YAML merged, problems, other users' changes. JSON."""
    place = await find_part_request(request, resource, namespace, name, part)
    if isinstance(place, HttpResponse):
        return JsonResponse({}, status=place.status_code)
    return JsonResponse(await check_result(place))


async def _fresh_editor(place: EditRequest, text: str = "", refusal: Refusal | None = None) -> HttpResponse:
    """The editor with the current object; a posted `text` is kept."""
    try:
        live = await place.object_client.read()
    except InformerdError as error:
        return place.read_error_page(error, "Edit")
    return await _editor_over(place, live, text, refusal)


async def _editor_over(
    place: EditRequest, live: dict[str, Value], text: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    """The editor on top of the current object; with `text`, where there is one."""
    base = Base.of(live, place.target.part)
    deleting = live["metadata"].get("deletionTimestamp", "")
    offers = await place.draft_session.offers()
    editor = Editor(Submission(text or base.text, base), refusal, deleting=deleting, offers=offers)
    return await editor_page(place, await place.schema(), editor)


async def _resumed_editor(place: EditRequest, key: str) -> HttpResponse:
    """The editor with a draft on top of its base, so that later changes by others are found."""
    kept = await place.draft_session.resume(key)
    if kept is None:
        words = "It was saved or thrown away, or belongs to another browser. The editor shows the current object."
        return await _fresh_editor(place, refusal=Refusal((Problem(words),), 404, "This draft does not exist any more"))
    content = kept.content
    base = await run_in_thread_if_large(
        parse_base, content.base_uid, content.base_version, content.base, size=len(content.base)
    )
    if base is None:
        return await _fresh_editor(place, content.text)
    draft, schema = Submission(content.text, base), await place.schema()
    try:
        live = await current_object(place.object_client, draft)
    except InformerdError as error:
        return place.read_error_page(error, "Edit")
    if isinstance(live, Gone | Replaced):
        return await outcome_response(place, schema, live)
    deleting = live["metadata"].get("deletionTimestamp", "")
    typed = dict(content.fields)
    changed = {name: value for name, value in typed.items() if name.startswith((FIELD, INITIAL))}
    filled = await _with_form(draft, schema, changed)
    if isinstance(filled, Submission):
        draft, typed = filled, {name: value for name, value in typed.items() if name not in changed}
    theirs = await theirs_note(place, draft)
    return await editor_page(
        place, schema, Editor(draft, deleting=deleting, resumed=kept, form_data=typed, theirs=theirs)
    )


async def _button_response(place: EditRequest) -> HttpResponse:
    post = place.request.POST
    draft = await read_submission(post)
    if draft is None and ADOPT in post:  # from the page of a new object whose name is taken
        return await _fresh_editor(place, submitted_text(post))
    if draft is None:
        words = "The form arrived without its base, so the edit now starts from the current object."
        return await _fresh_editor(place, submitted_text(post), Refusal((), 400, words))
    button = next((name for name in BUTTONS if name in post), EDIT)
    schema = await place.schema()
    filled = await _with_form(draft, schema, form_fields(post.dict()))
    if isinstance(filled, Refused):
        refusal = None if button == EDIT else filled.refusal
        return await editor_page(place, schema, Editor(draft, refusal, has_unapplied_input=True))
    return await _perform(place, button, filled, schema)


async def _perform(place: EditRequest, button: str, draft: Submission, schema: Schema) -> HttpResponse:
    if button == EDIT:
        return await editor_page(place, schema, Editor(draft))
    if button == CHANGE:
        return await _form_changed(place, draft, schema)
    if button == ADOPT:
        return await _adopt(place, draft, schema)
    if button == TAKE_THEIRS:
        taken = await merge_theirs(place.object_client, draft, schema)
        if isinstance(taken, Submission):
            return await editor_page(place, schema, Editor(taken, taken=True))
        return await outcome_response(place, schema, taken)
    outcome = await _outcome(place, button, draft, schema)
    if isinstance(outcome, Saved):
        await place.draft_session.end()
    return await outcome_response(place, schema, outcome)


async def _form_changed(place: EditRequest, draft: Submission, schema: Schema) -> HttpResponse:
    """The editor again, after one of the form's own buttons."""

    def changed() -> ButtonResult:
        return press(schema, parse(draft.text), place.request.POST.dict())

    pressed = await run_in_thread_if_large(changed, size=len(draft.text))
    after = replace(draft, text=pressed.document.text)
    return await editor_page(place, schema, Editor(after, expanded=pressed.expanded, focus=pressed.focus))


async def _outcome(place: EditRequest, button: str, draft: Submission, schema: Schema) -> Outcome:
    """The outcome of a write with the mark of its review; without a mark, the review."""
    mark = place.request.POST.get("reviewed", "")
    if button in (CREATE, RECREATE) and place.target.part == "status":
        return await review(place.object_client, draft, schema)  # no object can be made of a status alone
    purpose = button if button in (SAVE, CREATE) else REVIEW
    seen = await run_in_thread_if_large(unsign_review, place.target, draft, purpose, mark, size=len(draft.text))
    if seen is not None and purpose != REVIEW:
        lost = place.request.POST.get(LOST_INPUT, "")
        if purpose == SAVE:
            return await save(place.object_client, draft, schema, lost_answer=lost, reviewed_changes=seen)
        return await recreate(place.object_client, draft, lost_answer=lost, reviewed_changes=seen)
    if button in (CREATE, RECREATE):
        return await review_recreation(place.object_client, draft)
    return await review(place.object_client, draft, schema)


async def _adopt(place: EditRequest, draft: Submission, schema: Schema) -> HttpResponse:
    """Continue the text as an edit of the object that has the name now; the review compares the two."""
    try:
        live = await place.object_client.read()
    except NotFound:
        return await outcome_response(place, schema, Gone(draft))
    except InformerdError as error:
        return await editor_page(place, schema, Editor(draft, refusal_of(error)))
    return await _editor_over(place, live, draft.text)


async def _with_form(draft: Submission, schema: Schema, fields: dict[str, str]) -> Submission | Refused:
    """The draft with the form input written into its text."""
    try:
        document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
        document, problems = await run_in_thread_if_large(apply_form, schema, document, fields, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable_refusal(error))
    filled = Submission(document.text, draft.base, draft.choices, draft.seen_fingerprint)
    return Refused(filled, Refusal(problems, 422, "The form has errors")) if problems else filled
