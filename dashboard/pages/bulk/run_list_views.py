"""List of bulk runs: one's own, and those of others that changed what one may see."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.identity import Identity, browser_of, user_of
from dashboard.access.rights import RIGHTS
from dashboard.cluster.connection import CONNECTION
from dashboard.objects.kinds.catalog import kind_of
from dashboard.pages.bulk.operation import VERB_TITLES
from dashboard.pages.bulk.request_context import RunRequest, require_database
from dashboard.pages.bulk.run import Run
from dashboard.pages.bulk.runner import BULK_RUNNER
from dashboard.pages.bulk.store import MOST_RUNS, RETENTION_SECONDS, UNBEGUN_RETENTION_SECONDS, NewerVersion
from dashboard.pages.layout.page import page_info
from dashboard.runtime.app_state import CLOCK, state_of

MAX_CHECKED_ITEMS = 20_000
"""Most objects of the runs of others that are looked at to tell which runs somebody may see."""
MAX_LISTED_RUNS = 30
"""Most runs of others that are listed."""


@require_safe
@require_database
async def run_list(request: HttpRequest) -> HttpResponse:
    """The runs of whoever asks, and those of others that wrote something which they may see; the newest first."""
    state, identity = state_of(request), Identity(user_of(request), browser_of(request))
    store, server, now = state[BULK_RUNNER].store, state[CONNECTION].cluster.server, state[CLOCK].time()
    runs = await store.runs(identity, server) if identity.owner or identity.browser else ()
    others = await _others_runs(request, await store.written_by_others(identity, server))
    shown = [
        {
            "run": run,
            "kind": kind_of(run.resource).with_resource(run.resource),
            "title": VERB_TITLES[run.order.verb] if run.order is not None else "",
            "lost": run.lost(now),
        }
        for run in runs
    ]
    page = page_info(request, title="Bulk changes", key="runs")
    context = {
        "page": page,
        "runs": shown,
        "others": others,
        "is_signed_in": bool(identity.owner),
        "days": round(RETENTION_SECONDS / 86400),
        "unbegun_hours": round(UNBEGUN_RETENTION_SECONDS / 3600),
        "max_runs": MOST_RUNS,
    }
    response = render(request, "bulk/run_list.html", context)
    response["Cache-Control"] = "no-store"
    return response


async def _others_runs(request: HttpRequest, runs: Iterable[Run]) -> list[dict[str, object]]:
    """The newest MAX_LISTED_RUNS runs of others that wrote something which may be seen, for the list. Of kinds that
    somebody sees only in part, MAX_CHECKED_ITEMS objects are looked at; runs for which these do not suffice are left
    out.
    """
    state, left = state_of(request), MAX_CHECKED_ITEMS
    found: list[dict[str, object]] = []
    for run in runs:
        if run.is_newer or run.order is None or len(found) >= MAX_LISTED_RUNS:
            continue
        run_request = RunRequest(request, state, run, kind_of(run.resource).with_resource(run.resource), is_own=False)
        number = run.written_count
        if not state[RIGHTS].may_list(run.resource.key, "", ""):  # all of them
            if run.total > left:
                continue
            left -= run.total
            try:
                number = len(await run_request.shown_items())
            except NewerVersion:
                continue
        if number:
            words = {"run": run, "kind": run_request.kind, "title": VERB_TITLES[run.order.verb]}
            found.append({**words, "started_by": run_request.started_by, "done_count": number})
    return found
