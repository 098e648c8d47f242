"""Where the command palette leads: pages, kinds, namespaces, and objects by name, of what this process has cached."""

from __future__ import annotations

import asyncio
import heapq
import time
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.context import LiveParts, live_of
from dashboard.live.messages import Row
from dashboard.resources.kinds import KindInfo, kind_of
from dashboard.resources.namespaces import namespace_names
from dashboard.resources.words import object_href

PAGES = (
    ("Overview", "/", "overview"),
    ("Feed", "/feed/", "feed"),
    ("Controllers", "/controllers/", "loop"),
    ("Drafts", "/drafts/", "edit"),
    ("Changes of many", "/runs/", "edit"),
    ("New from YAML", "/new/", "added"),
)
MOST = 20
"""Objects found at most."""
MOST_KINDS = 12
"""Kinds that nobody follows found at most."""
MOST_PLACES = 8
"""Namespaces found at most."""
LONGEST = 253
"""Characters of what is looked for: no name is longer."""
SLICE = 0.005
"""Seconds of looking before everybody else on the event loop has a turn."""
STEP = 256
"""Rows between two looks at the clock."""

NEW = "new "
"""What is typed to make an object: ``new mydemo``."""

IS, BEGINS, HOLDS = range(3)
Rank = tuple[int, int, str, str, str]
"""Names that are it, begin with it, hold it; the shorter first."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line of the palette."""

    title: str
    about: str
    href: str
    icon: str
    list_href: str = ""
    """Of an object: the list that may show it beside its rows."""
    key: str = ""
    """Of an object: ``namespace/name`` as such a list's address has it."""


@require_safe
async def search(request: HttpRequest) -> HttpResponse:
    """The lines for ``q``, for palette.js; of objects at most MOST, and none while nothing is typed."""
    live = live_of(request)
    text = request.GET.get("q", "").strip().lower()[:LONGEST]
    places = [Hit(title, "page", href, icon) for title, href, icon in PAGES if text in title.lower()]
    kinds = _kinds(live, text.removeprefix(NEW).strip())
    if not text.startswith(NEW):
        places += [Hit(kind.title, "kind", kind.path, kind.icon) for kind in kinds]
    if text:
        places += [Hit(f"New {kind.singular}", "make one", kind.new_path, "added") for kind in kinds if kind.creatable]
    if text:
        places += _namespaces(live, text)
    found = await _objects(live, text) if text else []
    unread = [kind.title for kind in live.kinds if live.replicas.get(kind.key).state == "starting"]
    context = {"places": places, "objects": found, "more": len(found) == MOST, "text": text, "unread": unread}
    context["searched"] = [kind.title for kind in live.kinds if kind.title not in unread]
    response = render(request, "_hits.html", {**context, "count": len(places) + len(found)})
    response["Cache-Control"] = "no-store"
    return response


def _kinds(live: LiveParts, text: str) -> list[KindInfo]:
    """Those that are followed, and once something is typed all others of the cluster."""
    followed = [kind for kind in live.kinds if _is_called(kind, text)]
    if not text:
        return followed
    there = {kind.key for kind in live.kinds}
    others = (kind_of(each.resource) for key, each in live.census.kinds.items() if key not in there)
    return followed + sorted((kind for kind in others if _is_called(kind, text)), key=_by_title)[:MOST_KINDS]


def _by_title(kind: KindInfo) -> tuple[str, str]:
    return kind.title, kind.key


def _is_called(kind: KindInfo, text: str) -> bool:
    return text in kind.names or any(text in name.lower() for name in (kind.title, kind.singular, kind.key))


def _namespaces(live: LiveParts, text: str) -> list[Hit]:
    kind = next((kind for kind in live.kinds if kind.namespaced), None)
    names = [name for name in namespace_names(live) if text in name][:MOST_PLACES] if kind is not None else []
    return [
        Hit(name, f"namespace, its {kind.title}", f"{kind.path}?namespace={name}", "namespaces")
        for name in names
        if kind is not None
    ]


async def _objects(live: LiveParts, text: str) -> list[Hit]:
    """The best of what is cached, in slices: the rows of a kind are those of one moment."""
    kinds = {kind.key: kind for kind in live.kinds}
    best: list[tuple[Rank, str]] = []
    longest = LONGEST
    end = time.perf_counter() + SLICE
    for key in kinds:
        rows = list(live.replicas.get(key).rows.values())
        for start in range(0, len(rows), STEP):
            found = [row for row in rows[start : start + STEP] if text in row.name.lower()]
            best += [(_rank(text, key, row), row.name) for row in found if _may_be_among(row.name, text, longest)]
            if len(best) > STEP:
                best = heapq.nsmallest(MOST, best)
                longest = best[-1][0][1] if best[-1][0][0] == HOLDS else 0
            if time.perf_counter() >= end:
                await asyncio.sleep(0)
                end = time.perf_counter() + SLICE
    return [_hit(kinds[key], namespace, name) for (_, _, _, namespace, key), name in heapq.nsmallest(MOST, best)]


def _may_be_among(name: str, text: str, longest: int) -> bool:
    """Whether a name that holds the text may be better than the worst of the best so far."""
    return len(name) <= longest or name.lower().startswith(text)


def _rank(text: str, key: str, row: Row) -> Rank:
    name = row.name.lower()
    return (IS if name == text else BEGINS if name.startswith(text) else HOLDS), len(name), name, row.namespace, key


def _hit(kind: KindInfo, namespace: str, name: str) -> Hit:
    about = f"{kind.singular} in {namespace}" if namespace else kind.singular
    href = object_href(kind.key, namespace, name)
    return Hit(name, about, href, kind.icon, kind.path, f"{namespace or '-'}/{name}")
