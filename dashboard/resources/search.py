"""Where the command palette leads: pages, kinds, namespaces, and objects by name, of what this process has cached."""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.context import LiveParts, live_of
from dashboard.live.lines import object_href
from dashboard.live.messages import Row
from dashboard.resources.kinds import KindInfo
from dashboard.resources.page_info import namespace_names

PAGES = (("Overview", "/", "overview"), ("Feed", "/feed/", "feed"), ("Controllers", "/controllers/", "loop"))
MOST = 20
"""Objects found at most."""
MOST_PLACES = 8
"""Namespaces found at most."""
LONGEST = 253
"""Characters of what is looked for: no name is longer."""
SLICE = 0.005
"""Seconds of looking before everybody else on the event loop has a turn."""
STEP = 256
"""Rows between two looks at the clock."""

Rank = tuple[int, int, str, str, str]
"""Names that are it, begin with it, hold it; the shorter first."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line of the palette."""

    title: str
    about: str
    href: str
    icon: str


@require_safe
async def search(request: HttpRequest) -> HttpResponse:
    """The lines for ``q``, for palette.js; of objects at most MOST, and none while nothing is typed."""
    live = live_of(request)
    text = request.GET.get("q", "").strip().casefold()[:LONGEST]
    places = [Hit(title, "page", href, icon) for title, href, icon in PAGES if text in title.casefold()]
    places += [Hit(kind.title, "kind", kind.path, kind.icon) for kind in live.kinds if _is_called(kind, text)]
    if text:
        places += _namespaces(live, text)
    found = await _objects(live, text) if text else []
    unread = [kind.title for kind in live.kinds if live.replicas.get(kind.key).state == "starting"]
    context = {"places": places, "objects": found, "more": len(found) == MOST, "text": text, "unread": unread}
    response = render(request, "_hits.html", {**context, "count": len(places) + len(found)})
    response["Cache-Control"] = "no-store"
    return response


def _is_called(kind: KindInfo, text: str) -> bool:
    return any(text in name.casefold() for name in (kind.title, kind.singular, kind.key))


def _namespaces(live: LiveParts, text: str) -> list[Hit]:
    kind = next((kind for kind in live.kinds if kind.namespaced), None)
    names = [name for name in namespace_names(live) if text in name][:MOST_PLACES] if kind is not None else []
    return [
        Hit(name, f"namespace, its {kind.title}", f"{kind.path}?namespace={name}", "namespaces")
        for name in names
        if kind is not None
    ]


async def _objects(live: LiveParts, text: str) -> list[Hit]:
    kinds = {kind.key: kind for kind in live.kinds}
    best: list[tuple[Rank, str]] = []
    async for key, row in _rows(live, kinds):
        name = row.name.casefold()
        if text in name:
            rank = 0 if name == text else 1 if name.startswith(text) else 2
            best.append(((rank, len(name), name, row.namespace, key), row.name))
            if len(best) > STEP:
                best = heapq.nsmallest(MOST, best)
    return [_hit(kinds[key], namespace, name) for (_, _, _, namespace, key), name in heapq.nsmallest(MOST, best)]


async def _rows(live: LiveParts, keys: Iterable[str]) -> AsyncIterator[tuple[str, Row]]:
    """Every cached row of these kinds, in slices: the rows of a kind are those of one moment."""
    end = time.perf_counter() + SLICE
    for key in keys:
        for number, row in enumerate(list(live.replicas.get(key).rows.values())):
            if number % STEP == 0 and time.perf_counter() >= end:
                await asyncio.sleep(0)
                end = time.perf_counter() + SLICE
            yield key, row


def _hit(kind: KindInfo, namespace: str, name: str) -> Hit:
    about = f"{kind.singular} in {namespace}" if namespace else kind.singular
    return Hit(name, about, object_href(kind.key, namespace, name), kind.icon)
