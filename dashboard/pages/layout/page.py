"""What every page shows around its content: title, cluster, kinds with their counts, namespaces, theme, socket.

Templates see it as ``page``. Edit pages and error pages use it too: `page_info(request, title=…)` is all they need.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest

from dashboard.drafts.cookies import drafts_of
from dashboard.live.context import LiveParts, live_of, user_of
from dashboard.live.freshness import outage
from dashboard.resources.namespaces import Picker
from dashboard.resources.navigation import KindGroup, navigation

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "theme"


class Shown(Protocol):
    """The view that a page shows, as far as its socket has to know it."""

    @property
    def id(self) -> str: ...

    @property
    def seq(self) -> str: ...

    @property
    def keys(self) -> tuple[str, ...]: ...


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
    kubectl: str = "kubectl"
    """How kubectl is called for it, quoted for a POSIX shell."""
    own: bool = False
    """Whether it is the dashboard's own, which nobody finds without that."""
    kinds: str = ""
    """Changes with the kinds that discovery names."""


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
    namespaces: Picker | None
    """The choice of namespaces; None where that makes no sense."""
    chosen: tuple[str, ...]
    """Namespaces that the page is limited to; empty means all."""
    kept: str
    """What the links at the left keep of the address: ``?namespace=a,b``, or nothing."""
    user: str
    """Who is signed in by a proxy; empty where nobody signs in."""
    drafts: int
    """Texts that this browser has not saved."""
    theme: str
    problem: str
    """What keeps the dashboard from the cluster, as a sentence; empty when nothing does."""
    outage: str
    """Why what it shows may not be what the cluster has, for a browser without scripts; empty where it is."""
    socket: str
    """Where the page's websocket connects."""


def page_info(
    request: HttpRequest,
    *,
    title: str,
    key: str = "",
    view: Shown | None = None,
    beside: Shown | None = None,
    namespaces: Picker | None = None,
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
        groups=navigation(request, key, chosen),
        namespaces=namespaces,
        chosen=chosen,
        kept=f"?namespace={','.join(chosen)}" if chosen else "",
        user=user_of(request),
        drafts=drafts_of(request),
        theme=theme_of(request),
        problem=live.problem,
        outage="" if live.problem else _outage(live, view),
        socket=socket_address(path, view, beside),
    )


def _outage(live: LiveParts, view: Shown | None) -> str:
    shown = [kind for kind in live.kinds if view is not None and kind.key in view.keys]
    return outage(shown or live.kinds, {kind.key: live.replicas.get(kind.key) for kind in live.kinds})


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
        kubectl=shlex.join(["kubectl", "--kubeconfig", live.kubeconfig]) if live.kubeconfig else "kubectl",
        own=bool(live.kubeconfig),
        kinds=live.census.names,
    )


def theme_of(request: HttpRequest) -> str:
    """The theme that this browser asked for: auto, light or dark."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "auto"
