"""The pages of a drain: what it means for each pod, then how far it is, with pause and cancel."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.drafts.database import Unavailable
from dashboard.drains.drain import Drain, DrainedPod
from dashboard.drains.plan import Plan, plan_of
from dashboard.drains.records import Begin
from dashboard.edits.access import absent, forbidden
from dashboard.edits.editable import Target
from dashboard.edits.fields import Value
from dashboard.edits.place import Place, find_place
from dashboard.edits.problems import Problem, Refusal, refusal_of
from dashboard.evictions.budgets import budgets_in
from dashboard.evictions.daemon_sets import missing_among
from dashboard.live.context import user_of
from dashboard.quick.commands import kubectl
from dashboard.quick.cordon import Cordon
from dashboard.quick.pages import no_such_action
from dashboard.quick.preview import Preview
from dashboard.quick.writing import Done, Refused, Unseen, write
from dashboard.removal.choice import LONGEST_GRACE
from dashboard.resources.kinds import kind_of
from informerd.errors import InformerdError, NotFound
from informerd.resource import PODS

logger = logging.getLogger(__name__)

_SECONDS = re.compile(r"\d{1,12}", re.ASCII)
_WISHES = ("pause", "go", "cancel")
TITLE = "Drain"


@require_http_methods(["GET", "HEAD", "POST"])
async def drain(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Asks before it drains a node; with ``?run=`` how far that drain is."""
    place = await find_place(request, resource, namespace, name, "do/drain", any_kind=True)
    if isinstance(place, HttpResponse):
        return place
    if place.target.kind.key != "nodes":
        return no_such_action(request, place.target.kind, place.target.href)
    try:
        if request.GET.get("run"):
            return await _followed(place, request.GET["run"])
        return await _begun(place) if request.method == "POST" else await _asked(place)
    except Unavailable as error:
        return place.trouble(_no_database(error), TITLE)


def _no_database(error: Unavailable) -> Refusal:
    words = (
        "A drain is kept in the database, so that it can be followed and stopped; that cannot be used now. Nothing was "
        "done. Is `manage.py migrate` still to be run?"
    )
    return Refusal((Problem(words, str(error)),), 503, "The database cannot be used")


def _only_cordoned(error: Unavailable) -> Refusal:
    words = (
        "The node is cordoned, and the drain has not begun: no pod was evicted. It is kept in the database, which "
        "failed just now. Drain the node again, or uncordon it."
    )
    return Refusal((Problem(words, str(error)),), 503, "The database cannot be used")


async def _asked(
    place: Place,
    *,
    problem: str = "",
    status: int = 200,
    refusal: Refusal | None = None,
    preview: Preview | None = None,
) -> HttpResponse:
    try:
        node = await place.exchange.read()
        plan = await _plan(place)
    except InformerdError as error:
        return place.unopened(error, TITLE)
    last = await place.live.drains.records.newest(node["metadata"]["uid"], place.live.cluster.server)
    # Of an address only this is taken: what has to be agreed to is for the person.
    form = place.request.POST or {"seconds": place.request.GET.get("seconds", "")}
    context: dict[str, object] = {
        "uid": node["metadata"]["uid"],
        "cordoned": bool((node.get("spec") or {}).get("unschedulable")),
        "plan": plan,
        "shown": ",".join(fate.uid for fate in plan.evicted),
        "form": form,
        "command": _command(place, plan, _seconds(form.get("seconds", ""))),
        "refused": await _refused(place),
        "last": last if last is not None and not last.over else None,
        "problem": problem,
        "refusal": refusal,
        "preview": preview,
    }
    return place.page("drains/ask.html", TITLE, context, status=status)


async def _refused(place: Place) -> str:
    if await absent(place, "pods", "eviction"):
        return "This API server knows no evictions, so no node can be drained: cordon it, and delete its pods."
    evicting = replace(place, target=Target(kind_of(PODS), "", ""))
    return await forbidden(place, "patch") or await forbidden(evicting, "create", "eviction")


async def _plan(place: Place) -> Plan:
    """Every pod of the node with what would happen to it. Raises as a list does."""
    selector = f"spec.nodeName={place.target.name}"
    pods = (await place.client.list(PODS, params={"fieldSelector": selector})).object().get("items") or []
    namespaces = sorted({pod["metadata"]["namespace"] for pod in pods})
    budgets = asyncio.gather(*(budgets_in(place.client, each) for each in namespaces))
    missing, found = await asyncio.gather(missing_among(place.client, pods), budgets)
    return plan_of(pods, dict(zip(namespaces, found, strict=True)), missing)


def _seconds(typed: str) -> int | None:
    """The grace period that was typed; None where that is nothing, or none."""
    typed = typed.strip()
    return int(typed) if _SECONDS.fullmatch(typed) and int(typed) <= LONGEST_GRACE else None


def _command(place: Place, plan: Plan, grace: int | None) -> str:
    words = ["drain", place.target.name, "--ignore-daemonsets"]
    words += ["--delete-emptydir-data"] if "emptydir" in plan.needs else []
    words += ["--force"] if "unmanaged" in plan.needs else []
    words += [] if grace is None else [f"--grace-period={grace}"]
    return kubectl(place.target, *words)


async def _begun(place: Place) -> HttpResponse:
    post = place.request.POST
    typed = post.get("seconds", "").strip()
    if typed and _seconds(typed) is None:
        words = f"“{typed[:40]}” is no grace period: write whole seconds up to {LONGEST_GRACE:,}, or leave it empty."
        return await _asked(place, problem=words, status=422)
    try:
        node, plan = await place.exchange.read(), await _plan(place)
    except NotFound as error:
        return place.unopened(error, TITLE)
    except InformerdError as error:
        return place.trouble(refusal_of(error), TITLE)
    status, wrong = _objection(node, plan, post)
    if wrong:
        return await _asked(place, problem=wrong, status=status)
    last = await place.live.drains.records.newest(node["metadata"]["uid"], place.live.cluster.server)
    if last is not None and not last.over and not last.lost(place.live.clock.time()):
        return _to_run(place, last.key)
    cordoned = await _cordoned(place, node)
    if isinstance(cordoned, Refused):
        return await _asked(place, refusal=cordoned.refusal, status=cordoned.refusal.code)
    if isinstance(cordoned, Unseen):
        words = "Cordoning it would do more than that. Nothing was done: look at it below, and press again to do it."
        return await _asked(place, problem=words, preview=Preview(cordoned.trial))
    if not isinstance(cordoned, Done):
        return await _asked(place, problem="The node changed meanwhile. Below is how it is now.", status=409)
    pods = tuple(DrainedPod(fate.namespace, fate.name, fate.uid) for fate in plan.evicted)
    begin = Begin(
        place.live.cluster.server,
        place.target.name,
        node["metadata"]["uid"],
        user_of(place.request),
        _seconds(typed),
        pods,
    )
    try:
        begun = await place.live.drains.begin(begin)
    except Unavailable as error:
        return place.trouble(_only_cordoned(error), TITLE)
    return _to_run(place, begun.key)


def _objection(node: dict[str, Value], plan: Plan, post: Any) -> tuple[int, str]:
    """A status and why it cannot be done; empty where it can."""
    if post.get("uid") != node["metadata"]["uid"]:
        return 409, "The node that you saw is gone, and another one has its name: nothing was done. Below is this one."
    shown = set(post.get("shown", "").split(","))
    new = [fate.key for fate in plan.evicted if fate.uid not in shown]
    if new:
        came = ", ".join(new[:5])
        return 409, f"Pods came to the node since you looked: {came}. Nothing was done; below is how it is now."
    missing = [need for need in plan.needs if need not in post]
    if missing:
        words = {"emptydir": "that emptyDir volumes are lost", "unmanaged": "that nobody makes some pods again"}
        return 422, f"Nothing was done: say first that you know {' and '.join(words[need] for need in missing)}."
    return 200, ""


async def _cordoned(place: Place, node: dict[str, Value]) -> object:
    was = bool((node.get("spec") or {}).get("unschedulable"))
    seen = place.request.POST.get("seen", "")
    return await write(Cordon(), place, {}, uid=node["metadata"]["uid"], was=was, wanted=True, seen=seen)


async def _followed(place: Place, key: str) -> HttpResponse:
    drains = place.live.drains
    found = await drains.records.find(key, place.live.cluster.server)
    if found is None or found.node != place.target.name:
        return HttpResponseRedirect(f"{place.target.href}do/drain/")
    if place.request.method == "POST":
        return await _pressed(place, found)
    now = place.live.clock.time()
    wished = _wished(found.wish, found.state)
    context: dict[str, object] = {"drain": found, "lost": found.lost(now), "wished": wished}
    return place.page("drains/progress.html", TITLE, context)


async def _pressed(place: Place, drain: Drain) -> HttpResponse:
    """A button of a drain. It is the node's, not its beginner's: whoever may drain the node may also stop that."""
    if refused := await _refused(place):
        return place.trouble(Refusal((Problem(refused),), 403, "Nothing was done"), TITLE)
    post, drains, by = place.request.POST, place.live.drains, user_of(place.request)
    wish = next((wish for wish in ("take_over", *_WISHES) if wish in post), "")
    if wish == "take_over" and drain.lost(place.live.clock.time()):
        await drains.go_on(drain, by)
    elif wish in _WISHES and not drain.over:
        await drains.records.wish(drain.key, wish, by)
    logger.info("drain of node %s: %s, pressed by %s", drain.node, wish or "nothing", by or "somebody")
    return _to_run(place, drain.key)


def _wished(wish: str, state: str) -> str:
    """What was asked of it and has not been heard yet."""
    heard = {"pause": state == "paused", "go": state == "running", "cancel": state == "cancelled"}
    return "" if heard.get(wish, True) else wish


def _to_run(place: Place, key: str) -> HttpResponse:
    response = HttpResponseRedirect(f"{place.target.href}do/drain/?{urlencode({'run': key})}")
    response.status_code = 303
    return response
