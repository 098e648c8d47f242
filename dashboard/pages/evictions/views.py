"""The page that evicts one pod: what it means, and what holds it."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.edits.access import absent, forbidden
from dashboard.edits.fields import Value
from dashboard.edits.place import Place, find_place
from dashboard.edits.problems import Problem, Refusal, refusal_of, unanswered
from dashboard.evictions.budgets import budgets_in
from dashboard.evictions.daemon_sets import missing_among
from dashboard.evictions.eviction import Evicted, Failed, Gone, Held, evict
from dashboard.evictions.pods import Fate, fate_of
from dashboard.quick.commands import eviction_command
from dashboard.quick.pages import busy_page, no_such_action
from dashboard.repeats import LOST, is_unanswered
from informerd.errors import InformerdError, NotFound

TITLE = "Evict"
_NOT_KNOWN = (
    "It may or may not be evicted",
    "Whether the eviction was taken is not known yet: the pod cannot be read at the moment.",
)
_NOT_DONE = ("It was not evicted", "The pod was read again: it is there, and nobody is deleting it.")
_NEEDS = {
    "emptydir": "It has emptyDir volumes: what is in them is lost for good.",
    "unmanaged": "It has no controller, or one that is no more: nobody makes it again.",
}


@require_http_methods(["GET", "HEAD", "POST"])
async def evict_pod(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Asks, then evicts that very pod; where a budget holds it, it is tried again with a countdown."""
    place = await find_place(request, resource, namespace, name, "do/evict", any_kind=True)
    if isinstance(place, HttpResponse):
        return place
    if place.target.kind.key != "pods":
        return no_such_action(request, place.target.kind, place.target.href)
    return await _posted(place) if request.method == "POST" else await _asked(place)


async def _asked(place: Place, *, status: int = 200, problem: str = "", refusal: Refusal | None = None) -> HttpResponse:
    try:
        pod = await place.exchange.read()
    except InformerdError as error:
        return place.trouble(refusal, TITLE) if refusal else place.unopened(error, TITLE)
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
    return place.page("quick/evict.html", TITLE, context, status=status)


async def _fate(place: Place, pod: dict[str, Value]) -> Fate:
    budgets, missing = await asyncio.gather(
        budgets_in(place.client, place.target.namespace), missing_among(place.client, [pod])
    )
    return fate_of(pod, budgets, missing, alone=True)


async def _tried(place: Place, uid: str) -> str:
    """What the API server says to a dry run, as a sentence."""
    target = place.target
    match await evict(place.client, target.namespace, target.name, uid, dry_run=True):
        case Evicted():
            return "The API server has just accepted a dry run of this."
        case Held() as held:
            return f"The API server would not do it now, as it says to a dry run: {held.said}"
        case Failed(error=error):
            return f"The API server would not do it, as it says to a dry run: {error}"
        case _:
            return ""


async def _refused(place: Place) -> str:
    if await absent(place, "pods", "eviction"):
        return (
            "This cluster's API server knows no evictions: delete the pod instead, which no PodDisruptionBudget holds."
        )
    return await forbidden(place, "create", "eviction")


async def _posted(place: Place) -> HttpResponse:
    post, target = place.request.POST, place.target
    uid = post.get("uid", "")
    if not uid:
        return await _asked(place)
    try:
        fate = await _fate(place, await place.exchange.read())
    except NotFound:
        return _followed(place, uid) if LOST in post else _gone(place, Gone(replaced=False))
    except InformerdError as unread:
        known = unanswered(unread, *_NOT_KNOWN, unread=True) if LOST in post else refusal_of(unread)
        return await _again(place, known)
    if fate.uid != uid:
        return _followed(place, uid) if LOST in post else _gone(place, Gone(replaced=True))
    if any(need not in post for need in fate.needs):
        words = " ".join(_NEEDS[need] for need in fate.needs if need not in post)
        return await _asked(place, status=422, problem=f"Say first that you know this: {words}")
    match await evict(place.client, target.namespace, target.name, uid):
        case Evicted():
            return _followed(place, uid)
        case Gone() as gone:
            return _followed(place, uid) if LOST in post else _gone(place, gone)
        case Held() as held:
            return await _held(place, held, fate)
        case Failed(error=error):
            return await _not_done(place, uid, error)


async def _not_done(place: Place, uid: str, error: InformerdError) -> HttpResponse:
    """Where no clear answer came, the pod itself tells; it is safe to send it again, for it is about that very pod."""
    refusal = refusal_of(error)
    if is_unanswered(error):
        try:
            metadata = (await place.exchange.read())["metadata"]
        except NotFound:
            return _followed(place, uid)
        except InformerdError:
            refusal = unanswered(error, *_NOT_KNOWN, unread=True)
        else:
            if metadata["uid"] != uid or metadata.get("deletionTimestamp"):
                return _followed(place, uid)
            refusal = unanswered(error, *_NOT_DONE)
    return await _again(place, refusal)


async def _again(place: Place, refusal: Refusal) -> HttpResponse:
    """Sent again with a countdown where it may pass by itself."""
    busy = busy_page(place, TITLE, "do/evict/", place.request.POST.dict(), refusal, leads_on=True)
    return busy or await _asked(place, refusal=refusal, status=refusal.code)


def _followed(place: Place, uid: str) -> HttpResponse:
    """What follows is the deletion of the pod."""
    response = HttpResponseRedirect(f"{place.target.href}delete/?{urlencode({'uid': uid})}")
    response.status_code = 303
    return response


async def _held(place: Place, held: Held, fate: Fate) -> HttpResponse:
    """Sent again by itself, for it is about that very pod: nothing else can be evicted by it."""
    title = "A PodDisruptionBudget holds it" if held.by_budget else "The API server is busy"
    after = held.again_after
    refusal = Refusal((Problem("Nothing was evicted.", held.said),), 429, title, after, after)
    budgets = fate.blocked if held.by_budget else ()
    busy = busy_page(place, TITLE, "do/evict/", place.request.POST.dict(), refusal, budgets=budgets, leads_on=True)
    return busy or await _asked(place, refusal=refusal, status=429)


def _gone(place: Place, gone: Gone) -> HttpResponse:
    return place.page("quick/gone.html", TITLE, {"action": {"title": TITLE}, "gone": gone}, status=409)
