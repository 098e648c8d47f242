"""404 pages: they say what is missing, why, and what exists instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from dashboard.access.rights import RIGHTS
from dashboard.live.hub.live_view import LiveView
from dashboard.live.hub.namespace_limits import NamespaceLimit, limit_of
from dashboard.live.moments.history_objects import HISTORY
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KINDS, KindInfo
from dashboard.pages.layout.namespaces import namespace_names, unseen_text
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import UnavailableKind
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.counts_and_times import format_duration
from dashboard.runtime.read_only import is_past_shown
from dashboard.runtime.text_with_links import incident_href, object_href
from informerd.suggest import MAX_COMPARED, suggest_names

MOST_CHOICES = 12
FOLLOWED_KINDS_TITLE = "Followed kinds"


@dataclass(frozen=True, slots=True)
class ChoiceLink:
    """A link to something that exists."""

    title: str
    href: str


@dataclass(frozen=True, slots=True)
class NotFoundInfo:
    """Value of `missing` in layout/not_found.html."""

    title: str
    message: str
    choices: tuple[ChoiceLink, ...] = ()
    choices_title: str = ""
    incident_href: str = ""
    """Address of the time line of what was deleted."""
    history_href: str = ""
    """Address of the versions that objects of this name had."""


def not_found_page(
    request: HttpRequest,
    info: NotFoundInfo,
    *,
    key: str = "",
    status: int = 404,
    view: LiveView | None = None,
    title: str = "Not found",
) -> HttpResponse:
    """The 404 page. Its socket carries the heartbeat only, unless the missing object has a view."""
    page = page_info(request, title=title, key=key, view=view)
    context = {"page": page, "missing": info, "view": view}
    return render(request, "layout/not_found.html", context, status=status)


@csrf_exempt
async def unknown_address(request: HttpRequest, path: str) -> HttpResponse:
    """The 404 page for an address that names no page, whatever is sent to it: nothing of that is read."""
    message = f"There is no page at /{path}. Try the overview, the feed, the controllers, or one of these lists."
    return not_found_page(
        request, NotFoundInfo("There is no such page", message, _kind_links(state_of(request)), "Lists")
    )


def kind_not_found(request: HttpRequest, name: str, unavailable: UnavailableKind) -> HttpResponse:
    """The 404 page for a kind that cannot be opened."""
    state = state_of(request)
    kind = unavailable.kind
    if kind is None:
        return not_found_page(request, _unknown_kind(state, name))
    if unavailable.unseen_namespace:
        return not_found_page(request, _unseen_namespace(state, kind, unavailable.unseen_namespace), key=kind.key)
    return not_found_page(request, _unlisted_kind(state, kind, unavailable), key=kind.key)


def object_not_found(
    request: HttpRequest, kind: KindInfo, namespace: str, name: str, *, view: LiveView | None = None
) -> HttpResponse:
    """The 404 page for an object that the cluster does not have. With a view, the page shows the object when it
    appears.

    That may be soon: the watch may not have reported an object that was created a moment ago.
    """
    state = state_of(request)
    missing = _missing_object(state, kind, namespace, name)
    can_be = bool(namespace) == kind.namespaced
    if can_be and state[HISTORY] is not None:
        missing = replace(missing, history_href=f"{object_href(kind.key, namespace, name)}history/")
    return not_found_page(request, missing, key=kind.key, view=view if can_be else None)


def _unknown_kind(state: AppState, name: str) -> NotFoundInfo:
    keys = {word: kind.key for kind in (*KINDS.values(), *state[REPLICAS].kinds) for word in kind.names}
    near = dict.fromkeys(keys[word] for word in suggest_names(name, keys, 4, compared=None))
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    message = f"There is no kind {name!r}.{meant} Name kinds as in kubectl: pods, mydemos.crddemo.k8s.io."
    return NotFoundInfo("There is no such kind", message, _kind_links(state), FOLLOWED_KINDS_TITLE)


def _unlisted_kind(state: AppState, kind: KindInfo, unopened: UnavailableKind) -> NotFoundInfo:
    if unopened.verbs is not None:
        verbs = ", ".join(sorted(unopened.verbs)) or "nothing"
        message = f"A list needs the verb list, but the API server supports only {verbs} for {kind.key}."
        return NotFoundInfo(f"{kind.title} cannot be listed", message, _kind_links(state), FOLLOWED_KINDS_TITLE)
    message = f"The API server has no resource {kind.key}, so there is nothing to show."
    return NotFoundInfo("There is no such kind in this cluster", message, _kind_links(state), FOLLOWED_KINDS_TITLE)


def _unseen_namespace(state: AppState, kind: KindInfo, namespace: str) -> NotFoundInfo:
    limit = limit_of(state[REPLICAS].get(kind.key).health) or NamespaceLimit(())
    message = f"{unseen_text(namespace, limit)} Whether there are {kind.title} is not known here."
    links = tuple(ChoiceLink(name, f"{kind.path}?namespace={name}") for name in limit.namespaces[:MOST_CHOICES])
    return NotFoundInfo(
        f"Deltaboard does not see namespace {namespace}", message, links, f"{kind.title} in other namespaces"
    )


def _missing_object(state: AppState, kind: KindInfo, namespace: str, name: str) -> NotFoundInfo:
    replica = state[REPLICAS].get(kind.key)
    where = f" in namespace {namespace}" if namespace else ""
    is_limited = not state[RIGHTS].sees_all
    title = f"There is no {kind.singular} {name}{where}{' that you may see' if is_limited else ''}"
    if problem := replica.health.problem_of(f"{namespace}/{name}" if namespace else name):
        message = f"The API server has this object, but it cannot be read: {problem}. Use kubectl for it."
        return NotFoundInfo(f"{kind.singular} {name}{where} cannot be read", message, _list_link(kind))
    if replica.health.state == "absent":
        return NotFoundInfo(
            title, f"The API server has no resource {kind.key} yet.", (ChoiceLink(kind.title, kind.path),)
        )
    if kind.namespaced and not namespace:
        message = f"{kind.title} are namespaced: the address is {kind.path}<namespace>/{name}/."
        namesakes = _namesakes(kind, replica, name)
        return NotFoundInfo(
            title, message, namesakes or _list_link(kind), "Objects with this name" if namesakes else ""
        )
    if namespace and not kind.namespaced:
        message = f"{kind.title} are not namespaced: the address has a dash instead of a namespace."
        return NotFoundInfo(
            title, message, (ChoiceLink(name, object_href(kind.key, "", name)),), "The address without a namespace"
        )
    deleted = _deleted(state, replica, namespace, name)
    if not deleted and namespace and (names := namespace_names(state)) and namespace not in names:
        near = suggest_names(namespace, names, MOST_CHOICES, cutoff=0.5, compared=None) or names[:MOST_CHOICES]
        links = tuple(ChoiceLink(other, f"{kind.path}?namespace={other}") for other in sorted(near))
        absent = f"There is no namespace {namespace} either{', or you may not see it' if is_limited else ''}."
        return NotFoundInfo(title, absent, links, f"{kind.title} in other namespaces")
    links, links_title = _near(kind, replica, namespace, name)
    has, then = ("had", " then") if is_past_shown() else ("has", "")
    unseen = ", or you may not see it" if is_limited else ""
    message = deleted or f"The cluster {has} no {kind.singular} of this name{where}{then}{unseen}."
    return NotFoundInfo(title, message, links, links_title, incident_href(kind.key, namespace, name) if deleted else "")


def _deleted(state: AppState, replica: ReadableReplica, namespace: str, name: str) -> str:
    for entry in reversed(replica.entries):
        if (entry.namespace, entry.name) == (namespace, name):
            if entry.op != "deleted":
                return ""
            ago = format_duration(max(0.0, state[CLOCK].time() - entry.time))
            more = "" if entry.words in ("", entry.op) else f" ({entry.words})"
            return f"It was deleted {ago} ago{more}."
    return ""


def _near(kind: KindInfo, replica: ReadableReplica, namespace: str, name: str) -> tuple[tuple[ChoiceLink, ...], str]:
    """Objects of the same namespace with similar names, or else the first ones."""
    names = sorted(row.name for row in replica.rows.values() if row.namespace == namespace)
    pool = names if len(names) <= MAX_COMPARED else [other for other in names if other[:4] == name[:4]]
    near = suggest_names(name, pool, MOST_CHOICES, cutoff=0.5)
    where = f" in {namespace}" if namespace else ""
    title = f"{kind.title}{where} with similar names" if near else f"{kind.title}{where}"
    links = _links(kind, ((namespace, other) for other in sorted(near) or names[:MOST_CHOICES]))
    return links or _list_link(kind), title


def _namesakes(kind: KindInfo, replica: ReadableReplica, name: str) -> tuple[ChoiceLink, ...]:
    names = sorted((row.namespace, row.name) for row in replica.rows.values() if row.name == name)
    return _links(kind, names[:MOST_CHOICES])


def _links(kind: KindInfo, names: Iterable[tuple[str, str]]) -> tuple[ChoiceLink, ...]:
    return tuple(
        ChoiceLink(f"{namespace}/{name}" if namespace else name, object_href(kind.key, namespace, name))
        for namespace, name in names
    )


def _list_link(kind: KindInfo) -> tuple[ChoiceLink, ...]:
    return (ChoiceLink(f"all {kind.title}", kind.path),)


def _kind_links(state: AppState) -> tuple[ChoiceLink, ...]:
    return tuple(ChoiceLink(kind.title, kind.path) for kind in state[REPLICAS].kinds)
