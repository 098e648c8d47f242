"""The page that makes one object: from an example, from another object, or from a draft; reviewed before it is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.creating.copies import copy_of
from dashboard.creating.examples import example_text
from dashboard.creating.making import NOTHING, Exists
from dashboard.creating.new_form import Entry, checked, filled, new_form
from dashboard.creating.notes import notes
from dashboard.creating.place import NewPlace, find_new_place, refused_place
from dashboard.creating.sending import Made
from dashboard.creating.whereabouts import Whereabouts
from dashboard.drafts.draft import Content
from dashboard.drafts.draft import Draft as Kept
from dashboard.drafts.writing import DISCARD
from dashboard.edits.answers import draft_context
from dashboard.edits.document import Document, DocumentError, parse
from dashboard.edits.editable import Target
from dashboard.edits.exchange import Exchange
from dashboard.edits.forms import Pressed, press
from dashboard.edits.forms.opened import Opened
from dashboard.edits.input_names import CHANGE
from dashboard.edits.loop import off_loop
from dashboard.edits.outcomes import Draft, Refused, Review
from dashboard.edits.posted import reviewed_mark, seen_beside, text_of
from dashboard.edits.problems import Problem, Refusal, refusal_of, unreadable
from dashboard.edits.said import say
from dashboard.edits.schema import Schema
from dashboard.edits.waiting import waiting_page, way_of
from dashboard.repeats import LOST, STORED
from dashboard.resources.yaml_text import to_yaml
from informerd.errors import InformerdError

CREATE, REVIEW, EDIT = "create", "review", "edit"
_PURPOSE = "new"
_SEPARATOR = re.compile(r"\S\s*\n---(?=\s)")


@dataclass(frozen=True, slots=True)
class Blank:
    """What the page of a new object shows beside its text."""

    draft: Draft
    refusal: Refusal | None = None
    exists: Target | None = None
    """The object that has the name already."""
    is_going: bool = False
    """Whether that one is being deleted."""
    source: Target | None = None
    """What it is a copy of."""
    left_out: tuple[str, ...] = ()
    """Fields of the source that are not in the copy."""
    hints: tuple[str, ...] = ()
    """What the copy has in common with it that may not be meant."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """What was typed into the form and is not in the text."""
    opened: Opened | None = None
    """What the form has open, where a button of it changed that."""
    focus: str = ""
    where: Whereabouts | None = None
    """Where it begins, while nobody has said that."""
    offers: tuple[Kept, ...] = ()
    resumed: Kept | None = None


@require_http_methods(["GET", "HEAD", "POST"])
async def new(request: HttpRequest, resource: str) -> HttpResponse:
    """The editor of a new object: ``?from=<namespace>/<name>`` copies one, ``?namespace=`` says where it goes."""
    place = await find_new_place(request, resource)
    if isinstance(place, HttpResponse):
        return place
    if request.method == "POST":
        if DISCARD in request.POST:
            return await place.writing.discarded(place.kind.path)
        await place.writing.keep(Content.of(request.POST.dict()))
        return place.writing.leave(await _pressed(place))
    if key := request.GET.get("draft", ""):
        return place.writing.leave(await _resumed(place, key))
    if not_allowed := await refused_place(place):
        return not_allowed
    if source := request.GET.get("from", ""):
        return place.writing.leave(await _copied(place, source))
    return place.writing.leave(await _begun(place))


@require_POST
async def check_new(request: HttpRequest, resource: str) -> HttpResponse:
    """What the editor's script asks while somebody types; as dashboard.edits.check answers. JSON."""
    place = await find_new_place(request, resource)
    if isinstance(place, HttpResponse):
        return JsonResponse({}, status=place.status_code)
    text, post = text_of(request.POST), request.POST.dict()
    schema = await place.schema()
    return JsonResponse(await off_loop(checked, place.maker, schema, text, post, size=len(text)))


async def _begun(place: NewPlace, refusal: Refusal | None = None) -> HttpResponse:
    schema = await place.schema()
    where = await place.begins()
    text = await off_loop(example_text, place.kind, schema, where.namespace, size=0)
    blank = Blank(Draft(text, NOTHING), refusal, offers=await place.writing.offers(), where=where)
    return await _page(place, blank)


async def _copied(place: NewPlace, source: str) -> HttpResponse:
    namespace, _, name = source.rpartition("/")
    target = Target(place.kind, namespace if place.kind.namespaced and namespace != "-" else "", name)
    try:
        live = await Exchange(place.client, target).read()
    except InformerdError as error:
        found = refusal_of(error)
        words = Problem(f"{target.words} cannot be copied, so this begins with an example.")
        return await _begun(place, Refusal((words, *found.problems), found.code, found.title, found.retry_after))
    copy = copy_of(place.kind.key, live)
    blank = Blank(Draft(to_yaml(copy.value), NOTHING), source=target, left_out=copy.left_out, hints=copy.hints)
    return await _page(place, blank)


async def _resumed(place: NewPlace, key: str) -> HttpResponse:
    kept = await place.writing.resume(key)
    if kept is None:
        words = "It was saved or thrown away, or was written in another browser. This begins with an example."
        return await _begun(place, Refusal((Problem(words),), 404, "There is no such draft any more"))
    blank = Blank(Draft(kept.content.text, NOTHING), typed=dict(kept.content.fields), resumed=kept)
    return await _page(place, blank)


async def _pressed(place: NewPlace) -> HttpResponse:
    post = place.request.POST
    draft, schema = _draft(place), await place.schema()
    whole = await _with_form(draft, schema, post.dict())
    if isinstance(whole, Refused):
        refusal = None if EDIT in post else whole.refusal
        return await _page(place, Blank(draft, refusal, typed=post.dict()))
    if CHANGE in post:
        pressed = await off_loop(_changed, schema, whole.text, post.dict(), size=len(whole.text))
        after = Draft(pressed.document.text, NOTHING)
        return await _page(place, Blank(after, opened=pressed.opened, focus=pressed.focus))
    if EDIT in post:
        return await _page(place, Blank(whole))
    seen = seen_beside(_marked(place), whole, _PURPOSE, post.get("reviewed", "")) if CREATE in post else None
    if seen is None:
        return await _answer(place, await place.maker.review(whole))
    return await _answer(place, await place.maker.create(whole, lost=post.get(LOST, ""), seen=seen))


def _changed(schema: Schema, text: str, post: dict[str, str]) -> Pressed:
    return press(schema, parse(text), post)


async def _answer(place: NewPlace, outcome: Review | Made | Exists | Refused) -> HttpResponse:
    match outcome:
        case Review():
            return await _review_page(place, outcome)
        case Made():
            await place.writing.end()
            return _made(outcome)
        case Exists():
            return await _page(place, Blank(outcome.draft, exists=outcome.target, is_going=outcome.is_going))
        case Refused():
            return await _refused(place, outcome.draft, outcome.refusal)


async def _refused(place: NewPlace, draft: Draft, refusal: Refusal) -> HttpResponse:
    """Sent again by itself where nothing can come of it twice; else with the text, for the person to decide."""
    waiting = waiting_page(place, way_of(place.request.POST), refusal)
    return waiting or await _page(place, Blank(draft, refusal))


async def _page(place: NewPlace, blank: Blank) -> HttpResponse:
    draft, post, schema = blank.draft, place.request.POST.dict(), await place.schema()
    entry = Entry(draft.text, blank.refusal, blank.typed, blank.opened, blank.focus)
    made = await off_loop(new_form, place.maker, schema, entry, post, size=len(draft.text))
    context: dict[str, object] = {
        **draft_context(draft),
        "names": made.names,
        "form": made.form,
        "target": _marked(place),
        "refusal": made.refusal,
        "objected": made.objected,
        "is_several": blank.refusal is not None and _SEPARATOR.search(draft.text) is not None,
        "exists": blank.exists,
        "is_going": blank.is_going,
        "source": blank.source,
        "left_out": blank.left_out,
        "hints": blank.hints,
        "where": blank.where,
        "choices": blank.where.choices if blank.where is not None else place.choices,
        "offers": blank.offers,
        "resumed": blank.resumed,
    }
    code = 409 if blank.exists is not None else blank.refusal.code if blank.refusal is not None else 200
    return place.page("create/new.html", "New", context, status=code)


async def _review_page(place: NewPlace, review: Review) -> HttpResponse:
    document = await off_loop(parse, review.draft.text, size=len(review.draft.text))
    target = place.maker.target_of(document.value)
    context: dict[str, object] = {
        **draft_context(review.draft),
        "review": review,
        "target": target,
        "notes": notes(document.value, target),
        "reviewed": reviewed_mark(_marked(place), review.draft, _PURPOSE, review.beside),
        "by_server": tuple(change for change in review.changes if change.by_server),
    }
    return place.page("create/review.html", "Review new", context)


def _made(made: Made) -> HttpResponse:
    href = made.target.href
    response = HttpResponseRedirect(href)
    warnings = " ".join(f"The API server warns: {warning}." for warning in made.warnings)
    words = f"is made: {STORED}." if made.read else "is made."
    told = " ".join(each for each in (made.target.words, words, made.otherwise.words, warnings) if each)
    say(response, href, told, "warn" if warnings or made.otherwise.unseen else "ok")
    return response


def _draft(place: NewPlace) -> Draft:
    return Draft(text_of(place.request.POST), NOTHING)


def _marked(place: NewPlace) -> Target:
    """What a review's mark is about: this page, since an object that is to be named by the API server has no name."""
    return Target(place.kind, place.namespace, "")


async def _with_form(draft: Draft, schema: Schema, post: dict[str, str]) -> Draft | Refused:
    """The draft with what was typed into the form written into its text."""
    try:
        document: Document = await off_loop(parse, draft.text, size=len(draft.text))
        whole, problems = await off_loop(filled, schema, document, post, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable(error))
    if problems:
        return Refused(draft, Refusal(problems, 422, "The form cannot be taken as it is"))
    return draft if whole.text == draft.text else Draft(whole.text, NOTHING)
