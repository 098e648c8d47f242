"""The files of a run: a result for each object, and the kubectl commands."""

from __future__ import annotations

import asyncio
import csv
import io

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.bulk.command import commands
from dashboard.bulk.place import place_of, with_database
from dashboard.bulk.run import Item
from dashboard.resources.export import harmless


@require_safe
@with_database
async def results(request: HttpRequest, resource: str, key: str) -> HttpResponse:
    """What became of each object, as CSV."""
    place = await place_of(request, resource, key)
    if isinstance(place, HttpResponse):
        return place
    text = await asyncio.to_thread(_table, await place.items())
    return _file(text, f"{place.kind.resource.plural}-results.csv", "text/csv")


@require_safe
@with_database
async def kubectl(request: HttpRequest, resource: str, key: str) -> HttpResponse:
    """The kubectl commands that do the same, a line each."""
    place = await place_of(request, resource, key)
    if isinstance(place, HttpResponse):
        return place
    order = place.run.order
    lines: list[str] = []
    if order is not None:
        lines, _ = await asyncio.to_thread(commands, place.kind.key, order, await place.items())
    return _file("".join(f"{line}\n" for line in lines), f"{place.kind.resource.plural}-commands.txt", "text/plain")


def _table(items: tuple[Item, ...]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("namespace", "name", "uid", "result", "why", "api_server"))
    for item in items:
        cells = (item.namespace, item.name, item.uid, item.state, item.words, item.said)
        writer.writerow([harmless(cell) for cell in cells])
    return text.getvalue()


def _file(text: str, name: str, content_type: str) -> HttpResponse:
    response = HttpResponse(text, content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response
