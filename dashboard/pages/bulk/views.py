"""Page of one bulk run, from the choice of its operation to its results."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from dashboard.access.identity import remember_browser
from dashboard.access.person import person_of
from dashboard.cluster.connection import CONNECTION
from dashboard.objects.problems.write_refusal import Refusal
from dashboard.objects.schemas.schema import UNKNOWN
from dashboard.pages.bulk.kubectl import kubectl_commands
from dashboard.pages.bulk.operation import VERB_TITLES, BulkOperation
from dashboard.pages.bulk.operation_form import form_values_of, parse_operation
from dashboard.pages.bulk.request_context import (
    RUNS_PATH,
    RunRequest,
    open_run_request,
    require_database,
    see_other,
    starting_identity,
)
from dashboard.pages.bulk.review import (
    GROUPS_PER_PAGE,
    MAX_ADDED_ITEMS,
    ReviewGroup,
    added_items,
    drift_groups,
    groups_by_message,
    review_groups,
)
from dashboard.pages.bulk.run import ENDED_STATES, ChangeGroup, Item
from dashboard.pages.bulk.run_checks import count_dependents, filter_changes, verb_limit
from dashboard.pages.bulk.runner import BULK_RUNNER
from dashboard.pages.bulk.store import NewRun
from dashboard.pages.bulk.summed_effects_text import effect_texts, pod_totals
from dashboard.pages.bulk.undo import undo_items, undo_operation
from dashboard.pages.layout.htmx import htmx_of
from dashboard.pages.layout.not_found import ChoiceLink
from dashboard.pages.layout.read_only_page import read_only_page
from dashboard.pages.writes.typed_name import is_missing
from dashboard.pages.writes.write_unavailable import unavailable_as_page
from dashboard.runtime.app_state import CLOCK
from dashboard.runtime.read_only import is_read_only

MAX_LINKED = 100
"""Most objects of somebody else's run that are named."""
MAX_SHOWN_COMMANDS = 5
"""Most command lines that are shown; the file has all."""
_WISHES = ("pause", "go", "cancel")


@require_http_methods(["GET", "HEAD", "POST"])
@require_database
@unavailable_as_page
async def run(request: HttpRequest, resource: str, key: str) -> HttpResponse:
    """One run, in its current phase; a POST is one of its buttons. In read-only mode a run can only be looked at, and
    one of others can only be undone.
    """
    run_request = await open_run_request(request, resource, key, others=True)
    if not run_request.is_own:
        return await _of_others(run_request)
    if is_read_only() and (request.method == "POST" or run_request.run.state == "choosing"):
        runs = ChoiceLink("Bulk changes", RUNS_PATH)
        return read_only_page(request, ChoiceLink(run_request.kind.title, run_request.kind.path), runs, key=resource)
    if request.method != "POST":
        return await _shown(run_request)
    if "discard" in request.POST and run_request.run.can_choose_again:
        await run_request.app_state[BULK_RUNNER].store.discard(run_request.run)
        return see_other(RUNS_PATH)
    return await _pressed(run_request)


async def _pressed(run_request: RunRequest) -> HttpResponse:
    """Execute a button; one that does not fit the current phase changes nothing."""
    post, run, bulks = run_request.request.POST, run_request.run, run_request.app_state[BULK_RUNNER]
    person = person_of(run_request.request)
    if "try" in post and run.can_choose_again:
        order = await _operation(run_request)
        if isinstance(order, Refusal):
            return await _choice(run_request, refusal=order, status=order.code)
        await bulks.start_dry_runs(run, person, order)
    elif "choose" in post and run.can_choose_again:
        return await _choice(run_request)
    elif run.is_active:
        await _wished(run_request)
    elif ({"start", "again"} & post.keys()) and is_missing(run_request.name_to_type):
        return await _shown(run_request, is_name_refused=True)
    elif "start" in post and run.state in ("review", "cancelled"):
        await bulks.start_writes(run, person)
    elif "again" in post and run.state in ENDED_STATES:
        await bulks.retry_failed(run, person)
    elif "look" in post and run.state in ENDED_STATES:
        await bulks.retry_dry_runs(run, person)
    elif "undo" in post and run.can_undo and run.order is not None:
        return await _start_undo(run_request, run.order)
    return see_other(run.href)


async def _of_others(run_request: RunRequest) -> HttpResponse:
    """What a run of somebody else did to the objects that may be seen: nothing tells how many others there are."""
    run = run_request.run
    if run_request.request.method == "POST":
        if is_read_only():
            back = ChoiceLink(run_request.kind.title, run_request.kind.path), ChoiceLink("Bulk changes", RUNS_PATH)
            return read_only_page(run_request.request, *back, key=run_request.kind.key)
        if "undo" in run_request.request.POST and run.can_undo and run.order is not None:
            return await _start_undo(run_request, run.order)
        return see_other(run.href)
    items = await run_request.shown_items()
    context: dict[str, object] = {
        "title": VERB_TITLES[run.order.verb] if run.order is not None else "",
        "started_by": run_request.started_by,
        "items": items[:MAX_LINKED],
        "more_count": max(0, len(items) - MAX_LINKED),
        "done_count": len(items),
    }
    return run_request.page("bulk/others_run.html", context)


async def _operation(run_request: RunRequest) -> BulkOperation | Refusal:
    """The chosen operation; an undo cannot become another one."""
    run, post = run_request.run, run_request.request.POST
    if run.order is not None and run.order.undo is not None:
        return run.order
    schema = await run_request.schema() if post.get("verb") == "patch" else UNKNOWN
    return parse_operation(post, run_request.kind, schema)


async def _start_undo(run_request: RunRequest, order: BulkOperation) -> HttpResponse:
    """Start the dry runs of a run that undoes this one, for the objects that may be seen, and lead to it."""
    run, state = run_request.run, run_request.app_state
    bulks, now, server = state[BULK_RUNNER], state[CLOCK].time(), state[CONNECTION].cluster.server
    items = undo_items(await run_request.shown_items())
    if not items:  # none that may be seen
        return see_other(run.href)
    identity = starting_identity(run_request.request)
    new_run = NewRun(run.resource, items, run_request.back, is_over_all_matches=False, undone=run.key)
    key = await bulks.store.create(identity, server, new_run, now)
    undo = await bulks.store.find(identity, key, server)
    if undo is None:
        return see_other(run.href)
    await bulks.start_dry_runs(undo, person_of(run_request.request), undo_operation(run, order, now))
    response = see_other(undo.href)
    remember_browser(response, identity.browser)
    return response


async def _wished(run_request: RunRequest) -> None:
    post, run, bulks = run_request.request.POST, run_request.run, run_request.app_state[BULK_RUNNER]
    if "take_over" in post and run.lost(run_request.app_state[CLOCK].time()):
        await bulks.resume(run, person_of(run_request.request))
        return
    for wish in _WISHES:
        if wish in post:
            await bulks.store.set_wish(run.key, wish)


async def _shown(run_request: RunRequest, *, is_name_refused: bool = False) -> HttpResponse:
    if htmx_of(run_request.request) and run_request.run.state in ("choosing", "review"):
        return HttpResponseClientRefresh()  # the requesting page still shows the progress of the dry runs
    match run_request.run.state:
        case "choosing":
            return await _choice(run_request)
        case "review":
            return await _review(run_request, is_name_refused=is_name_refused)
        case _:
            return await _progress(run_request, is_name_refused=is_name_refused)


async def _choice(run_request: RunRequest, *, refusal: Refusal | None = None, status: int = 200) -> HttpResponse:
    """The form of the operation; as typed, else as chosen before."""
    order = run_request.run.order
    if order is not None and order.undo is not None:
        return run_request.page("bulk/undo.html", {})
    typed = (
        run_request.request.POST.dict() if refusal is not None else form_values_of(order) if order is not None else {}
    )
    items = await run_request.items()
    patch, delete, schema = await asyncio.gather(
        verb_limit(run_request, items, "patch"), verb_limit(run_request, items, "delete"), run_request.schema()
    )
    verb = "delete" if patch.is_denied_everywhere and not delete.is_denied_everywhere else "label"
    form = {"verb": verb, "grace": "default", "propagation": "Background", **typed}
    context: dict[str, object] = {
        "form": form,
        "refusal": refusal,
        "patch": patch,
        "delete": delete,
        "strategic": schema.strategic,
    }
    return run_request.page("bulk/choose.html", context, status=status)


async def _review(run_request: RunRequest, *, is_name_refused: bool) -> HttpResponse:
    items = await run_request.items()
    groups = await run_request.app_state[BULK_RUNNER].store.groups(run_request.run.key)
    changes = await filter_changes(run_request, items)
    deletes = run_request.run.order is not None and run_request.run.order.deletes
    context: dict[str, object] = {
        **_name_context(run_request, is_name_refused=is_name_refused),
        "filter_changes": changes,
        "list_query": urlsplit(run_request.run.back).query,
        "dependents": await count_dependents(run_request, items) if deletes else (),
    }
    # Grouping and rendering 10,000 objects takes long, so it is done off the event loop.
    return await asyncio.to_thread(_review_page, run_request, items, groups, context)


def _review_page(
    run_request: RunRequest,
    items: tuple[Item, ...],
    changes: tuple[ChangeGroup, ...],
    context_of_run: dict[str, object],
) -> HttpResponse:
    groups = review_groups(items, changes)
    pages = max(1, -(-len(groups) // GROUPS_PER_PAGE))
    typed = run_request.request.GET.get("page", "1")
    number = min(max(int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 6 else 1, 1), pages)
    shown = groups[(number - 1) * GROUPS_PER_PAGE : number * GROUPS_PER_PAGE]
    all_added = added_items(groups)
    unlisted = max((change.more_added_count for change in changes), default=0)
    context: dict[str, object] = {
        **_shared_context(run_request, items),
        **context_of_run,
        "groups": [(group, effect_texts(group.items, run_request.kind)) for group in shown],
        "added_items": all_added[:MAX_ADDED_ITEMS],
        "more_added_count": max(0, len(all_added) - MAX_ADDED_ITEMS) + unlisted,
        "is_more_added": bool(unlisted),
        "pod_totals": _pod_totals(run_request, groups),
        "group_count": len(groups),
        "number": number,
        "pages": pages,
    }
    return run_request.page("bulk/review.html", context, status=422 if context["is_name_refused"] else 200)


def _pod_totals(run_request: RunRequest, groups: list[ReviewGroup]) -> tuple[str, ...]:
    """Total effects on pods; a deletion and a run of an older version have none."""
    items = [item for group in groups for item in group.items]
    has_effects = (
        run_request.run.order is not None
        and not (run_request.run.order.deletes or run_request.run.order.creates)
        and all(item.stored_fingerprint for item in items)
    )
    is_known = all(group.leaves_pods or all(item.effects for item in group.items) for group in groups)
    return pod_totals(items, run_request.kind, is_known=is_known) if items and has_effects else ()


def _name_context(run_request: RunRequest, *, is_name_refused: bool) -> dict[str, object]:
    typed_name = run_request.name_to_type
    is_name_refused = is_name_refused and typed_name is not None
    return {
        "typed_name": typed_name.refused if typed_name is not None and is_name_refused else typed_name,
        "is_name_refused": is_name_refused,
    }


async def _progress(run_request: RunRequest, *, is_name_refused: bool = False) -> HttpResponse:
    lost = run_request.run.lost(run_request.app_state[CLOCK].time())
    if run_request.run.is_active and not lost:
        return run_request.page("bulk/progress.html", {"lost": lost, "hidden_count": 0})
    name = _name_context(run_request, is_name_refused=is_name_refused)
    return await asyncio.to_thread(_outcome, run_request, await run_request.items(), {"lost": lost, **name})


def _outcome(run_request: RunRequest, items: tuple[Item, ...], context: dict[str, object]) -> HttpResponse:
    status = 422 if context["is_name_refused"] else 200
    return run_request.page("bulk/progress.html", {**context, **_shared_context(run_request, items)}, status=status)


def _shared_context(run_request: RunRequest, items: tuple[Item, ...]) -> dict[str, object]:
    """Groups of the objects without a change or result, and the commands."""
    order = run_request.run.order
    lines, number = (
        kubectl_commands(run_request.kind.key, order, items, MAX_SHOWN_COMMANDS) if order is not None else ([], 0)
    )
    return {
        "title": VERB_TITLES[order.verb] if order is not None else "",
        "hidden_count": run_request.run.total - len(items),
        "changed": groups_by_message(items, "changed"),
        "refused": groups_by_message(items, "refused"),
        "failed": groups_by_message(items, "failed"),
        "gone": groups_by_message(items, "gone"),
        "same": groups_by_message(items, "same"),
        "drifted": drift_groups(items),
        "can_retry": any(item.state == "failed" and item.fingerprint for item in items),
        "max_groups": GROUPS_PER_PAGE,
        "commands": lines,
        "more_command_count": number - len(lines),
    }
