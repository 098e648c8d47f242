"""Page that creates one object: from an example, another object, or a draft; reviewed before it is created."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.access.quota_owner import quota_owners
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.problems.write_refusal import Problem, Refusal, refusal_of, unreadable_refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.check_while_typing import check_result
from dashboard.pages.create.clone import clone_for_recreation, clone_of
from dashboard.pages.create.many.manifests import split_text
from dashboard.pages.create.many.review_notes import notes
from dashboard.pages.create.namespace_choice import LISTED_NAMESPACES, NamespaceChoice
from dashboard.pages.create.object_creator import EMPTY_BASE, Exists, NewObjectRules
from dashboard.pages.create.request_context import CreateRequest, check_permission, open_create_request
from dashboard.pages.create.schema_form import FormInput, NewForm, fill_document, form_html_of, new_form
from dashboard.pages.create.start_text import StartText, start_text
from dashboard.pages.drafts.draft import Content
from dashboard.pages.drafts.draft import Draft as Kept
from dashboard.pages.drafts.request_draft import DISCARD
from dashboard.pages.edit.form_data import submitted_text
from dashboard.pages.edit.responses import submission_context
from dashboard.pages.edit.signed_review import sign_review, unsign_review
from dashboard.pages.forms import ButtonResult, press
from dashboard.pages.forms.expanded_paths import ExpandedPaths
from dashboard.pages.forms.input_names import CHANGE
from dashboard.pages.layout.flash import flash
from dashboard.pages.layout.shown_moment import VERSION
from dashboard.pages.writes.create_object import Created
from dashboard.pages.writes.editable_part import editable_part
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.outcomes import Outcome, Refused, Review, Submission
from dashboard.pages.writes.past_version import read_past_version
from dashboard.pages.writes.retry_page import retry_action_of, retry_page
from dashboard.pages.writes.target import Target
from dashboard.pages.writes.write_unavailable import unavailable_as_json, unavailable_as_page
from dashboard.runtime.app_state import scope_of
from dashboard.runtime.compute_process_pool import WORK_PROCESSES
from dashboard.runtime.request_retry import LOST_INPUT, STORED_AFTER_ALL
from dashboard.runtime.thread_pools import run_in_thread, run_in_thread_if_large
from informerd.errors import InformerdError

CREATE, REVIEW, EDIT = "create", "review", "edit"
EXAMPLE = "example"
"""Address parameter: the sample to start with."""
_PURPOSE = "new"


@dataclass(frozen=True, slots=True)
class ExampleLink:
    """An example that the page offers to start from."""

    label: str
    href: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class NewEditor:
    """Context of the create editor beside its text."""

    draft: Submission
    refusal: Refusal | None = None
    exists: Target | None = None
    """The existing object with the same name."""
    is_being_deleted: bool = False
    """Whether that object is being deleted."""
    source: Target | None = None
    """Source of the copy."""
    restored_at: str = ""
    """RFC 3339 of the moment whose version of the source it is; empty where it is a copy of the present one."""
    omitted_fields: tuple[str, ...] = ()
    """Fields of the source that are not in the copy."""
    hints: tuple[str, ...] = ()
    """Possibly unwanted things that the copy shares with the source."""
    form_data: Mapping[str, str] = field(default_factory=dict)
    """Form input that is not in the text yet."""
    expanded: ExpandedPaths | None = None
    """Open fields of the form, where a form button changed them."""
    focus: str = ""
    namespace_choice: NamespaceChoice | None = None
    """Start namespace, while none is chosen."""
    start: StartText | None = None
    """The example with which the editor starts."""
    offers: tuple[Kept, ...] = ()
    resumed: Kept | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@unavailable_as_page
async def new(request: HttpRequest, resource: str) -> HttpResponse:
    """The editor of a new object: ``?from=<namespace>/<name>`` copies one, with ``&version=`` it brings back one that
    history has, ``?namespace=`` sets its namespace, ``?example=`` names a sample of DELTABOARD_SAMPLES.

    A POST takes the same steps as in dashboard.pages.edit.views; there is nothing to merge with.
    """
    create_request = await open_create_request(request, resource)
    session = create_request.draft_session
    if DISCARD in request.POST:
        return await session.discard(create_request.kind.path)
    if request.method == "POST":
        await session.keep(Content.of(request.POST.dict()))
        outcome = await _press(create_request)
    else:
        outcome = await _open(create_request)
    if isinstance(outcome, Created):
        await session.end()
    return session.set_cookies(await _response(create_request, outcome))


@require_POST
@unavailable_as_json
async def check_new(request: HttpRequest, resource: str) -> HttpResponse:
    """The editor script's check while the user types; same answer as dashboard.pages.edit.check_while_typing. JSON."""
    create_request = await open_create_request(request, resource)
    text, post = submitted_text(request.POST), request.POST.dict()
    processes, owners = create_request.state[WORK_PROCESSES], quota_owners(scope_of(request))
    schema = await create_request.schema()
    return JsonResponse(await check_result(processes, owners, create_request.creator.rules, schema, text, post))


# --- GET ---


async def _open(create_request: CreateRequest) -> NewEditor:
    """The editor with a draft, a copy of another object, or an example. Raises WriteUnavailable where it is denied."""
    params = create_request.request.GET
    if key := params.get("draft", ""):
        return await _draft_editor(create_request, key)
    await check_permission(create_request)
    if (source := params.get("from", "")) and (version := params.get(VERSION, "")):
        return await _recreation_editor(create_request, source, version)
    if source:
        return await _copy_editor(create_request, source)
    return await _start_editor(create_request)


async def _start_editor(create_request: CreateRequest, refusal: Refusal | None = None) -> NewEditor:
    schema = await create_request.schema()
    namespace_choice = await create_request.namespace_choice()
    wanted = create_request.request.GET.get(EXAMPLE, "")
    start = await start_text(create_request.client, create_request.kind, schema, namespace_choice, wanted)
    offers = await create_request.draft_session.offers()
    return NewEditor(
        Submission(start.text, EMPTY_BASE),
        refusal or start.refusal,
        start=start,
        offers=offers,
        namespace_choice=namespace_choice,
    )


async def _copy_editor(create_request: CreateRequest, source: str) -> NewEditor:
    kind, target = create_request.kind, _target_of(create_request.kind, source)
    try:
        live = await ObjectClient(create_request.client, target).read()
    except InformerdError as error:
        failure = refusal_of(error)
        words = Problem(f"{target.words} cannot be copied, so the editor starts with an example.")
        refusal = Refusal((words, *failure.problems), failure.code, failure.title, failure.retry_after)
        return await _start_editor(create_request, refusal)
    copy = clone_of(kind.key, live)
    text = to_yaml(copy.value)
    return NewEditor(Submission(text, EMPTY_BASE), source=target, omitted_fields=copy.omitted_fields, hints=copy.hints)


async def _recreation_editor(create_request: CreateRequest, source: str, version: str) -> NewEditor:
    """The editor with an object of the past, to be created again under its name."""
    target = _target_of(create_request.kind, source)
    found = await read_past_version(create_request.state, target, version)
    if isinstance(found, Refusal):
        return await _start_editor(create_request, found)
    last = clone_for_recreation(target.kind.key, editable_part(found.value))
    return NewEditor(
        Submission(to_yaml(last.value), EMPTY_BASE),
        source=target,
        restored_at=found.at,
        omitted_fields=last.omitted_fields,
        hints=last.hints,
    )


def _target_of(kind: KindInfo, source: str) -> Target:
    namespace, _, name = source.rpartition("/")
    return Target(kind, namespace if kind.namespaced and namespace != "-" else "", name)


async def _draft_editor(create_request: CreateRequest, key: str) -> NewEditor:
    stored_draft = await create_request.draft_session.resume(key)
    if stored_draft is None:
        words = "It was saved or thrown away, or belongs to another browser. The editor starts with an example."
        return await _start_editor(
            create_request, Refusal((Problem(words),), 404, "This draft does not exist any more")
        )
    text, form_data = stored_draft.content.text, dict(stored_draft.content.fields)
    return NewEditor(Submission(text, EMPTY_BASE), form_data=form_data, resumed=stored_draft)


# --- POST ---


async def _press(create_request: CreateRequest) -> NewEditor | Exists | Created | Outcome:
    """The outcome of the pressed button."""
    post = create_request.request.POST.dict()
    submitted, schema = Submission(submitted_text(post), EMPTY_BASE), await create_request.schema()
    draft = await _fill_text(submitted, schema, post)
    if isinstance(draft, Refused):
        return NewEditor(submitted, None if EDIT in post else draft.refusal, form_data=post)
    if CHANGE in post:
        pressed = await run_in_thread_if_large(_changed, schema, draft.text, post, size=len(draft.text))
        after = Submission(pressed.document.text, EMPTY_BASE)
        return NewEditor(after, expanded=pressed.expanded, focus=pressed.focus)
    if EDIT in post:
        return NewEditor(draft)
    creator, mark, reader = create_request.creator, post.get("reviewed", ""), create_request.draft_session.identity
    target = _review_target(create_request)
    reviewed = unsign_review(reader, target, draft, _PURPOSE, mark) if CREATE in post else None
    if reviewed is None:
        return await creator.review(draft)
    return await creator.create(draft, lost_answer=post.get(LOST_INPUT, ""), reviewed_changes=reviewed)


def _changed(schema: Schema, text: str, post: dict[str, str]) -> ButtonResult:
    return press(schema, parse(text), post)


# --- responses ---


async def _response(create_request: CreateRequest, outcome: NewEditor | Exists | Created | Outcome) -> HttpResponse:
    """The response to an outcome: a page, or a redirect to the details of the new object."""
    match outcome:
        case Review():
            return await _review_page(create_request, outcome)
        case Created():
            return _created_response(outcome)
        case Exists():
            return await _page(
                create_request,
                NewEditor(outcome.draft, exists=outcome.target, is_being_deleted=outcome.is_being_deleted),
            )
        case Refused():  # retried automatically where a retry cannot create two; else the user decides
            waiting = retry_page(create_request, retry_action_of(create_request.request.POST), outcome.refusal)
            return waiting or await _page(create_request, NewEditor(outcome.draft, outcome.refusal))
        case NewEditor():
            return await _page(create_request, outcome)
    raise TypeError(outcome)


async def _page(create_request: CreateRequest, blank: NewEditor) -> HttpResponse:
    draft, post = blank.draft, create_request.request.POST.dict()
    schema, version_warnings = await asyncio.gather(create_request.schema(), create_request.version_warnings())
    entry = FormInput(draft.text, blank.refusal, blank.form_data, blank.expanded, blank.focus)
    form, form_html = await run_in_thread(_rendered_form, create_request.creator.rules, schema, entry, post)
    context: dict[str, object] = {
        **submission_context(draft),
        "form_html": form_html,
        "target": _review_target(create_request),
        "version_warnings": version_warnings,
        "refusal": form.refusal,
        "schema_refusal": form.schema_refusal,
        "is_several": blank.refusal is not None and _has_several_documents(draft.text),
        "exists": blank.exists,
        "is_being_deleted": blank.is_being_deleted,
        "source": blank.source,
        "restored_at": blank.restored_at,
        "omitted_fields": blank.omitted_fields,
        "hints": blank.hints,
        "namespace_choice": blank.namespace_choice,
        "choices": blank.namespace_choice.choices if blank.namespace_choice is not None else create_request.choices,
        "trial": blank.start.trial if blank.start is not None else None,
        "examples": _example_links(create_request, blank.start) if blank.start is not None else (),
        "offers": blank.offers,
        "resumed": blank.resumed,
    }
    code = 409 if blank.exists is not None else blank.refusal.code if blank.refusal is not None else 200
    return create_request.page("create/new.html", "New", context, status=code)


def _has_several_documents(text: str) -> bool:
    """Whether the text holds more than one document; a line ``---`` around a single one makes it no more."""
    try:
        return sum(1 for _ in islice(split_text(text), 2)) > 1
    except DocumentError:  # too long
        return False


def _example_links(create_request: CreateRequest, start: StartText) -> tuple[ExampleLink, ...]:
    """The examples to start from, where the kind has samples."""
    params = create_request.request.GET
    kept = {name: params[name] for name in ("namespace", LISTED_NAMESPACES) if name in params}
    names = ("", *start.sample_names) if start.sample_names else ()
    return tuple(
        ExampleLink(
            f"from {name}" if name else "minimal",
            f"{create_request.kind.new_path}?{urlencode({**kept, **({EXAMPLE: name} if name else {})})}",
            name == start.chosen,
        )
        for name in names
    )


def _rendered_form(
    rules: NewObjectRules, schema: Schema, form_input: FormInput, post: dict[str, str]
) -> tuple[NewForm, SafeString]:
    form = new_form(rules, schema, form_input, post)
    return form, form_html_of(form)


async def _review_page(create_request: CreateRequest, review: Review) -> HttpResponse:
    document = await run_in_thread_if_large(parse, review.draft.text, size=len(review.draft.text))
    target = create_request.creator.target_of(document.value)
    reader, reviewed_target = create_request.draft_session.identity, _review_target(create_request)
    context: dict[str, object] = {
        **submission_context(review.draft),
        "review": review,
        "target": target,
        "notes": notes(document.value, target),
        "reviewed": sign_review(reader, reviewed_target, review.draft, _PURPOSE, review.admission_changes),
        "by_server": tuple(change for change in review.changes if change.by_server),
    }
    return create_request.page("create/review.html", "Review new", context)


def _created_response(created: Created) -> HttpResponse:
    href = created.target.href
    response = HttpResponseRedirect(href)
    warnings = " ".join(f"The API server warns: {warning}." for warning in created.warnings)
    words = f"is created: {STORED_AFTER_ALL}." if created.confirmed_by_read else "is created."
    message = " ".join(each for each in (created.target.words, words, created.drift.words, warnings) if each)
    flash(response, href, message, "warn" if warnings or created.drift.unreviewed_fields else "ok")
    return response


def _review_target(create_request: CreateRequest) -> Target:
    """Context of a review's mark: this page, since an object with a generated name has none yet."""
    return Target(create_request.kind, create_request.namespace, "")


async def _fill_text(draft: Submission, schema: Schema, post: dict[str, str]) -> Submission | Refused:
    """The draft with the form input written into its text."""
    try:
        document: Document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
        whole, problems = await run_in_thread_if_large(fill_document, schema, document, post, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable_refusal(error))
    if problems:
        return Refused(draft, Refusal(problems, 422, "The form has errors"))
    return draft if whole.text == draft.text else Submission(whole.text, EMPTY_BASE)
