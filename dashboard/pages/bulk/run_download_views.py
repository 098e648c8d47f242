"""Downloads of a bulk run: the result of each object as CSV, and the kubectl commands as text."""

from __future__ import annotations

import asyncio
import csv
import io

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.cluster.kubectl_commands import UNBOUND
from dashboard.pages.bulk.kubectl import kubectl_commands
from dashboard.pages.bulk.request_context import open_run_request, require_database
from dashboard.pages.bulk.run import Item
from dashboard.pages.layout.cross_site_requests import own_pages_only
from dashboard.pages.layout.page import kubectl_of
from dashboard.pages.writes.write_unavailable import unavailable_as_page
from dashboard.runtime.csv_lines import escape_formula

_WHICH_CLUSTER = "# kubectl takes the context that is current in your shell: first make sure that it is this cluster.\n"


@require_safe
@own_pages_only
@require_database
@unavailable_as_page
async def results_csv(request: HttpRequest, resource: str, key: str) -> HttpResponse:
    """The result of each object, as CSV; of somebody else's run those that were written."""
    run_request = await open_run_request(request, resource, key, others=True)
    text = await asyncio.to_thread(_table, await run_request.shown_items())
    return _file(text, f"{run_request.kind.resource.plural}-results.csv", "text/csv")


@require_safe
@own_pages_only
@require_database
@unavailable_as_page
async def commands_text(request: HttpRequest, resource: str, key: str) -> HttpResponse:
    """The equivalent kubectl commands, one for each line, below a remark where they name no cluster."""
    run_request = await open_run_request(request, resource, key)
    operation = run_request.run.order
    lines: list[str] = []
    if operation is not None:
        lines, _ = await asyncio.to_thread(kubectl_commands, run_request.kind.key, operation, await run_request.items())
    kubectl = kubectl_of(run_request.app_state)
    text = "".join(f"{kubectl} {line}\n" for line in lines)
    remark = _WHICH_CLUSTER if kubectl == UNBOUND else ""
    return _file(remark + text, f"{run_request.kind.resource.plural}-commands.txt", "text/plain")


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
