"""Page that evicts one pod: the consequences, and the budgets that block it."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.objects.fields.field_access import Value
from dashboard.objects.problems.write_refusal import Problem, Refusal, refusal_of, unanswered_refusal
from dashboard.pages.evictions.budgets import budgets_in
from dashboard.pages.evictions.evict import Blocked, Evicted, Failed, Gone, evict
from dashboard.pages.evictions.missing_daemon_sets import missing_daemon_sets
from dashboard.pages.evictions.plan import PodPlan, plan_pod
from dashboard.pages.quick_actions.views import action_not_found, retry_page
from dashboard.pages.writes.access_checks import denial_reason, lacks_subresource
from dashboard.pages.writes.kubectl import eviction_command
from dashboard.pages.writes.request_context import EditRequest, open_edit_request
from dashboard.pages.writes.typed_name import is_missing
from dashboard.pages.writes.write_unavailable import unavailable_as_page
from dashboard.runtime.request_retry import LOST_INPUT, is_unanswered
from informerd.errors import InformerdError, NotFound

EVICT_TITLE = "Evict"
_NOT_KNOWN = (
    "It may or may not be evicted",
    "It is not known yet whether the eviction was accepted: the pod cannot be read at the moment.",
)
_NOT_DONE = ("It was not evicted", "The pod was read again: it exists, and is not being deleted.")
_NEEDS = {
    "emptydir": "It has emptyDir volumes: their data is lost for good.",
    "unmanaged": "It has no controller, or one that does not exist any more: nothing recreates it.",
}


@require_http_methods(["GET", "HEAD", "POST"])
@unavailable_as_page
async def evict_pod(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Shows the plan, then evicts exactly that pod; where a budget blocks it, it is retried with a countdown."""
    edit_request = await open_edit_request(request, resource, namespace, name, "do/evict", any_kind=True)
    if edit_request.target.kind.key != "pods":
        return action_not_found(request, edit_request.target.kind, edit_request.target.href)
    return await _evict(edit_request) if request.method == "POST" else await _confirmation_page(edit_request)


async def _confirmation_page(
    edit_request: EditRequest,
    *,
    status: int = 200,
    problem: str = "",
    refusal: Refusal | None = None,
    is_name_refused: bool = False,
) -> HttpResponse:
    try:
        pod = await edit_request.object_client.read()
    except InformerdError as error:
        if refusal:
            return edit_request.refusal_page(refusal, EVICT_TITLE)
        raise edit_request.read_failure(error, EVICT_TITLE) from error
    plan = await _plan_of(edit_request, pod)
    denial, dry_run_text = await asyncio.gather(_denial(edit_request), _dry_run_text(edit_request, plan.uid))
    typed_name = edit_request.name_to_type
    context: dict[str, object] = {
        "typed_name": typed_name.refused if typed_name is not None and is_name_refused else typed_name,
        "plan": plan,
        "confirmations": tuple((need, _NEEDS[need]) for need in plan.confirmations),
        "form": edit_request.request.POST,
        "command": eviction_command(edit_request.target, plan.uid),
        "refused": denial,
        "dry_run_text": "" if denial else dry_run_text,
        "problem": problem,
        "refusal": refusal,
    }
    return edit_request.page("evictions/evict.html", EVICT_TITLE, context, status=status)


async def _plan_of(edit_request: EditRequest, pod: dict[str, Value]) -> PodPlan:
    budgets, missing = await asyncio.gather(
        budgets_in(edit_request.client, edit_request.target.namespace), missing_daemon_sets(edit_request.client, [pod])
    )
    return plan_pod(pod, budgets, missing, is_single_pod=True)


async def _dry_run_text(edit_request: EditRequest, uid: str) -> str:
    """The API server's answer to a dry run, as a sentence."""
    target = edit_request.target
    match await evict(edit_request.client, target.namespace, target.name, uid, dry_run=True):
        case Evicted():
            return "The API server has just accepted a dry run of this."
        case Blocked() as held:
            return f"The API server would refuse it now, as a dry run shows: {held.message}"
        case Failed(error=error):
            return f"The API server would refuse it, as a dry run shows: {error}"
        case _:
            return ""


async def _denial(edit_request: EditRequest) -> str:
    if await lacks_subresource(edit_request, "pods", "eviction"):
        return "This API server does not support evictions: delete the pod instead, which no budget blocks."
    return await denial_reason(edit_request, "create", "eviction")


async def _evict(edit_request: EditRequest) -> HttpResponse:
    post, target = edit_request.request.POST, edit_request.target
    uid = post.get("uid", "")
    if not uid:
        return await _confirmation_page(edit_request)
    try:
        plan = await _plan_of(edit_request, await edit_request.object_client.read())
    except NotFound:
        return (
            _redirect_to_progress(edit_request, uid)
            if LOST_INPUT in post
            else _gone_page(edit_request, Gone(replaced=False))
        )
    except InformerdError as unread:
        known = (
            unanswered_refusal(unread, *_NOT_KNOWN, is_unverified=True) if LOST_INPUT in post else refusal_of(unread)
        )
        return await _retry_or_ask(edit_request, known)
    if plan.uid != uid:
        return (
            _redirect_to_progress(edit_request, uid)
            if LOST_INPUT in post
            else _gone_page(edit_request, Gone(replaced=True))
        )
    unconfirmed = " ".join(_NEEDS[need] for need in plan.confirmations if need not in post)
    if unconfirmed or is_missing(edit_request.name_to_type):
        problem = f"Confirm this first: {unconfirmed}" if unconfirmed else ""
        return await _confirmation_page(edit_request, status=422, problem=problem, is_name_refused=True)
    match await evict(edit_request.client, target.namespace, target.name, uid):
        case Evicted():
            return _redirect_to_progress(edit_request, uid)
        case Gone() as gone:
            return _redirect_to_progress(edit_request, uid) if LOST_INPUT in post else _gone_page(edit_request, gone)
        case Blocked() as held:
            return await _blocked_page(edit_request, held, plan)
        case Failed(error=error):
            return await _answer_to_failure(edit_request, uid, error)


async def _answer_to_failure(edit_request: EditRequest, uid: str, error: InformerdError) -> HttpResponse:
    """The page after a lost answer: the pod's state tells; a retry is safe, since it applies to exactly that pod."""
    refusal = refusal_of(error)
    if is_unanswered(error):
        try:
            metadata = (await edit_request.object_client.read())["metadata"]
        except NotFound:
            return _redirect_to_progress(edit_request, uid)
        except InformerdError:
            refusal = unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True)
        else:
            if metadata["uid"] != uid or metadata.get("deletionTimestamp"):
                return _redirect_to_progress(edit_request, uid)
            refusal = unanswered_refusal(error, *_NOT_DONE)
    return await _retry_or_ask(edit_request, refusal)


async def _retry_or_ask(edit_request: EditRequest, refusal: Refusal) -> HttpResponse:
    """The page with a countdown to a retry, where that can succeed."""
    busy = retry_page(edit_request, EVICT_TITLE, "do/evict/", edit_request.request.POST.dict(), refusal, redirects=True)
    return busy or await _confirmation_page(edit_request, refusal=refusal, status=refusal.code)


def _redirect_to_progress(edit_request: EditRequest, uid: str) -> HttpResponse:
    """The progress page of the pod's deletion."""
    response = HttpResponseRedirect(f"{edit_request.target.href}delete/?{urlencode({'uid': uid})}")
    response.status_code = 303
    return response


async def _blocked_page(edit_request: EditRequest, blocked: Blocked, plan: PodPlan) -> HttpResponse:
    """The page with a countdown: a retry is safe, since it applies to exactly that pod."""
    title = "A PodDisruptionBudget blocks it" if blocked.is_by_budget else "The API server is busy"
    after = blocked.retry_after
    refusal = Refusal((Problem("Nothing was evicted.", blocked.message),), 429, title, after, after)
    budgets = plan.blocking_budgets if blocked.is_by_budget else ()
    busy = retry_page(
        edit_request,
        EVICT_TITLE,
        "do/evict/",
        edit_request.request.POST.dict(),
        refusal,
        budgets=budgets,
        redirects=True,
    )
    return busy or await _confirmation_page(edit_request, refusal=refusal, status=429)


def _gone_page(edit_request: EditRequest, gone: Gone) -> HttpResponse:
    context: dict[str, object] = {"title": EVICT_TITLE, "gone": {"replaced": gone.replaced, "unsure": False}}
    return edit_request.page("quick_actions/gone.html", EVICT_TITLE, context, status=409)
