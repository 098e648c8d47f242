"""Page that evicts one pod: the consequences, and the budgets that block it."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.objects.fields.fields import Value
from dashboard.objects.problems.problem import Problem, Refusal, refusal_of, unanswered_refusal
from dashboard.pages.edit.parts import denial_reason, lacks_subresource
from dashboard.pages.evictions.budgets import budgets_in
from dashboard.pages.evictions.daemon_sets import missing_daemon_sets
from dashboard.pages.evictions.evict import Blocked, Evicted, Failed, Gone, evict
from dashboard.pages.evictions.plan import PodPlan, plan_pod
from dashboard.pages.quick_actions.views import action_not_found, retry_page
from dashboard.pages.writes.kubectl import eviction_command
from dashboard.pages.writes.request import EditRequest, open_edit_request
from dashboard.pages.writes.unavailable import unavailable_as_page
from dashboard.runtime.retry import LOST_INPUT, is_unanswered
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
    place = await open_edit_request(request, resource, namespace, name, "do/evict", any_kind=True)
    if place.target.kind.key != "pods":
        return action_not_found(request, place.target.kind, place.target.href)
    return await _posted(place) if request.method == "POST" else await _asked(place)


async def _asked(
    place: EditRequest, *, status: int = 200, problem: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    try:
        pod = await place.object_client.read()
    except InformerdError as error:
        if refusal:
            return place.trouble(refusal, EVICT_TITLE)
        raise place.read_failure(error, EVICT_TITLE) from error
    fate = await _fate(place, pod)
    refused, tried = await asyncio.gather(_refused(place), _tried(place, fate.uid))
    context: dict[str, object] = {
        "fate": fate,
        "needs": tuple((need, _NEEDS[need]) for need in fate.needs),
        "form": place.request.POST,
        "command": eviction_command(place.target, fate.uid),
        "refused": refused,
        "tried": "" if refused else tried,
        "problem": problem,
        "refusal": refusal,
    }
    return place.page("evictions/evict.html", EVICT_TITLE, context, status=status)


async def _fate(place: EditRequest, pod: dict[str, Value]) -> PodPlan:
    budgets, missing = await asyncio.gather(
        budgets_in(place.client, place.target.namespace), missing_daemon_sets(place.client, [pod])
    )
    return plan_pod(pod, budgets, missing, is_single_pod=True)


async def _tried(place: EditRequest, uid: str) -> str:
    """The API server's answer to a dry run, as a sentence."""
    target = place.target
    match await evict(place.client, target.namespace, target.name, uid, dry_run=True):
        case Evicted():
            return "The API server has just accepted a dry run of this."
        case Blocked() as held:
            return f"The API server would refuse it now, as a dry run shows: {held.said}"
        case Failed(error=error):
            return f"The API server would refuse it, as a dry run shows: {error}"
        case _:
            return ""


async def _refused(place: EditRequest) -> str:
    if await lacks_subresource(place, "pods", "eviction"):
        return "This API server does not support evictions: delete the pod instead, which no budget blocks."
    return await denial_reason(place, "create", "eviction")


async def _posted(place: EditRequest) -> HttpResponse:
    post, target = place.request.POST, place.target
    uid = post.get("uid", "")
    if not uid:
        return await _asked(place)
    try:
        fate = await _fate(place, await place.object_client.read())
    except NotFound:
        return _followed(place, uid) if LOST_INPUT in post else _gone(place, Gone(replaced=False))
    except InformerdError as unread:
        known = (
            unanswered_refusal(unread, *_NOT_KNOWN, is_unverified=True) if LOST_INPUT in post else refusal_of(unread)
        )
        return await _again(place, known)
    if fate.uid != uid:
        return _followed(place, uid) if LOST_INPUT in post else _gone(place, Gone(replaced=True))
    if any(need not in post for need in fate.needs):
        words = " ".join(_NEEDS[need] for need in fate.needs if need not in post)
        return await _asked(place, status=422, problem=f"Confirm this first: {words}")
    match await evict(place.client, target.namespace, target.name, uid):
        case Evicted():
            return _followed(place, uid)
        case Gone() as gone:
            return _followed(place, uid) if LOST_INPUT in post else _gone(place, gone)
        case Blocked() as held:
            return await _held(place, held, fate)
        case Failed(error=error):
            return await _not_done(place, uid, error)


async def _not_done(place: EditRequest, uid: str, error: InformerdError) -> HttpResponse:
    """The page after a lost answer: the pod's state tells; a retry is safe, since it applies to exactly that pod."""
    refusal = refusal_of(error)
    if is_unanswered(error):
        try:
            metadata = (await place.object_client.read())["metadata"]
        except NotFound:
            return _followed(place, uid)
        except InformerdError:
            refusal = unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True)
        else:
            if metadata["uid"] != uid or metadata.get("deletionTimestamp"):
                return _followed(place, uid)
            refusal = unanswered_refusal(error, *_NOT_DONE)
    return await _again(place, refusal)


async def _again(place: EditRequest, refusal: Refusal) -> HttpResponse:
    """The page with a countdown to a retry, where that can succeed."""
    busy = retry_page(place, EVICT_TITLE, "do/evict/", place.request.POST.dict(), refusal, leads_on=True)
    return busy or await _asked(place, refusal=refusal, status=refusal.code)


def _followed(place: EditRequest, uid: str) -> HttpResponse:
    """The progress page of the pod's deletion."""
    response = HttpResponseRedirect(f"{place.target.href}delete/?{urlencode({'uid': uid})}")
    response.status_code = 303
    return response


async def _held(place: EditRequest, held: Blocked, fate: PodPlan) -> HttpResponse:
    """The page with a countdown: a retry is safe, since it applies to exactly that pod."""
    title = "A PodDisruptionBudget blocks it" if held.is_by_budget else "The API server is busy"
    after = held.retry_after
    refusal = Refusal((Problem("Nothing was evicted.", held.said),), 429, title, after, after)
    budgets = fate.blocked if held.is_by_budget else ()
    busy = retry_page(
        place, EVICT_TITLE, "do/evict/", place.request.POST.dict(), refusal, budgets=budgets, leads_on=True
    )
    return busy or await _asked(place, refusal=refusal, status=429)


def _gone(place: EditRequest, gone: Gone) -> HttpResponse:
    context: dict[str, object] = {"title": EVICT_TITLE, "gone": {"replaced": gone.replaced, "unsure": False}}
    return place.page("quick_actions/gone.html", EVICT_TITLE, context, status=409)
