"""Search of the command palette: pages, kinds, namespaces, and cached objects by name."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.api_group_projects import project_of
from dashboard.objects.kinds.catalog import CUSTOM, KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.kinds.search_rank import EXACT, PREFIX, SUBSTRING, kind_rank
from dashboard.pages.layout.kinds_sidebar import MOST_RECENT, all_kinds, favourite_keys, recent_keys
from dashboard.pages.layout.namespaces import namespace_limit, namespace_names
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.text_with_links import object_href
from dashboard.runtime.time_slicing import in_turns

PAGES = (
    ("Overview", "/", "overview"),
    ("Feed", "/feed/", "feed"),
    ("Controllers", "/controllers/", "loop"),
    ("Who am I", "/whoami/", "user"),
    ("Drafts", "/drafts/", "edit"),
    ("Bulk changes", "/runs/", "edit"),
    ("New from YAML", "/new/", "added"),
    ("All kinds", "/kinds/all/", "custom"),
    ("Status of Deltaboard", "/status/", "info"),
)
AUDIT_PAGE = ("Who did what", "/audit/", "user")
"""The page of the audit log, where it is kept."""
MAX_OBJECTS = 20
"""Most objects in a result."""
MOST_KINDS = 15
"""Most kinds in a result."""
MOST_NEW = 3
"""Most kinds of which a result offers to create an object, unless that is what is asked for."""
MOST_NAMESPACES = 8
"""Most namespaces in a result."""
MAX_QUERY_LENGTH = 253
"""Longest search text, in characters: no name is longer."""
MOST_UNSORTED = 256
"""Matches that are gathered before the best of them are kept."""
NEW_PREFIX = "new "
"""Prefix that asks to create an object: ``new mydemo``."""

Rank = tuple[int, int, str, str, str]
"""Ranks: names that equal the text, start with it, contain it; shorter names first."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line of the palette."""

    title: str
    description: str
    href: str
    icon: str
    list_href: str = ""
    """Of an object: the list that can show it in a drawer."""
    key: str = ""
    """Of an object: ``namespace/name`` as the list's address has it."""


@require_safe
async def search(request: HttpRequest) -> HttpResponse:
    """The lines for ``q``, for page/command_palette.js: MAX_OBJECTS objects at most, and none for an empty text."""
    state = state_of(request)
    text = request.GET.get("q", "").strip().lower()[:MAX_QUERY_LENGTH]
    kinds = _kinds(request, text.removeprefix(NEW_PREFIX).strip())
    if text.startswith(NEW_PREFIX):
        places = [_new_hit(kind) for kind in kinds if kind.creatable]
    else:
        places = _pages_and_kinds(text, kinds)
        places += [_new_hit(kind) for kind in kinds[:MOST_NEW] if kind.creatable] if text else []
    if text:
        places += _namespaces(state, text)
    objects = await _objects(state, text) if text else []
    unread = [kind.title for kind in state[REPLICAS].kinds if state[REPLICAS].get(kind.key).state == "starting"]
    context = {
        "places": places,
        "objects": objects,
        "has_more": len(objects) == MAX_OBJECTS,
        "text": text,
        "unread_kinds": unread,
        "limit": namespace_limit(state),
    }
    context["searched_kinds"] = [kind.title for kind in state[REPLICAS].kinds if kind.title not in unread]
    response = render(request, "layout/_command_palette_hits.html", {**context, "count": len(places) + len(objects)})
    response["Cache-Control"] = "no-store"
    return response


def _pages_and_kinds(text: str, kinds: Sequence[KindInfo]) -> list[Hit]:
    """Pages and kinds, the best first; of those that fit as well as each other, pages come first."""
    pages = PAGES if settings.DELTABOARD_AUDIT == "off" else (*PAGES, AUDIT_PAGE)
    ranked = [(_page_rank(title, text), Hit(title, "page", href, icon)) for title, href, icon in pages]
    hits = [(rank, hit) for rank, hit in ranked if rank is not None]
    for kind in kinds:
        rank = kind_rank(kind, text)
        hits.append((rank[0] if rank is not None and text else PREFIX, _kind_hit(kind)))
    return [hit for _, hit in sorted(hits, key=itemgetter(0))]


def _page_rank(title: str, text: str) -> int | None:
    name = title.lower()
    return EXACT if name == text else PREFIX if name.startswith(text) else SUBSTRING if text in name else None


def _kinds(request: HttpRequest, text: str) -> list[KindInfo]:
    """The best kinds of the cluster; while the text is empty, favourites, recently opened and followed ones."""
    state = state_of(request)
    kinds = {kind.key: kind for kind in all_kinds(state)}
    if not text:
        followed = [kind.key for kind in state[REPLICAS].kinds]
        first = [*favourite_keys(request), *recent_keys(request)[:MOST_RECENT]]
        return [kinds[key] for key in dict.fromkeys([*first, *followed]) if key in kinds]
    ranked = [(rank, kind) for kind in kinds.values() if (rank := kind_rank(kind, text)) is not None]
    return [kind for _, kind in heapq.nsmallest(MOST_KINDS, ranked, key=itemgetter(0))]


def _kind_hit(kind: KindInfo) -> Hit:
    """A kind with what else it is called: its project or API group, and its short names."""
    resource = kind.resource
    about = [project_of(resource) or ("kind" if kind.is_name_shared or kind.group_title != CUSTOM else resource.group)]
    if resource.short_names:
        about.append(", ".join(resource.short_names))
    return Hit(kind.title, " · ".join(about), kind.path, kind.icon)


def _new_hit(kind: KindInfo) -> Hit:
    return Hit(f"New {kind.singular}", "create one", kind.new_path, "added")


def _namespaces(state: AppState, text: str) -> list[Hit]:
    kind = next((kind for kind in state[REPLICAS].kinds if kind.namespaced), None)
    names = [name for name in namespace_names(state) if text in name][:MOST_NAMESPACES] if kind is not None else []
    return [
        Hit(name, f"namespace, its {kind.title}", f"{kind.path}?namespace={name}", "namespaces")
        for name in names
        if kind is not None
    ]


async def _objects(state: AppState, text: str) -> list[Hit]:
    """The best matches among cached objects, in slices."""
    kinds = {kind.key: kind for kind in state[REPLICAS].kinds}
    best: list[tuple[Rank, str]] = []
    worst: Rank | None = None
    steps = ((key, rows) for key in kinds for rows in state[REPLICAS].get(key).find_by_name(text))
    async for key, rows in in_turns(steps):
        for row in rows:
            rank = _rank(text, key, row)
            if worst is None or rank < worst:
                best.append((rank, row.name))
                if len(best) >= MOST_UNSORTED:
                    best = heapq.nsmallest(MAX_OBJECTS, best)
                    worst = best[-1][0]
    return [_hit(kinds[key], namespace, name) for (_, _, _, namespace, key), name in heapq.nsmallest(MAX_OBJECTS, best)]


def _rank(text: str, key: str, row: Row) -> Rank:
    name = row.name.lower()
    return (
        (EXACT if name == text else PREFIX if name.startswith(text) else SUBSTRING),
        len(name),
        name,
        row.namespace,
        key,
    )


def _hit(kind: KindInfo, namespace: str, name: str) -> Hit:
    about = f"{kind.singular} in {namespace}" if namespace else kind.singular
    href = object_href(kind.key, namespace, name)
    return Hit(name, about, href, kind.icon, kind.path, f"{namespace or '-'}/{name}")
