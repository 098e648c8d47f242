"""The pages that write: edit, its review and its conflicts, and delete. HTTP in and out; what happens is in actions.

An edit page is one form with several buttons; which one was pressed decides what a POST does. Writing needs POST, the
CSRF token and, for an edit, the mark of a review of this very text on top of this very state.
"""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.edits.actions import review, save, take_in
from dashboard.edits.again import create_again, review_again
from dashboard.edits.answers import Editor, answer, editor_page
from dashboard.edits.check import checked
from dashboard.edits.deletion import deletion_of
from dashboard.edits.document import DocumentError, parse
from dashboard.edits.editable import Base
from dashboard.edits.exchange import Propagation
from dashboard.edits.fields import Value
from dashboard.edits.form import apply_form, posted_fields
from dashboard.edits.loop import off_loop
from dashboard.edits.outcomes import Draft, Gone, Outcome, Refused
from dashboard.edits.place import Place, find_place
from dashboard.edits.posted import draft_of, is_reviewed, text_of
from dashboard.edits.problems import Refusal, is_unanswered, refusal_of, unanswered, unreadable
from dashboard.edits.said import say, say_no_more
from dashboard.edits.schema import Schema
from dashboard.resources.query import Query
from informerd.errors import Conflict, InformerdError, NotFound

SAVE, CREATE, REVIEW, RECREATE, TAKE, ADOPT, EDIT = "save", "create", "review", "recreate", "take", "adopt", "edit"
BUTTONS = (SAVE, CREATE, REVIEW, RECREATE, TAKE, ADOPT, EDIT)
_NOT_KNOWN = (
    "It may or may not be deleted",
    "Whether the deletion was taken is not known. This page, opened again, shows what became of it.",
)
PROPAGATIONS: tuple[Propagation, ...] = ("Background", "Foreground", "Orphan")


@require_http_methods(["GET", "HEAD", "POST"])
async def edit(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The editor of one object, and all that its buttons lead to."""
    place = await find_place(request, resource, namespace, name, "edit")
    if isinstance(place, HttpResponse):
        return place
    if request.method == "POST":
        return await _pressed(place)
    response = await _opened(place)
    say_no_more(request, response)
    return response


@require_POST
async def check(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """What the editor's script asks while somebody types: form and YAML made one, problems, others' changes. JSON."""
    place = await find_place(request, resource, namespace, name, "edit")
    if isinstance(place, HttpResponse):
        return JsonResponse({}, status=place.status_code)
    return JsonResponse(await checked(place))


@require_http_methods(["GET", "HEAD", "POST"])
async def delete(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Asks before it deletes: what waits for what, and what goes with it."""
    place = await find_place(request, resource, namespace, name, "delete")
    if isinstance(place, HttpResponse):
        return place
    return await _deleted(place) if request.method == "POST" else await _asked(place)


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
    base = Base.of(live)
    deleting = live["metadata"].get("deletionTimestamp", "")
    editor = Editor(Draft(text or base.text, base), refusal, deleting=deleting)
    return await editor_page(place, await place.schema(), editor)


async def _pressed(place: Place) -> HttpResponse:
    post = place.request.POST
    draft = draft_of(post)
    if draft is None:
        words = "This form came without what the edit began with, so it now begins with the object as it is."
        return await _opened(place, text_of(post), Refusal((), 400, words))
    button = next((name for name in BUTTONS if name in post), EDIT)
    schema = await place.schema()
    filled = await _with_form(draft, schema, place)
    if isinstance(filled, Refused):
        refusal = None if button == EDIT else filled.refusal
        return await editor_page(place, schema, Editor(draft, refusal, unapplied=True))
    return await _done(place, button, filled, schema)


async def _done(place: Place, button: str, draft: Draft, schema: Schema) -> HttpResponse:
    if button == EDIT:
        return await editor_page(place, schema, Editor(draft))
    if button == ADOPT:
        return await _adopted(place, draft, schema)
    if button == TAKE:
        taken = await take_in(place.exchange, draft, schema)
        if isinstance(taken, Draft):
            return await editor_page(place, schema, Editor(taken, taken=True))
        return await answer(place, schema, taken)
    return await answer(place, schema, await _outcome(place, button, draft, schema))


async def _outcome(place: Place, button: str, draft: Draft, schema: Schema) -> Outcome:
    """A write only with the mark of its review; without it, the review."""
    mark = place.request.POST.get("reviewed", "")
    if button == SAVE and is_reviewed(place.target, draft, SAVE, mark):
        return await save(place.exchange, draft, schema)
    if button == CREATE and is_reviewed(place.target, draft, CREATE, mark):
        return await create_again(place.exchange, draft)
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


async def _with_form(draft: Draft, schema: Schema, place: Place) -> Draft | Refused:
    """The draft with what was changed in the form written into its text."""
    try:
        document = await off_loop(parse, draft.text, size=len(draft.text))
        fields = posted_fields(place.request.POST.dict())
        document, problems = await off_loop(apply_form, schema, document, fields, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable(error))
    filled = Draft(document.text, draft.base, draft.choices, draft.seen)
    return Refused(filled, Refusal(problems, 422, "The form cannot be taken as it is")) if problems else filled


async def _asked(place: Place, *, changed: bool = False, refusal: Refusal | None = None) -> HttpResponse:
    try:
        live = await place.exchange.read()
    except NotFound as error:
        return _went(place) if changed or refusal is not None else place.unopened(error, "Delete")
    except InformerdError as error:
        if refusal is not None and refusal.unsure:
            return place.trouble(refusal, "Delete")
        return place.unopened(error, "Delete")
    context = {"deletion": deletion_of(live, place.live.replicas), "changed": changed, "refusal": refusal}
    context["back"] = _list_before(place)
    status = 409 if changed else refusal.code if refusal is not None else 200
    return place.page("edits/delete.html", "Delete", context, status=status)


async def _deleted(place: Place) -> HttpResponse:
    """DELETE exactly what the page showed: that object in that state; anything newer is shown first."""
    post = place.request.POST
    uid, version = post.get("uid", ""), post.get("version", "")
    propagation = next((each for each in PROPAGATIONS if each == post.get("propagation")), PROPAGATIONS[0])
    if not uid or not version:
        return await _asked(place)
    try:
        left = await place.exchange.delete(uid, version, propagation)
    except Conflict:
        return await _asked(place, changed=True)
    except NotFound:
        return _went(place)
    except InformerdError as error:
        lost = is_unanswered(error)
        return await _asked(place, refusal=unanswered(error, *_NOT_KNOWN) if lost else refusal_of(error))
    return _went(place) if left is None else _going(place, left["metadata"].get("finalizers", ()))


def _list_before(place: Place) -> str:
    """The address of the list from which they came to delete; empty where they came from elsewhere."""
    request, kind = place.request, place.target.kind
    before = urlsplit(request.POST.get("back", "") if request.method == "POST" else request.headers.get("Referer", ""))
    return Query.parse(QueryDict(before.query), kind.key).href() if before.path == kind.path else ""


def _went(place: Place) -> HttpResponse:
    path = place.target.kind.path
    query = f"?{urlencode({'namespace': place.target.namespace})}" if place.target.namespace else ""
    response = HttpResponseRedirect(_list_before(place) or path + query)
    say(response, path, f"{place.target.words} is deleted.")
    return response


def _going(place: Place, finalizers: list[str]) -> HttpResponse:
    response = HttpResponseRedirect(place.target.href)
    waits = f"It waits for {', '.join(finalizers)}." if finalizers else "It is being shut down."
    say(response, place.target.href, f"Deletion of {place.target.words} has begun. {waits}", "warn")
    return response
