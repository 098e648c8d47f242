"""What every page shows around its content: title, cluster, kinds with their counts, namespaces, theme, socket.

Templates see it as ``page``. Edit pages and error pages use it too: `page_info(request, title=…)` is all they need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest

from dashboard.live.context import LiveParts, live_of, user_of
from dashboard.resources.kinds import GROUP_TITLES, KindInfo

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "theme"
MOST_NAMESPACES = 500
"""Namespaces offered in the header."""


class Shown(Protocol):
    """The view that a page shows, as far as its socket has to know it."""

    @property
    def id(self) -> str: ...

    @property
    def seq(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ClusterInfo:
    """The cluster in the header."""

    name: str
    version: str
    server: str
    why: str
    """How it was chosen, as a sentence."""
    user: str
    """As whom the dashboard speaks to it."""
    colour: str
    """Name of a colour, set for each cluster; empty where none is."""


@dataclass(frozen=True, slots=True)
class KindItem:
    """A kind in the navigation. `count` is None until its first list is complete."""

    key: str
    title: str
    icon: str
    href: str
    count: int | None
    wrong: int
    state: str
    """The informer's state: live, stale, absent, forbidden…"""


@dataclass(frozen=True, slots=True)
class KindGroup:
    """Kinds under one heading."""

    title: str
    kinds: tuple[KindItem, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A link in a list of choices."""

    name: str
    href: str
    active: bool = False


@dataclass(frozen=True, slots=True)
class PageInfo:
    """What `page` is in templates."""

    title: str
    path: str
    """The address of this page, query included."""
    key: str
    """The kind's key, ``overview``, ``feed``, or empty: what is marked in the navigation."""
    cluster: ClusterInfo
    groups: tuple[KindGroup, ...]
    namespaces: tuple[Choice, ...]
    """Links to this page for each namespace, the first for all of them; empty where that makes no sense."""
    chosen: tuple[str, ...]
    """Namespaces that the page is limited to; empty means all."""
    user: str
    """Who is signed in by a proxy; empty where nobody signs in."""
    theme: str
    problem: str
    """What keeps the dashboard from the cluster, as a sentence; empty when nothing does."""
    socket: str
    """Where the page's websocket connects."""


def page_info(
    request: HttpRequest,
    *,
    title: str,
    key: str = "",
    view: Shown | None = None,
    beside: Shown | None = None,
    namespaces: tuple[Choice, ...] = (),
    chosen: tuple[str, ...] = (),
) -> PageInfo:
    """The frame of a page. Without a `view` its socket carries the heartbeat only."""
    live = live_of(request)
    path = request.get_full_path()
    return PageInfo(
        title=title,
        path=path,
        key=key,
        cluster=cluster_info(live),
        groups=kind_groups(live),
        namespaces=namespaces,
        chosen=chosen,
        user=user_of(request),
        theme=theme_of(request),
        problem=live.problem,
        socket=socket_address(path, view, beside),
    )


def socket_address(path: str, view: Shown | None, beside: Shown | None = None) -> str:
    """Where the websocket of a page at `path` connects, and what it has already, of what it shows beside it too."""
    state = (
        {"path": path, "view": view.id, "seq": view.seq} if view is not None else {"path": "", "view": "", "seq": ""}
    )
    if beside is not None:
        state["beside"] = beside.seq
    return f"/live/?{urlencode(state)}"


def cluster_info(live: LiveParts) -> ClusterInfo:
    """The cluster that the dashboard shows."""
    cluster = live.cluster
    return ClusterInfo(
        name=cluster.name,
        version=live.version,
        server=cluster.server,
        why=cluster.why,
        user=cluster.user,
        colour=settings.DELTABOARD_CLUSTER_COLOUR,
    )


def kind_groups(live: LiveParts) -> tuple[KindGroup, ...]:
    """The kinds that are watched, by group, in the order of the navigation."""
    items: dict[str, list[KindItem]] = {}
    for kind in live.kinds:
        items.setdefault(kind.group_title, []).append(_kind_item(live, kind))
    return tuple(KindGroup(title, tuple(items[title])) for title in GROUP_TITLES if title in items)


def namespace_choices(live: LiveParts, chosen: tuple[str, ...], hrefs: Hrefs) -> tuple[Choice, ...]:
    """A link for all namespaces and one for each that the cluster has."""
    names = namespace_names(live)
    if not names:
        return ()
    choices = [Choice("all namespaces", hrefs(()), not chosen)]
    choices += [Choice(name, hrefs((name,)), name in chosen) for name in names[:MOST_NAMESPACES]]
    return tuple(choices)


def namespace_names(live: LiveParts) -> list[str]:
    """The cluster's namespaces, sorted; empty while they are not known or not watched."""
    if not is_watched(live, "namespaces"):
        return []
    return sorted(row.name for row in live.replicas.get("namespaces").rows.values())


def is_watched(live: LiveParts, key: str) -> bool:
    """Whether this dashboard follows kind `key`."""
    return any(kind.key == key for kind in live.kinds)


def theme_of(request: HttpRequest) -> str:
    """The theme that this browser asked for: auto, light or dark."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "auto"


class Hrefs(Protocol):
    """Gives the address of a page limited to namespaces."""

    def __call__(self, namespaces: tuple[str, ...], /) -> str: ...


def _kind_item(live: LiveParts, kind: KindInfo) -> KindItem:
    replica = live.replicas.get(kind.key)
    summary = live.hub.summaries.get(kind.key)
    known = replica.state != "starting" and replica.health.state in ("live", "stale")
    return KindItem(
        key=kind.key,
        title=kind.title,
        icon=kind.icon,
        href=kind.path,
        count=len(replica.rows) if known else None,
        wrong=len(summary.wrong) if summary is not None else 0,
        state=replica.health.state,
    )
