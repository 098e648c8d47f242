"""The runs of a browser: a page that was closed is found again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.bulk.order import WORDS
from dashboard.bulk.place import with_database
from dashboard.bulk.records import KEPT_FOR, MOST_RUNS
from dashboard.drafts.cookies import browser_of
from dashboard.drafts.draft import Whose
from dashboard.live.context import live_of, user_of
from dashboard.resources.kinds import kind_of
from dashboard.resources.page_info import page_info


@require_safe
@with_database
async def runs(request: HttpRequest) -> HttpResponse:
    """All that are kept, the newest first."""
    live, whose = live_of(request), Whose(user_of(request), browser_of(request))
    found = await live.bulks.records.runs(whose, live.cluster.server) if whose.browser else ()
    now = live.clock.time()
    shown = [
        {
            "run": run,
            "kind": kind_of(run.resource).with_resource(run.resource),
            "what": WORDS[run.order.verb] if run.order is not None else "",
            "lost": run.lost(now),
        }
        for run in found
    ]
    page = page_info(request, title="Changes of many", key="runs")
    context = {"page": page, "runs": shown, "days": round(KEPT_FOR / 86400), "most": MOST_RUNS}
    response = render(request, "bulk/runs.html", context)
    response["Cache-Control"] = "no-store"
    return response
