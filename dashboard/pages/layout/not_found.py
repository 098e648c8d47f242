"""What a 404 page says: what is missing, why, and what exists instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.context import LiveParts, live_of
from dashboard.live.detail_view import DetailView
from dashboard.live.on_demand import LATELY, MOST
from dashboard.live.replica import Replica
from dashboard.resources.kinds import KINDS, KindInfo
from dashboard.resources.namespaces import namespace_names
from dashboard.resources.opened import Unopened
from dashboard.resources.page_info import page_info
from dashboard.resources.words import duration, object_href

MOST_CHOICES = 12
MOST_COMPARED = 200
"""Names among which near ones are looked for; more would hold up the loop."""
FOLLOWED = "Kinds that are followed here"


@dataclass(frozen=True, slots=True)
class Link:
    """Something that exists."""

    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Missing:
    """What `missing` is in resources/missing.html."""

    title: str
    message: str
    choices: tuple[Link, ...] = ()
    choices_title: str = ""


def missing_page(
    request: HttpRequest, missing: Missing, *, key: str = "", status: int = 404, view: DetailView | None = None
) -> HttpResponse:
    """The page that says so. Its socket carries the heartbeat only, unless it has a view of what is missing."""
    page = page_info(request, title="Not found", key=key, view=view)
    context = {"page": page, "missing": missing, "view": view}
    return render(request, "resources/missing.html", context, status=status)


@require_safe
async def unknown_address(request: HttpRequest, path: str) -> HttpResponse:
    """The page for an address that means nothing."""
    message = f"Nothing lives at /{path}. There are the overview, the feed, the controllers, and these lists."
    return missing_page(request, Missing("There is no such page", message, _kind_links(live_of(request)), "Lists"))


def missing_kind(request: HttpRequest, name: str, unopened: Unopened) -> HttpResponse:
    """The page for a kind that cannot be opened."""
    live = live_of(request)
    if unopened.full and unopened.kind is not None:
        response = missing_page(request, _full(live, unopened.kind), status=503)
        response["Retry-After"] = str(int(LATELY))
        return response
    kind = unopened.kind
    return missing_page(request, _unknown_kind(live, name) if kind is None else _unlisted_kind(live, kind, unopened))


def missing_object(
    request: HttpRequest, kind: KindInfo, namespace: str, name: str, *, view: DetailView | None = None
) -> HttpResponse:
    """The page for an object that the cluster does not have; with its view the object appears there once there is one.

    That may be at once: what was created a moment ago, the watch may not have said yet.
    """
    missing = _missing_object(live_of(request), kind, namespace, name)
    can_be = bool(namespace) == kind.namespaced
    return missing_page(request, missing, key=kind.key, view=view if can_be else None)


def _unknown_kind(live: LiveParts, name: str) -> Missing:
    keys = {word: kind.key for kind in (*KINDS.values(), *live.kinds) for word in kind.names}
    near = dict.fromkeys(keys[word] for word in difflib.get_close_matches(name.lower(), keys, n=4))
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    message = f"Nothing is called {name!r}.{meant} Kinds are named as in kubectl: pods, mydemos.crddemo.k8s.io."
    return Missing("There is no such kind", message, _kind_links(live), FOLLOWED)


def _unlisted_kind(live: LiveParts, kind: KindInfo, unopened: Unopened) -> Missing:
    if unopened.verbs is not None:
        verbs = ", ".join(sorted(unopened.verbs)) or "nothing"
        message = f"A list needs the verb list, and the API server has only {verbs} for {kind.key}."
        return Missing(f"{kind.title} cannot be listed", message, _kind_links(live), FOLLOWED)
    message = f"The API server has no resource {kind.key}, so there is nothing to show."
    return Missing("There is no such kind in this cluster", message, _kind_links(live), FOLLOWED)


def _full(live: LiveParts, kind: KindInfo) -> Missing:
    message = (
        f"{MOST} kinds beyond those of DELTABOARD_KINDS are being looked at already, and more would burden the API "
        f"server. Try again when one of them has been left for a minute, or have {kind.key} among DELTABOARD_KINDS. "
        f"Until then, kubectl get {kind.key} lists them."
    )
    return Missing(f"{kind.title} are not followed", message, _kind_links(live), FOLLOWED)


def _missing_object(live: LiveParts, kind: KindInfo, namespace: str, name: str) -> Missing:
    replica = live.replicas.get(kind.key)
    where = f" in namespace {namespace}" if namespace else ""
    title = f"There is no {kind.singular} {name}{where}"
    if replica.health.state == "absent":
        return Missing(title, f"The API server has no resource {kind.key} yet.", (Link(kind.title, kind.path),))
    if kind.namespaced and not namespace:
        message = f"{kind.title} live in namespaces: the address is {kind.path}<namespace>/{name}/."
        found = _namesakes(kind, replica, name)
        return Missing(title, message, found or _list_link(kind), "Objects of that name" if found else "")
    if namespace and not kind.namespaced:
        message = f"{kind.title} belong to no namespace: a dash stands in its place in the address."
        return Missing(title, message, (Link(name, object_href(kind.key, "", name)),), "The address without it")
    deleted = _deleted(live, replica, namespace, name)
    if not deleted and namespace and (names := namespace_names(live)) and namespace not in names:
        near = difflib.get_close_matches(namespace, names, n=MOST_CHOICES, cutoff=0.5) or names[:MOST_CHOICES]
        links = tuple(Link(other, f"{kind.path}?namespace={other}") for other in sorted(near))
        return Missing(title, f"There is no namespace {namespace} either.", links, f"{kind.title} in other namespaces")
    links, links_title = _near(kind, replica, namespace, name)
    message = deleted or f"The cluster has no {kind.singular} of this name{where}."
    return Missing(title, message, links, links_title)


def _deleted(live: LiveParts, replica: Replica, namespace: str, name: str) -> str:
    for entry in reversed(replica.entries):
        if (entry.namespace, entry.name) == (namespace, name):
            if entry.op != "deleted":
                return ""
            ago = duration(max(0.0, live.clock.time() - entry.time))
            more = "" if entry.words in ("", entry.op) else f" ({entry.words})"
            return f"It was deleted {ago} ago{more}."
    return ""


def _near(kind: KindInfo, replica: Replica, namespace: str, name: str) -> tuple[tuple[Link, ...], str]:
    """Objects of the same namespace whose names are alike, or else the first ones."""
    names = sorted(row.name for row in replica.rows.values() if row.namespace == namespace)
    pool = names if len(names) <= MOST_COMPARED else [other for other in names if other[:4] == name[:4]]
    near = difflib.get_close_matches(name, pool[:MOST_COMPARED], n=MOST_CHOICES, cutoff=0.5)
    where = f" in {namespace}" if namespace else ""
    title = f"{kind.title}{where} with names like it" if near else f"{kind.title}{where}"
    links = _links(kind, ((namespace, other) for other in sorted(near) or names[:MOST_CHOICES]))
    return links or _list_link(kind), title


def _namesakes(kind: KindInfo, replica: Replica, name: str) -> tuple[Link, ...]:
    found = sorted((row.namespace, row.name) for row in replica.rows.values() if row.name == name)
    return _links(kind, found[:MOST_CHOICES])


def _links(kind: KindInfo, names: Iterable[tuple[str, str]]) -> tuple[Link, ...]:
    return tuple(
        Link(f"{namespace}/{name}" if namespace else name, object_href(kind.key, namespace, name))
        for namespace, name in names
    )


def _list_link(kind: KindInfo) -> tuple[Link, ...]:
    return (Link(f"all {kind.title}", kind.path),)


def _kind_links(live: LiveParts) -> tuple[Link, ...]:
    return tuple(Link(kind.title, kind.path) for kind in live.kinds)
