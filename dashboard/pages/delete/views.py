"""Pages of a deletion: its plan, and its progress."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.views.decorators.http import require_http_methods

from dashboard.objects.fields.field_access import Value
from dashboard.objects.problems.write_refusal import Refusal, refusal_of, unanswered_refusal
from dashboard.objects.query.list_query import Query
from dashboard.pages.delete.kubectl import delete_command
from dashboard.pages.delete.options import DeleteOptions, parse_delete_options
from dashboard.pages.delete.outcome import NOT_DELETED, DeletionOutcome, check_outcome, gone_outcome
from dashboard.pages.delete.plan import plan_deletion
from dashboard.pages.edit.form_data import read_submission
from dashboard.pages.edit.recreate import recreate
from dashboard.pages.edit.responses import outcome_response
from dashboard.pages.layout.flash import clear_flash, flash
from dashboard.pages.layout.htmx import htmx_of, vary_on_htmx, wants_fragment
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo
from dashboard.pages.writes.outcomes import Saved
from dashboard.pages.writes.request_context import EditRequest, open_edit_request
from dashboard.pages.writes.retry_page import DELETE, retry_page
from dashboard.pages.writes.typed_name import is_missing
from dashboard.pages.writes.write_unavailable import WriteUnavailable, unavailable_as_page
from dashboard.runtime.request_retry import LOST_INPUT, STORED_AFTER_ALL, is_unanswered
from informerd.errors import Conflict, InformerdError, NotFound

_NOT_KNOWN = (
    "It may or may not be deleted",
    "It is not known yet whether the deletion was accepted: the object cannot be read at the moment.",
)
_NOT_DONE = ("It was not deleted", "The object was read again: it exists, and is not being deleted.")
RECREATE_INPUT, CHECK_INPUT = "again", "check"


@require_http_methods(["GET", "HEAD", "POST"])
@unavailable_as_page
async def delete(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The plan before a deletion; with ``?uid=`` the progress of that object's deletion."""
    edit_request = await open_edit_request(request, resource, namespace, name, "delete", any_kind=True)
    if not edit_request.target.kind.deletable:
        raise WriteUnavailable(_not_deletable(edit_request), key=edit_request.target.kind.key)
    try:
        if request.method == "POST":
            return await (_recreate if RECREATE_INPUT in request.POST else _delete)(edit_request)
        if request.GET.get("uid"):
            return await follow_deletion(edit_request, request.GET["uid"])
        return await _confirmation_page(edit_request)
    except _PageReached as end:
        return end.page


class _PageReached(Exception):
    """Ends the steps of a deletion with a page that needs no further step."""

    def __init__(self, page: HttpResponse) -> None:
        super().__init__(f"status {page.status_code}")
        self.page = page


def _not_deletable(edit_request: EditRequest) -> NotFoundInfo:
    kind = edit_request.target.kind
    why = f"The API server has only {', '.join(sorted(kind.resource.verbs))} for them."
    return NotFoundInfo(f"{kind.title} cannot be deleted", why, (ChoiceLink(kind.title, kind.path),))


# --- the confirmation ---


async def _confirmation_page(
    edit_request: EditRequest,
    options: DeleteOptions | None = None,
    *,
    changed: bool = False,
    refusal: Refusal | None = None,
    is_name_refused: bool = False,
) -> HttpResponse:
    """The page with the plan, including a dry run of the API server.

    Raises WriteUnavailable where the object cannot be read; after a POST also _PageReached, with what is known.
    """
    options = options or DeleteOptions()
    try:
        live = await edit_request.object_client.read()
    except NotFound as error:
        if not changed and refusal is None:
            raise edit_request.read_failure(error, "Delete") from error
        outcome = await gone_outcome(edit_request, edit_request.request.POST.get("uid", ""))
        raise _PageReached(progress_page(edit_request, outcome)) from error
    except InformerdError as error:
        if refusal is not None and refusal.unsure:
            raise _PageReached(edit_request.refusal_page(refusal, "Delete")) from error
        raise edit_request.read_failure(error, "Delete") from error
    typed_name = edit_request.name_to_type
    context: dict[str, object] = {
        "typed_name": typed_name.refused if typed_name is not None and is_name_refused else typed_name,
        "deletion": await plan_deletion(edit_request, live),
        "options": options,
        "command": delete_command(edit_request.target, options),
        "back_href": _referring_list(edit_request),
        "changed": changed,
        "refusal": refusal,
        "dry_run_refusal": None if refusal is not None else await _dry_run_refusal(edit_request, live, options),
    }
    status = 409 if changed else refusal.code if refusal is not None else 422 if is_name_refused else 200
    return edit_request.page("delete/confirm.html", "Delete", context, status=status)


async def _dry_run_fragment(edit_request: EditRequest, options: DeleteOptions, invalid: Refusal | None) -> HttpResponse:
    """The dry run for other options: only that part of the page, since the rest stays the same."""
    command = delete_command(edit_request.target, options)
    context: dict[str, object] = {"command": command, "refusal": invalid}
    if invalid is None:
        try:
            live = await edit_request.object_client.read()
            context["dry_run_refusal"] = await _dry_run_refusal(edit_request, live, options)
        except InformerdError as error:
            context["dry_run_refusal"] = refusal_of(error)
    status = invalid.code if invalid is not None else 200
    return edit_request.page("delete/_dry_run.html", "Delete", context, status=status)


async def _dry_run_refusal(edit_request: EditRequest, live: dict[str, Value], options: DeleteOptions) -> Refusal | None:
    """Why the API server would refuse it; None where it would accept."""
    uid, version = live["metadata"]["uid"], live["metadata"]["resourceVersion"]
    try:
        await edit_request.object_client.delete(uid, version, options.propagation, grace=options.grace, dry_run=True)
    except (Conflict, NotFound):
        return None  # it changed in this moment: pressing the button will say so
    except InformerdError as error:
        return refusal_of(error)
    return None


# --- the deletion ---


async def _delete(edit_request: EditRequest) -> HttpResponse:
    """DELETE exactly the shown object in the shown state; later changes are shown first."""
    post, client = edit_request.request.POST, edit_request.object_client
    uid, version = post.get("uid", ""), post.get("version", "")
    options, invalid = parse_delete_options(post)
    if CHECK_INPUT in post and htmx_of(edit_request.request):
        return await _dry_run_fragment(edit_request, options, invalid)
    if invalid is not None or CHECK_INPUT in post or not uid or not version:
        return await _confirmation_page(edit_request, options, refusal=invalid)
    if is_missing(edit_request.name_to_type):
        return await _confirmation_page(edit_request, options, is_name_refused=True)
    try:
        live = await client.read()
    except InformerdError as error:
        is_unverified = LOST_INPUT in post
        refusal = unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True) if is_unverified else refusal_of(error)
        raise await _not_deleted(edit_request, options, error, refusal) from error
    if LOST_INPUT in post and (live["metadata"]["uid"] != uid or live["metadata"].get("deletionTimestamp")):
        return await follow_deletion(edit_request, uid, live, was_unanswered=True)
    try:
        await client.delete(uid, version, options.propagation, grace=options.grace, dry_run=True)
    except InformerdError as error:
        raise await _not_deleted(edit_request, options, error, refusal_of(error)) from error
    try:
        warnings = await client.delete(uid, version, options.propagation, grace=options.grace)
    except InformerdError as error:
        refusal = await _verified_refusal(edit_request, error, live)
        raise await _not_deleted(edit_request, options, error, refusal) from error
    return await follow_deletion(edit_request, uid, live, warnings)


async def _not_deleted(
    edit_request: EditRequest, options: DeleteOptions, error: InformerdError, refusal: Refusal
) -> _PageReached:
    """The end of a deletion with that error: what changed, that it is gone, a retry, or the question again."""
    if isinstance(error, Conflict):
        return _PageReached(await _confirmation_page(edit_request, options, changed=True))
    if isinstance(error, NotFound):
        post = edit_request.request.POST
        outcome = await gone_outcome(edit_request, post["uid"])
        return _PageReached(progress_page(edit_request, outcome, was_unanswered=LOST_INPUT in post))
    page = retry_page(edit_request, DELETE, refusal)
    return _PageReached(page or await _confirmation_page(edit_request, options, refusal=refusal))


async def _verified_refusal(edit_request: EditRequest, error: InformerdError, before: dict[str, Value]) -> Refusal:
    """The refusal for the error of a DELETE, verified by reading the object where no clear answer came.

    Raises _PageReached with the progress where the API server turns out to have accepted it.
    """
    if not is_unanswered(error):
        return refusal_of(error)
    try:
        outcome = await check_outcome(edit_request, edit_request.request.POST["uid"], before)
    except InformerdError:
        return unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True)
    if outcome.state != NOT_DELETED:
        raise _PageReached(progress_page(edit_request, outcome, was_unanswered=True)) from error
    return unanswered_refusal(error, *_NOT_DONE)


async def follow_deletion(
    edit_request: EditRequest,
    uid: str,
    before: dict[str, Value] | None = None,
    warnings: tuple[str, ...] = (),
    *,
    was_unanswered: bool = False,
) -> HttpResponse:
    """The progress page; `before` is the last state, where that was just read.

    `was_unanswered`: no clear answer came to the deletion, and reading the object proved it.
    """
    try:
        outcome = await check_outcome(
            edit_request, uid, before, with_used_by=not wants_fragment(edit_request.request, "#progress")
        )
    except InformerdError as error:
        outcome = DeletionOutcome(uid, "unknown", problem=refusal_of(error))
    if outcome.state == NOT_DELETED:  # nobody has deleted it
        return await _confirmation_page(edit_request)
    return progress_page(edit_request, outcome, warnings, was_unanswered=was_unanswered)


def progress_page(
    edit_request: EditRequest, outcome: DeletionOutcome, warnings: tuple[str, ...] = (), *, was_unanswered: bool = False
) -> HttpResponse:
    """`was_unanswered`: no clear answer came to the deletion, and reading the object proved it."""
    context: dict[str, object] = {
        "outcome": outcome,
        "warnings": warnings,
        "back_href": _list_href(edit_request),
        "was_unanswered": was_unanswered,
    }
    response = edit_request.page("delete/progress.html", "Delete", context)
    vary_on_htmx(response)
    clear_flash(edit_request.request, response)
    return response


async def _recreate(edit_request: EditRequest) -> HttpResponse:
    """Re-create the object from its last state, which the page showed; never on top of another object of the name."""
    draft = await read_submission(edit_request.request.POST)
    if draft is None:
        return await follow_deletion(edit_request, edit_request.request.GET.get("uid", ""))
    outcome = await recreate(
        edit_request.object_client, draft, lost_answer=edit_request.request.POST.get(LOST_INPUT, "")
    )
    if not isinstance(outcome, Saved):
        return await outcome_response(edit_request, outcome)
    response = HttpResponseRedirect(edit_request.target.href)
    read = f": {STORED_AFTER_ALL}" if outcome.confirmed_by_read else ""
    flash(
        response,
        edit_request.target.href,
        f"{edit_request.target.words} is created again from its last state, with a new uid{read}.",
    )
    return response


# --- the list to return to ---


def _referring_list(edit_request: EditRequest) -> str:
    """The address of the list that the user came from; empty where they came from elsewhere."""
    request, kind = edit_request.request, edit_request.target.kind
    before = urlsplit(request.POST.get("back", "") if request.method == "POST" else request.headers.get("Referer", ""))
    return Query.parse(QueryDict(before.query), kind.key).href() if before.path == kind.path else ""


def _list_href(edit_request: EditRequest) -> str:
    """The list to return to."""
    query = f"?{urlencode({'namespace': edit_request.target.namespace})}" if edit_request.target.namespace else ""
    return _referring_list(edit_request) or edit_request.target.kind.path + query
