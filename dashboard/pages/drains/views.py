"""Pages of a drain: the plan for each pod, then the progress, with pause and cancel."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.access.person import person_of
from dashboard.access.rights import RIGHTS
from dashboard.cluster.access_reviews import ResourceAttributes
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.namespace_limits import NamespaceLimit
from dashboard.objects.fields.field_access import Value
from dashboard.objects.kinds.catalog import kind_of
from dashboard.objects.problems.write_refusal import Problem, Refusal, refusal_of
from dashboard.pages.delete.options import MAX_GRACE
from dashboard.pages.drains.plan import DrainPlan, plan_drain
from dashboard.pages.drains.runner import DRAIN_RUNNER
from dashboard.pages.drains.state import Drain, DrainedPod
from dashboard.pages.drains.store import NewDrain
from dashboard.pages.evictions.budgets import budgets_in
from dashboard.pages.evictions.missing_daemon_sets import missing_daemon_sets
from dashboard.pages.layout.namespaces import namespace_limit
from dashboard.pages.layout.required_right import right_denial
from dashboard.pages.quick_actions.dry_run import Preview
from dashboard.pages.quick_actions.toggles import Cordon
from dashboard.pages.quick_actions.views import action_not_found
from dashboard.pages.quick_actions.write import Done, Refused, Unreviewed, write
from dashboard.pages.writes.access_checks import denial_reason, lacks_subresource
from dashboard.pages.writes.kubectl import named_command
from dashboard.pages.writes.request_context import EditRequest, open_edit_request
from dashboard.pages.writes.target import Target
from dashboard.pages.writes.typed_name import is_missing
from dashboard.pages.writes.write_unavailable import unavailable_as_page
from dashboard.runtime.app_state import CLOCK
from dashboard.runtime.database_executor import Unavailable
from dashboard.runtime.project_files import COMMAND
from informerd.errors import Forbidden, InformerdError, NotFound
from informerd.resource import PODS

logger = logging.getLogger(__name__)

_SECONDS = re.compile(r"\d{1,12}", re.ASCII)
_WISHES = ("pause", "go", "cancel")
DRAIN_TITLE = "Drain"


@require_http_methods(["GET", "HEAD", "POST"])
@unavailable_as_page
async def drain(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The plan before a drain; with ``?run=`` the progress of that drain."""
    only_reads = request.method != "POST" and bool(request.GET.get("run"))
    edit_request = await open_edit_request(
        request, resource, namespace, name, "do/drain", any_kind=True, only_reads=only_reads
    )
    if edit_request.target.kind.key != "nodes":
        return action_not_found(request, edit_request.target.kind, edit_request.target.href)
    try:
        if request.GET.get("run"):
            return await _progress_page(edit_request, request.GET["run"])
        return await _start_drain(edit_request) if request.method == "POST" else await _plan_page(edit_request)
    except Unavailable as error:
        return edit_request.refusal_page(_no_database(error), DRAIN_TITLE)


def _no_database(error: Unavailable) -> Refusal:
    words = (
        "A drain needs the database, so that it can be followed and stopped, but that is not available now. "
        f"Nothing was done. Check whether `{COMMAND} migrate` must be run."
    )
    return Refusal((Problem(words, str(error)),), 503, "The database cannot be used")


def _unseen_pods(error: Forbidden, limit: NamespaceLimit) -> Refusal:
    words = (
        f"{limit.words}: Deltaboard's account may not list the node's pods in other namespaces, so it cannot know what "
        "a drain evicts. Nothing was done. You can cordon the node, or drain it with kubectl and another account."
    )
    return Refusal((Problem(words, str(error)),), 403, "The node's pods are not all known")


def _only_cordoned(error: Unavailable) -> Refusal:
    words = (
        "The node is cordoned, but the drain has not started: no pod was evicted. It needs the database, which "
        "failed just now. Drain the node again, or uncordon it."
    )
    return Refusal((Problem(words, str(error)),), 503, "The database cannot be used")


async def _plan_page(
    edit_request: EditRequest,
    *,
    problem: str = "",
    status: int = 200,
    refusal: Refusal | None = None,
    preview: Preview | None = None,
    is_name_refused: bool = False,
) -> HttpResponse:
    try:
        node = await edit_request.object_client.read()
        try:
            plan = await _plan(edit_request)
        except Forbidden as error:
            if (limit := namespace_limit(edit_request.state, PODS.key)) is None:
                raise
            return edit_request.refusal_page(_unseen_pods(error, limit), DRAIN_TITLE)
    except InformerdError as error:
        raise edit_request.read_failure(error, DRAIN_TITLE) from error
    last = await edit_request.state[DRAIN_RUNNER].store.newest(
        node["metadata"]["uid"], edit_request.state[CONNECTION].cluster.server
    )
    # An address sets this field only: the user has to give each consent.
    form = edit_request.request.POST or {"seconds": edit_request.request.GET.get("seconds", "")}
    typed_name = edit_request.name_to_type
    context: dict[str, object] = {
        "typed_name": typed_name.refused if typed_name is not None and is_name_refused else typed_name,
        "uid": node["metadata"]["uid"],
        "cordoned": bool((node.get("spec") or {}).get("unschedulable")),
        "plan": plan,
        "shown_uids": ",".join(pod.uid for pod in plan.evicted_pods),
        "form": form,
        "command": _command(edit_request, plan, _seconds(form.get("seconds", ""))),
        "refused": await _denial(edit_request),
        "last": last if last is not None and not last.is_over else None,
        "problem": problem,
        "refusal": refusal,
        "preview": preview,
    }
    return edit_request.page("drains/confirm.html", DRAIN_TITLE, context, status=status)


async def _denial(edit_request: EditRequest) -> str:
    if await lacks_subresource(edit_request, "pods", "eviction"):
        return "This API server does not support evictions, so no node can be drained: cordon it, and delete its pods."
    evicting = replace(edit_request, target=Target(kind_of(PODS), "", ""))
    return await denial_reason(edit_request, "patch") or await denial_reason(evicting, "create", "eviction")


async def _plan(edit_request: EditRequest) -> DrainPlan:
    """The plan for every pod of the node. Raises as a list does."""
    selector = f"spec.nodeName={edit_request.target.name}"
    pods = (await edit_request.client.list(PODS, params={"fieldSelector": selector})).object().get("items") or []
    namespaces = sorted({pod["metadata"]["namespace"] for pod in pods})
    budgets = asyncio.gather(*(budgets_in(edit_request.client, each) for each in namespaces))
    missing, budgets_by_namespace = await asyncio.gather(missing_daemon_sets(edit_request.client, pods), budgets)
    return plan_drain(pods, dict(zip(namespaces, budgets_by_namespace, strict=True)), missing)


def _seconds(typed: str) -> int | None:
    """The typed grace period; None where it is empty or malformed."""
    typed = typed.strip()
    return int(typed) if _SECONDS.fullmatch(typed) and int(typed) <= MAX_GRACE else None


def _command(edit_request: EditRequest, plan: DrainPlan, grace: int | None) -> str:
    options = ["--ignore-daemonsets"]
    options += ["--delete-emptydir-data"] if "emptydir" in plan.confirmations else []
    options += ["--force"] if "unmanaged" in plan.confirmations else []
    options += [] if grace is None else [f"--grace-period={grace}"]
    return named_command(edit_request.target, "drain", options=options)


async def _start_drain(edit_request: EditRequest) -> HttpResponse:
    post = edit_request.request.POST
    typed = post.get("seconds", "").strip()
    if typed and _seconds(typed) is None:
        words = f"“{typed[:40]}” is not a grace period: enter whole seconds up to {MAX_GRACE:,}, or leave it empty."
        return await _plan_page(edit_request, problem=words, status=422)
    try:
        node, plan = await edit_request.object_client.read(), await _plan(edit_request)
    except NotFound as error:
        raise edit_request.read_failure(error, DRAIN_TITLE) from error
    except InformerdError as error:
        return edit_request.refusal_page(refusal_of(error), DRAIN_TITLE)
    status, objection = _objection_to(node, plan, post)
    if objection or is_missing(edit_request.name_to_type):
        status = status if objection else 422
        return await _plan_page(edit_request, problem=objection, status=status, is_name_refused=not objection)
    last = await edit_request.state[DRAIN_RUNNER].store.newest(
        node["metadata"]["uid"], edit_request.state[CONNECTION].cluster.server
    )
    if last is not None and not last.is_over and not last.lost(edit_request.state[CLOCK].time()):
        return _to_run(edit_request, last.key)
    cordoned = await _cordon(edit_request, node)
    if isinstance(cordoned, Refused):
        return await _plan_page(edit_request, refusal=cordoned.refusal, status=cordoned.refusal.code)
    if isinstance(cordoned, Unreviewed):
        words = "Cordoning it would change more than that. Nothing was done: check it below, and press again."
        return await _plan_page(edit_request, problem=words, preview=Preview(cordoned.dry_run))
    if not isinstance(cordoned, Done):
        return await _plan_page(
            edit_request, problem="The node changed meanwhile. Its current state is below.", status=409
        )
    pods = tuple(DrainedPod(pod.namespace, pod.name, pod.uid) for pod in plan.evicted_pods)
    begin = NewDrain(
        edit_request.state[CONNECTION].cluster.server,
        edit_request.target.name,
        node["metadata"]["uid"],
        person_of(edit_request.request),
        _seconds(typed),
        pods,
    )
    try:
        drain = await edit_request.state[DRAIN_RUNNER].start(begin)
    except Unavailable as error:
        return edit_request.refusal_page(_only_cordoned(error), DRAIN_TITLE)
    return _to_run(edit_request, drain.key)


def _objection_to(node: dict[str, Value], plan: DrainPlan, post: Any) -> tuple[int, str]:
    """Status and reason why it cannot be done; empty where it can."""
    if post.get("uid") != node["metadata"]["uid"]:
        return (
            409,
            "The node that you saw is gone, and another one has its name: nothing was done. The new node is below.",
        )
    shown = set(post.get("shown", "").split(","))
    new = [pod.key for pod in plan.evicted_pods if pod.uid not in shown]
    if new:
        came = ", ".join(new[:5])
        return 409, f"New pods are on the node: {came}. Nothing was done; the current plan is below."
    missing = [need for need in plan.confirmations if need not in post]
    if missing:
        words = {"emptydir": "that emptyDir volumes are lost", "unmanaged": "that nothing recreates some pods"}
        return 422, f"Nothing was done: confirm first {' and '.join(words[need] for need in missing)}."
    return 200, ""


async def _cordon(edit_request: EditRequest, node: dict[str, Value]) -> object:
    was = bool((node.get("spec") or {}).get("unschedulable"))
    seen = edit_request.request.POST.get("seen", "")
    return await write(
        Cordon(), edit_request, {}, uid=node["metadata"]["uid"], before=was, desired=True, reviewed_fingerprint=seen
    )


async def _progress_page(edit_request: EditRequest, key: str) -> HttpResponse:
    drains = edit_request.state[DRAIN_RUNNER]
    drain = await drains.store.find(key, edit_request.state[CONNECTION].cluster.server)
    rights = edit_request.state[RIGHTS]
    if drain is None or drain.node != edit_request.target.name or not rights.may_see("nodes", "", drain.node):
        return HttpResponseRedirect(f"{edit_request.target.href}do/drain/")
    if edit_request.request.method == "POST":
        return await _press_button(edit_request, drain)
    now = edit_request.state[CLOCK].time()
    pending_wish = _pending_wish(drain.wish, drain.state)
    seen = tuple(pod for pod in drain.pods if rights.may_see("pods", pod.namespace, pod.name))
    words = drain.words if len(seen) == len(drain.pods) else ""  # which may name the others
    context: dict[str, object] = {
        "drain": msgspec.structs.replace(drain, pods=seen, words=words),
        "lost": drain.lost(now),
        "pending_request": pending_wish,
    }
    return edit_request.page("drains/progress.html", DRAIN_TITLE, context)


async def _press_button(edit_request: EditRequest, drain: Drain) -> HttpResponse:
    """A button of a drain. Every user who may drain the node may also stop a drain of it."""
    target = edit_request.target
    cordon = ResourceAttributes("patch", target.kind.resource, "", target.name)
    evict = ResourceAttributes("create", PODS, subresource="eviction")
    refused = await _denial(edit_request)
    for access in (cordon, evict):  # surely: a drain goes on with the rights of whoever has started it
        refused = refused or await right_denial(edit_request.state, access)
    if refused:
        return edit_request.refusal_page(Refusal((Problem(refused),), 403, "Nothing was done"), DRAIN_TITLE)
    post, drains, person = edit_request.request.POST, edit_request.state[DRAIN_RUNNER], person_of(edit_request.request)
    wish = next((wish for wish in ("take_over", *_WISHES) if wish in post), "")
    if wish == "take_over" and drain.lost(edit_request.state[CLOCK].time()):
        await drains.resume(drain, person)
    elif wish in _WISHES and not drain.is_over:
        await drains.store.set_wish(drain.key, wish, person.name)
    logger.info("drain of node %s: %s, pressed by %s", drain.node, wish or "nothing", person.name or "somebody")
    return _to_run(edit_request, drain.key)


def _pending_wish(wish: str, state: str) -> str:
    """The requested action that the runner has not received yet."""
    heard = {"pause": state == "paused", "go": state == "running", "cancel": state == "cancelled"}
    return "" if heard.get(wish, True) else wish


def _to_run(edit_request: EditRequest, key: str) -> HttpResponse:
    response = HttpResponseRedirect(f"{edit_request.target.href}do/drain/?{urlencode({'run': key})}")
    response.status_code = 303
    return response
