"""History of bulk runs, and their files: a result for each object, and the kubectl commands."""

from __future__ import annotations

import asyncio
import csv
import io

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.identity import Identity, browser_of, user_of
from dashboard.cluster.connection import CONNECTION
from dashboard.objects.kinds.catalog import kind_of
from dashboard.pages.bulk.kubectl import kubectl_commands
from dashboard.pages.bulk.operation import VERB_TITLES
from dashboard.pages.bulk.run import Item
from dashboard.pages.bulk.run_request import open_run_request, require_database
from dashboard.pages.bulk.runner import BULK_RUNS
from dashboard.pages.bulk.store import MOST_RUNS, RETENTION_SECONDS
from dashboard.pages.layout.page import page_info
from dashboard.pages.lists.export import escape_formula
from dashboard.pages.writes.unavailable import unavailable_as_page
from dashboard.runtime.app_state import CLOCK, state_of


@require_safe
@require_database
@unavailable_as_page
async def results_csv(request: HttpRequest, resource: str, key: str) -> HttpResponse:
    """The result of each object, as CSV."""
    run_request = await open_run_request(request, resource, key)
    text = await asyncio.to_thread(_table, await run_request.items())
    return _file(text, f"{run_request.kind.resource.plural}-results.csv", "text/csv")


@require_safe
@require_database
@unavailable_as_page
async def commands_text(request: HttpRequest, resource: str, key: str) -> HttpResponse:
    """The equivalent kubectl commands, one for each line."""
    run_request = await open_run_request(request, resource, key)
    operation = run_request.run.order
    lines: list[str] = []
    if operation is not None:
        lines, _ = await asyncio.to_thread(kubectl_commands, run_request.kind.key, operation, await run_request.items())
    return _file(
        "".join(f"{line}\n" for line in lines), f"{run_request.kind.resource.plural}-commands.txt", "text/plain"
    )


def _table(items: tuple[Item, ...]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("namespace", "name", "uid", "result", "why", "api_server"))
    for item in items:
        cells = (item.namespace, item.name, item.uid, item.state, item.words, item.said)
        writer.writerow([escape_formula(cell) for cell in cells])
    return text.getvalue()


def _file(text: str, name: str, content_type: str) -> HttpResponse:
    response = HttpResponse(text, content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response


@require_safe
@require_database
async def run_history(request: HttpRequest) -> HttpResponse:
    """All stored runs, the newest first."""
    state, identity = state_of(request), Identity(user_of(request), browser_of(request))
    runs = await state[BULK_RUNS].store.runs(identity, state[CONNECTION].cluster.server) if identity.browser else ()
    now = state[CLOCK].time()
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
    context = {"page": page, "runs": shown, "days": round(RETENTION_SECONDS / 86400), "max_runs": MOST_RUNS}
    response = render(request, "bulk/history.html", context)
    response["Cache-Control"] = "no-store"
    return response
