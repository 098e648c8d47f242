"""Page that creates one object: from an example, another object, or a draft; reviewed before it is created."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.manifests.writer import to_yaml
from dashboard.objects.problems.problem import Problem, Refusal, refusal_of, unreadable_refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.clone import clone_of
from dashboard.pages.create.create import EMPTY_BASE, Exists
from dashboard.pages.create.form import FormInput, check_result, fill_document, new_form
from dashboard.pages.create.many.checks import notes
from dashboard.pages.create.request import CreateRequest, NamespaceChoice, denied_page, find_create_request
from dashboard.pages.create.send import Created
from dashboard.pages.create.start_text import example_text
from dashboard.pages.drafts.draft import Content
from dashboard.pages.drafts.draft import Draft as Kept
from dashboard.pages.drafts.session import DISCARD
from dashboard.pages.edit.form_data import sign_review, submitted_text, unsign_review
from dashboard.pages.edit.responses import submission_context
from dashboard.pages.forms import ButtonResult, press
from dashboard.pages.forms.expanded import ExpandedPaths
from dashboard.pages.forms.input_names import CHANGE
from dashboard.pages.layout.flash import flash
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.outcomes import Refused, Review, Submission
from dashboard.pages.writes.retry_page import retry_action_of, retry_page
from dashboard.pages.writes.target import Target
from dashboard.runtime.background import run_in_thread_if_large
from dashboard.runtime.retry import LOST_INPUT, STORED_AFTER_ALL
from informerd.errors import InformerdError

CREATE, REVIEW, EDIT = "create", "review", "edit"
_PURPOSE = "new"
_SEPARATOR = re.compile(r"\S\s*\n---(?=\s)")


@dataclass(frozen=True, slots=True)
class NewEditor:
    """Context of the create editor beside its text."""

    draft: Submission
    refusal: Refusal | None = None
    exists: Target | None = None
    """The existing object with the same name."""
    is_going: bool = False
    """Whether that object is being deleted."""
    source: Target | None = None
    """Source of the copy."""
    left_out: tuple[str, ...] = ()
    """Fields of the source that are not in the copy."""
    hints: tuple[str, ...] = ()
    """Possibly unwanted things that the copy shares with the source."""
    form_data: Mapping[str, str] = field(default_factory=dict)
    """Form input that is not in the text yet."""
    expanded: ExpandedPaths | None = None
    """Open fields of the form, where a form button changed them."""
    focus: str = ""
    where: NamespaceChoice | None = None
    """Start namespace, while none is chosen."""
    offers: tuple[Kept, ...] = ()
    resumed: Kept | None = None


@require_http_methods(["GET", "HEAD", "POST"])
async def new(request: HttpRequest, resource: str) -> HttpResponse:
    """The editor of a new object: ``?from=<namespace>/<name>`` copies one, ``?namespace=`` sets its namespace."""
    place = await find_create_request(request, resource)
    if isinstance(place, HttpResponse):
        return place
    if request.method == "POST":
        if DISCARD in request.POST:
            return await place.draft_session.discard(place.kind.path)
        await place.draft_session.keep(Content.of(request.POST.dict()))
        return place.draft_session.set_cookies(await _pressed(place))
    if key := request.GET.get("draft", ""):
        return place.draft_session.set_cookies(await _resumed(place, key))
    if not_allowed := await denied_page(place):
        return not_allowed
    if source := request.GET.get("from", ""):
        return place.draft_session.set_cookies(await _copied(place, source))
    return place.draft_session.set_cookies(await _begun(place))


@require_POST
async def check_new(request: HttpRequest, resource: str) -> HttpResponse:
    """The editor script's check while the user types; same answer as dashboard.pages.edit.live_check. JSON."""
    place = await find_create_request(request, resource)
    if isinstance(place, HttpResponse):
        return JsonResponse({}, status=place.status_code)
    text, post = submitted_text(request.POST), request.POST.dict()
    schema = await place.schema()
    return JsonResponse(await run_in_thread_if_large(check_result, place.creator, schema, text, post, size=len(text)))


async def _begun(place: CreateRequest, refusal: Refusal | None = None) -> HttpResponse:
    schema = await place.schema()
    where = await place.namespace_choice()
    text = await run_in_thread_if_large(example_text, place.kind, schema, where.namespace, size=0)
    blank = NewEditor(Submission(text, EMPTY_BASE), refusal, offers=await place.draft_session.offers(), where=where)
    return await _page(place, blank)


async def _copied(place: CreateRequest, source: str) -> HttpResponse:
    namespace, _, name = source.rpartition("/")
    target = Target(place.kind, namespace if place.kind.namespaced and namespace != "-" else "", name)
    try:
        live = await ObjectClient(place.client, target).read()
    except InformerdError as error:
        found = refusal_of(error)
        words = Problem(f"{target.words} cannot be copied, so the editor starts with an example.")
        return await _begun(place, Refusal((words, *found.problems), found.code, found.title, found.retry_after))
    copy = clone_of(place.kind.key, live)
    blank = NewEditor(
        Submission(to_yaml(copy.value), EMPTY_BASE), source=target, left_out=copy.left_out, hints=copy.hints
    )
    return await _page(place, blank)


async def _resumed(place: CreateRequest, key: str) -> HttpResponse:
    kept = await place.draft_session.resume(key)
    if kept is None:
        words = "It was saved or thrown away, or belongs to another browser. The editor starts with an example."
        return await _begun(place, Refusal((Problem(words),), 404, "This draft does not exist any more"))
    blank = NewEditor(Submission(kept.content.text, EMPTY_BASE), form_data=dict(kept.content.fields), resumed=kept)
    return await _page(place, blank)


async def _pressed(place: CreateRequest) -> HttpResponse:
    post = place.request.POST
    draft, schema = _draft(place), await place.schema()
    whole = await _with_form(draft, schema, post.dict())
    if isinstance(whole, Refused):
        refusal = None if EDIT in post else whole.refusal
        return await _page(place, NewEditor(draft, refusal, form_data=post.dict()))
    if CHANGE in post:
        pressed = await run_in_thread_if_large(_changed, schema, whole.text, post.dict(), size=len(whole.text))
        after = Submission(pressed.document.text, EMPTY_BASE)
        return await _page(place, NewEditor(after, expanded=pressed.expanded, focus=pressed.focus))
    if EDIT in post:
        return await _page(place, NewEditor(whole))
    seen = unsign_review(_review_target(place), whole, _PURPOSE, post.get("reviewed", "")) if CREATE in post else None
    if seen is None:
        return await _answer(place, await place.creator.review(whole))
    return await _answer(
        place, await place.creator.create(whole, lost_answer=post.get(LOST_INPUT, ""), reviewed_changes=seen)
    )


def _changed(schema: Schema, text: str, post: dict[str, str]) -> ButtonResult:
    return press(schema, parse(text), post)


async def _answer(place: CreateRequest, outcome: Review | Created | Exists | Refused) -> HttpResponse:
    match outcome:
        case Review():
            return await _review_page(place, outcome)
        case Created():
            await place.draft_session.end()
            return _made(outcome)
        case Exists():
            return await _page(place, NewEditor(outcome.draft, exists=outcome.target, is_going=outcome.is_going))
        case Refused():
            return await _refused(place, outcome.draft, outcome.refusal)


async def _refused(place: CreateRequest, draft: Submission, refusal: Refusal) -> HttpResponse:
    """Retried automatically where a retry cannot create two; else the text, for the user to decide."""
    waiting = retry_page(place, retry_action_of(place.request.POST), refusal)
    return waiting or await _page(place, NewEditor(draft, refusal))


async def _page(place: CreateRequest, blank: NewEditor) -> HttpResponse:
    draft, post, schema = blank.draft, place.request.POST.dict(), await place.schema()
    entry = FormInput(draft.text, blank.refusal, blank.form_data, blank.expanded, blank.focus)
    made = await run_in_thread_if_large(new_form, place.creator, schema, entry, post, size=len(draft.text))
    context: dict[str, object] = {
        **submission_context(draft),
        "names": made.names,
        "form": made.form,
        "target": _review_target(place),
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


async def _review_page(place: CreateRequest, review: Review) -> HttpResponse:
    document = await run_in_thread_if_large(parse, review.draft.text, size=len(review.draft.text))
    target = place.creator.target_of(document.value)
    context: dict[str, object] = {
        **submission_context(review.draft),
        "review": review,
        "target": target,
        "notes": notes(document.value, target),
        "reviewed": sign_review(_review_target(place), review.draft, _PURPOSE, review.admission_changes),
        "by_server": tuple(change for change in review.changes if change.by_server),
    }
    return place.page("create/review.html", "Review new", context)


def _made(made: Created) -> HttpResponse:
    href = made.target.href
    response = HttpResponseRedirect(href)
    warnings = " ".join(f"The API server warns: {warning}." for warning in made.warnings)
    words = f"is created: {STORED_AFTER_ALL}." if made.confirmed_by_read else "is created."
    told = " ".join(each for each in (made.target.words, words, made.otherwise.words, warnings) if each)
    flash(response, href, told, "warn" if warnings or made.otherwise.unseen else "ok")
    return response


def _draft(place: CreateRequest) -> Submission:
    return Submission(submitted_text(place.request.POST), EMPTY_BASE)


def _review_target(place: CreateRequest) -> Target:
    """Context of a review's mark: this page, since an object with a generated name has none yet."""
    return Target(place.kind, place.namespace, "")


async def _with_form(draft: Submission, schema: Schema, post: dict[str, str]) -> Submission | Refused:
    """The draft with the form input written into its text."""
    try:
        document: Document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
        whole, problems = await run_in_thread_if_large(fill_document, schema, document, post, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable_refusal(error))
    if problems:
        return Refused(draft, Refusal(problems, 422, "The form has errors"))
    return draft if whole.text == draft.text else Submission(whole.text, EMPTY_BASE)
