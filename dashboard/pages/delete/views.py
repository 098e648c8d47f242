"""Pages of a deletion: its plan, and its progress."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.views.decorators.http import require_http_methods

from dashboard.objects.fields.fields import Value
from dashboard.objects.problems.problem import Refusal, refusal_of, unanswered_refusal
from dashboard.objects.query.query import Query
from dashboard.pages.delete.kubectl import delete_command
from dashboard.pages.delete.options import GRACE_MODES, DeleteOptions, parse_delete_options
from dashboard.pages.delete.outcome import NOT_DELETED, DeletionOutcome, check_outcome, gone_outcome
from dashboard.pages.delete.plan import DeletionPlan, plan_deletion
from dashboard.pages.edit.form_data import read_submission
from dashboard.pages.edit.recreate import recreate
from dashboard.pages.edit.responses import outcome_response
from dashboard.pages.layout.flash import clear_flash, flash
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo
from dashboard.pages.layout.page import htmx_of, vary_on_htmx, wants_fragment
from dashboard.pages.writes.outcomes import Saved
from dashboard.pages.writes.request import EditRequest, open_edit_request
from dashboard.pages.writes.retry_page import DELETE, retry_page
from dashboard.pages.writes.unavailable import WriteUnavailable, unavailable_as_page
from dashboard.runtime.retry import LOST_INPUT, STORED_AFTER_ALL, is_unanswered
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
    if request.method != "POST":
        return (
            await follow_deletion(edit_request, request.GET["uid"])
            if request.GET.get("uid")
            else await _asked(edit_request)
        )
    if RECREATE_INPUT in request.POST:
        return await _made_again(edit_request)
    return await _posted(edit_request)


def _not_deletable(edit_request: EditRequest) -> NotFoundInfo:
    kind = edit_request.target.kind
    why = f"The API server has only {', '.join(sorted(kind.resource.verbs))} for them."
    return NotFoundInfo(f"{kind.title} cannot be deleted", why, (ChoiceLink(kind.title, kind.path),))


# --- asking ---


async def _asked(
    edit_request: EditRequest,
    choice: DeleteOptions | None = None,
    *,
    changed: bool = False,
    refusal: Refusal | None = None,
) -> HttpResponse:
    """The page with the plan, including a dry run of the API server."""
    choice = choice or DeleteOptions()
    try:
        live = await edit_request.object_client.read()
    except NotFound as error:
        if not changed and refusal is None:
            raise edit_request.read_failure(error, "Delete") from error
        return progress_page(edit_request, gone_outcome(edit_request, edit_request.request.POST.get("uid", "")))
    except InformerdError as error:
        if refusal is not None and refusal.unsure:
            return edit_request.refusal_page(refusal, "Delete")
        raise edit_request.read_failure(error, "Delete") from error
    meaning = await plan_deletion(edit_request, live)
    tried = None if refusal is not None else await _tried(edit_request, live, choice)
    status = 409 if changed else refusal.code if refusal is not None else 200
    return _ask_page(
        edit_request, meaning, choice, {"changed": changed, "refusal": refusal, "tried": tried}, status=status
    )


def _ask_page(
    edit_request: EditRequest,
    meaning: DeletionPlan,
    choice: DeleteOptions,
    said: dict[str, object],
    *,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, object] = {
        "deletion": meaning,
        "choice": choice,
        "graces": GRACE_MODES,
        "command": delete_command(edit_request.target, choice),
        "back": _list_before(edit_request),
        **said,
    }
    return edit_request.page("delete/confirm.html", "Delete", context, status=status)


async def _checked(edit_request: EditRequest, choice: DeleteOptions, wrong: Refusal | None) -> HttpResponse:
    """The dry run for other options: only that part of the page, since the rest stays the same."""
    context: dict[str, object] = {"command": delete_command(edit_request.target, choice), "refusal": wrong}
    if wrong is None:
        try:
            context["tried"] = await _tried(edit_request, await edit_request.object_client.read(), choice)
        except InformerdError as error:
            context["tried"] = refusal_of(error)
    return edit_request.page("delete/_plan.html", "Delete", context, status=wrong.code if wrong is not None else 200)


async def _tried(edit_request: EditRequest, live: dict[str, Value], choice: DeleteOptions) -> Refusal | None:
    """Why the API server would refuse it; None where it would accept."""
    uid, version = live["metadata"]["uid"], live["metadata"]["resourceVersion"]
    try:
        await edit_request.object_client.delete(uid, version, choice.propagation, grace=choice.grace, dry_run=True)
    except (Conflict, NotFound):
        return None  # it changed in this moment: pressing the button will say so
    except InformerdError as error:
        return refusal_of(error)
    return None


# --- deleting ---


async def _posted(edit_request: EditRequest) -> HttpResponse:
    """DELETE exactly the shown object in the shown state; later changes are shown first."""
    post = edit_request.request.POST
    uid, version = post.get("uid", ""), post.get("version", "")
    choice, wrong = parse_delete_options(post)
    if CHECK_INPUT in post and htmx_of(edit_request.request):
        return await _checked(edit_request, choice, wrong)
    if wrong is not None or CHECK_INPUT in post or not uid or not version:
        return await _asked(edit_request, choice, refusal=wrong)
    try:
        live = await edit_request.object_client.read()
    except InformerdError as error:
        unread = unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True) if LOST_INPUT in post else refusal_of(error)
        return await _not_done(edit_request, choice, error, unread)
    try:
        if LOST_INPUT in post and (live["metadata"]["uid"] != uid or live["metadata"].get("deletionTimestamp")):
            return await follow_deletion(edit_request, uid, live, was_unanswered=True)
        await edit_request.object_client.delete(uid, version, choice.propagation, grace=choice.grace, dry_run=True)
    except InformerdError as error:
        return await _not_done(edit_request, choice, error, refusal_of(error))
    try:
        warnings = await edit_request.object_client.delete(uid, version, choice.propagation, grace=choice.grace)
    except InformerdError as error:
        return await _not_done(edit_request, choice, error, await _found_out(edit_request, error, live))
    return await follow_deletion(edit_request, uid, live, warnings)


async def _not_done(
    edit_request: EditRequest, choice: DeleteOptions, error: InformerdError, outcome: Refusal | HttpResponse
) -> HttpResponse:
    if isinstance(outcome, HttpResponse):
        return outcome
    if isinstance(error, Conflict):
        return await _asked(edit_request, choice, changed=True)
    if isinstance(error, NotFound):
        post = edit_request.request.POST
        return progress_page(edit_request, gone_outcome(edit_request, post["uid"]), was_unanswered=LOST_INPUT in post)
    return retry_page(edit_request, DELETE, outcome) or await _asked(edit_request, choice, refusal=outcome)


async def _found_out(
    edit_request: EditRequest, error: InformerdError, before: dict[str, Value]
) -> Refusal | HttpResponse:
    """After a deletion without a clear answer: its progress, where the API server turns out to have accepted it."""
    if not is_unanswered(error):
        return refusal_of(error)
    try:
        going = await check_outcome(edit_request, edit_request.request.POST["uid"], before)
    except InformerdError:
        return unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True)
    return (
        unanswered_refusal(error, *_NOT_DONE)
        if going.state == NOT_DELETED
        else progress_page(edit_request, going, was_unanswered=True)
    )


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
        going = await check_outcome(
            edit_request, uid, before, with_used_by=not wants_fragment(edit_request.request, "#progress")
        )
    except InformerdError as error:
        going = DeletionOutcome(uid, "unknown", problem=refusal_of(error))
    if going.state == NOT_DELETED:  # nobody has deleted it
        return await _asked(edit_request)
    return progress_page(edit_request, going, warnings, was_unanswered=was_unanswered)


def progress_page(
    edit_request: EditRequest, outcome: DeletionOutcome, warnings: tuple[str, ...] = (), *, was_unanswered: bool = False
) -> HttpResponse:
    """`was_unanswered`: no clear answer came to the deletion, and reading the object proved it."""
    context: dict[str, object] = {
        "going": outcome,
        "warnings": warnings,
        "back": _back(edit_request),
        "found": was_unanswered,
    }
    response = edit_request.page("delete/progress.html", "Delete", context)
    vary_on_htmx(response)
    clear_flash(edit_request.request, response)
    return response


async def _made_again(edit_request: EditRequest) -> HttpResponse:
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


# --- where they came from ---


def _list_before(edit_request: EditRequest) -> str:
    """The address of the list that the user came from; empty where they came from elsewhere."""
    request, kind = edit_request.request, edit_request.target.kind
    before = urlsplit(request.POST.get("back", "") if request.method == "POST" else request.headers.get("Referer", ""))
    return Query.parse(QueryDict(before.query), kind.key).href() if before.path == kind.path else ""


def _back(edit_request: EditRequest) -> str:
    """The list to return to."""
    query = f"?{urlencode({'namespace': edit_request.target.namespace})}" if edit_request.target.namespace else ""
    return _list_before(edit_request) or edit_request.target.kind.path + query
