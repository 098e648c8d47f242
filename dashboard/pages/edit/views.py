"""The pages that write: edit, its review and its conflicts. HTTP in and out; what happens is in actions.

An edit page is one form with several buttons; which one was pressed decides what a POST does. Writing needs POST, the
CSRF token and, for an edit, the mark of a review of this very text on top of this very state.
"""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.drafts.draft import Content, Subject
from dashboard.drafts.writing import DISCARD, Writing
from dashboard.edits.actions import review, save, take_in
from dashboard.edits.again import create_again, review_again
from dashboard.edits.answers import Editor, answer, editor_page
from dashboard.edits.check import checked, theirs_note
from dashboard.edits.document import DocumentError, parse
from dashboard.edits.editable import Base, Part
from dashboard.edits.fields import Value
from dashboard.edits.forms import Pressed, apply_form, posted_fields, press
from dashboard.edits.input_names import CHANGE, FIELD, SHOWN
from dashboard.edits.kept import has_text
from dashboard.edits.loop import off_loop
from dashboard.edits.outcomes import Draft, Gone, Outcome, Refused, Replaced, Saved
from dashboard.edits.parts import find_part
from dashboard.edits.place import Place
from dashboard.edits.posted import base_of, seen_beside, sent_draft, text_of
from dashboard.edits.present import live_of
from dashboard.edits.problems import Problem, Refusal, refusal_of, unreadable
from dashboard.edits.said import say_no_more
from dashboard.edits.schema import Schema
from dashboard.repeats import LOST
from informerd.errors import InformerdError, NotFound

SAVE, CREATE, REVIEW, RECREATE, TAKE, ADOPT, EDIT = "save", "create", "review", "recreate", "take", "adopt", "edit"
BUTTONS = (SAVE, CREATE, REVIEW, RECREATE, TAKE, ADOPT, CHANGE, EDIT)


@require_http_methods(["GET", "HEAD", "POST"])
async def edit(request: HttpRequest, resource: str, namespace: str, name: str, part: Part = "spec") -> HttpResponse:
    """The editor of one object, or of its status, and all that its buttons lead to."""
    place = await find_part(request, resource, namespace, name, part)
    if isinstance(place, HttpResponse):
        namespace = "" if namespace == "-" else namespace
        subject = Subject.of(resource, namespace, name, status=part == "status")
        return await _kept_aside(request, subject, place)
    if request.method == "POST":
        if DISCARD in request.POST:
            gone = request.POST[DISCARD] == "list"
            return await place.writing.discarded(place.target.kind.path if gone else place.target.href)
        await place.writing.keep(Content.of(request.POST.dict()))
        return place.writing.leave(await _pressed(place))
    key = request.GET.get("draft", "")
    response = await (_resumed(place, key) if key else _opened(place))
    say_no_more(request, response)
    return place.writing.leave(response)


async def _kept_aside(request: HttpRequest, subject: Subject, response: HttpResponse) -> HttpResponse:
    """The page that says why there is no editor; a text that came for it is kept as a draft all the same."""
    if DISCARD in request.POST:
        return await Writing(request, subject).discarded(f"/resources/{subject.kind}/")
    if not has_text(request):
        return response
    writing = Writing(request, subject)
    await writing.keep(Content.of(request.POST.dict()))
    return writing.leave(response)


@require_POST
async def check(request: HttpRequest, resource: str, namespace: str, name: str, part: Part = "spec") -> HttpResponse:
    """What the editor's script asks while somebody types: form and YAML made one, problems, others' changes. JSON."""
    place = await find_part(request, resource, namespace, name, part)
    if isinstance(place, HttpResponse):
        return JsonResponse({}, status=place.status_code)
    return JsonResponse(await checked(place))


async def _opened(place: Place, text: str = "", refusal: Refusal | None = None) -> HttpResponse:
    """The editor with the object as the API server has it now; `text` is kept where one was sent."""
    try:
        live = await place.exchange.read()
    except InformerdError as error:
        return place.unopened(error, "Edit")
    return await _on_top_of(place, live, text, refusal)


async def _on_top_of(
    place: Place, live: dict[str, Value], text: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    """The editor of the object as it is; with `text`, where there is one already."""
    base = Base.of(live, place.target.part)
    deleting = live["metadata"].get("deletionTimestamp", "")
    offers = await place.writing.offers()
    editor = Editor(Draft(text or base.text, base), refusal, deleting=deleting, offers=offers)
    return await editor_page(place, await place.schema(), editor)


async def _resumed(place: Place, key: str) -> HttpResponse:
    """The editor with a draft on top of what it began with, so that whatever others did meanwhile is found."""
    kept = await place.writing.resume(key)
    if kept is None:
        words = "It was saved or thrown away, or was written in another browser. This is the object as it is."
        return await _opened(place, refusal=Refusal((Problem(words),), 404, "There is no such draft any more"))
    content = kept.content
    base = await off_loop(base_of, content.base_uid, content.base_version, content.base, size=len(content.base))
    if base is None:
        return await _opened(place, content.text)
    draft, schema = Draft(content.text, base), await place.schema()
    try:
        live = await live_of(place.exchange, draft)
    except InformerdError as error:
        return place.unopened(error, "Edit")
    if isinstance(live, Gone | Replaced):
        return await answer(place, schema, live)
    deleting = live["metadata"].get("deletionTimestamp", "")
    typed = dict(content.fields)
    changed = {name: value for name, value in typed.items() if name.startswith((FIELD, SHOWN))}
    filled = await _with_form(draft, schema, changed)
    if isinstance(filled, Draft):
        draft, typed = filled, {name: value for name, value in typed.items() if name not in changed}
    theirs = await theirs_note(place, draft)
    return await editor_page(place, schema, Editor(draft, deleting=deleting, resumed=kept, typed=typed, theirs=theirs))


async def _pressed(place: Place) -> HttpResponse:
    post = place.request.POST
    draft = await sent_draft(post)
    if draft is None and ADOPT in post:  # from the page of a new object whose name is taken
        return await _opened(place, text_of(post))
    if draft is None:
        words = "This form came without what the edit began with, so it now begins with the object as it is."
        return await _opened(place, text_of(post), Refusal((), 400, words))
    button = next((name for name in BUTTONS if name in post), EDIT)
    schema = await place.schema()
    filled = await _with_form(draft, schema, posted_fields(post.dict()))
    if isinstance(filled, Refused):
        refusal = None if button == EDIT else filled.refusal
        return await editor_page(place, schema, Editor(draft, refusal, unapplied=True))
    return await _done(place, button, filled, schema)


async def _done(place: Place, button: str, draft: Draft, schema: Schema) -> HttpResponse:
    if button == EDIT:
        return await editor_page(place, schema, Editor(draft))
    if button == CHANGE:
        return await _form_changed(place, draft, schema)
    if button == ADOPT:
        return await _adopted(place, draft, schema)
    if button == TAKE:
        taken = await take_in(place.exchange, draft, schema)
        if isinstance(taken, Draft):
            return await editor_page(place, schema, Editor(taken, taken=True))
        return await answer(place, schema, taken)
    outcome = await _outcome(place, button, draft, schema)
    if isinstance(outcome, Saved):
        await place.writing.end()
    return await answer(place, schema, outcome)


async def _form_changed(place: Place, draft: Draft, schema: Schema) -> HttpResponse:
    """The editor again, after one of the form's own buttons."""

    def changed() -> Pressed:
        return press(schema, parse(draft.text), place.request.POST.dict())

    pressed = await off_loop(changed, size=len(draft.text))
    after = replace(draft, text=pressed.document.text)
    return await editor_page(place, schema, Editor(after, opened=pressed.opened, focus=pressed.focus))


async def _outcome(place: Place, button: str, draft: Draft, schema: Schema) -> Outcome:
    """A write only with the mark of its review; without it, the review."""
    mark = place.request.POST.get("reviewed", "")
    if button in (CREATE, RECREATE) and place.target.part == "status":
        return await review(place.exchange, draft, schema)  # no object can be made of a status alone
    purpose = button if button in (SAVE, CREATE) else REVIEW
    seen = await off_loop(seen_beside, place.target, draft, purpose, mark, size=len(draft.text))
    if seen is not None and purpose != REVIEW:
        lost = place.request.POST.get(LOST, "")
        if purpose == SAVE:
            return await save(place.exchange, draft, schema, lost=lost, seen=seen)
        return await create_again(place.exchange, draft, lost=lost, seen=seen)
    if button in (CREATE, RECREATE):
        return await review_again(place.exchange, draft)
    return await review(place.exchange, draft, schema)


async def _adopted(place: Place, draft: Draft, schema: Schema) -> HttpResponse:
    """The text goes on as an edit of the object that has the name now; the review will compare the two."""
    try:
        live = await place.exchange.read()
    except NotFound:
        return await answer(place, schema, Gone(draft))
    except InformerdError as error:
        return await editor_page(place, schema, Editor(draft, refusal_of(error)))
    return await _on_top_of(place, live, draft.text)


async def _with_form(draft: Draft, schema: Schema, fields: dict[str, str]) -> Draft | Refused:
    """The draft with what was changed in the form written into its text."""
    try:
        document = await off_loop(parse, draft.text, size=len(draft.text))
        document, problems = await off_loop(apply_form, schema, document, fields, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable(error))
    filled = Draft(document.text, draft.base, draft.choices, draft.seen)
    return Refused(filled, Refusal(problems, 422, "The form cannot be taken as it is")) if problems else filled
