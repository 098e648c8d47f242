"""Frame of every page: title, cluster, kinds with their counts, namespaces, theme, socket.

Templates see it as ``page``. Edit pages and error pages use it too: `page_info(request, title=…)` is all they need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest

from dashboard.access.draft_count_cookie import draft_count_of
from dashboard.access.identity import user_of
from dashboard.access.sessions.session import session_of
from dashboard.cluster.connection import CONNECTION
from dashboard.cluster.kubectl_commands import UNBOUND
from dashboard.live.hub.freshness import outage_text
from dashboard.live.hub.hub import HUB
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import find_kind
from dashboard.pages.layout.kinds_sidebar import KindGroup, navigation
from dashboard.pages.layout.namespaces import NamespacePicker
from dashboard.pages.layout.shown_moment import TimeControl, time_control
from dashboard.runtime.app_state import AppState, state_of

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "theme"


class SocketView(Protocol):
    """The part of a page's view that its socket needs."""

    @property
    def id(self) -> str: ...

    @property
    def seq(self) -> str: ...

    @property
    def keys(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class ClusterInfo:
    """The cluster as the header shows it."""

    name: str
    version: str
    server: str
    why: str
    """How the cluster was chosen, as a sentence."""
    user: str
    """The identity that the dashboard has at the API server."""
    colour: str
    """Colour name that is set for each cluster; empty where none is set."""
    kubectl: str = ""
    """The kubectl call for this cluster, quoted for a POSIX shell; empty where no call names it."""
    own: bool = False
    """Whether it is the demo cluster, which ends with the dashboard."""
    production: str = ""
    """The word that marks a production cluster; empty where it is none."""
    kinds: str = ""
    """Changes when the discovered kinds change."""


@dataclass(frozen=True, slots=True)
class PageInfo:
    """Value of `page` in templates."""

    title: str
    path: str
    """The address of this page, query included."""
    key: str
    """Current entry of the navigation: the kind's key, ``overview``, ``feed``, or empty."""
    cluster: ClusterInfo
    groups: tuple[KindGroup, ...]
    namespaces: NamespacePicker | None
    """The namespace picker; None where the page cannot be limited to namespaces."""
    selected_namespaces: tuple[str, ...]
    """Namespaces that the page is limited to; empty means all."""
    namespace_query: str
    """Query string that the navigation links keep: ``?namespace=a,b``, or empty."""
    user: str
    """Name of the person who is signed in; empty where there is no sign-in."""
    has_session: bool
    """Whether they signed in to Deltaboard itself, and can sign out."""
    drafts: int
    """Drafts of this browser."""
    has_audit: bool
    """Whether the audit log is kept."""
    theme: str
    problem: str
    """What separates the dashboard from the cluster, and the hub's note, as sentences; empty where nothing does."""
    outage: str
    """Why the page may be out of date, for a browser without scripts; empty where it is current."""
    socket: str
    """Address of the page's websocket."""
    time: TimeControl | None
    """The moment that is shown, and the ways to others; None where no history is kept."""


def page_info(
    request: HttpRequest,
    *,
    title: str,
    key: str = "",
    view: SocketView | None = None,
    drawer_view: SocketView | None = None,
    namespaces: NamespacePicker | None = None,
    selected: tuple[str, ...] = (),
) -> PageInfo:
    """The frame of a page. Without a `view` its socket carries the heartbeat only."""
    state = state_of(request)
    path = request.get_full_path()
    return PageInfo(
        title=title,
        path=path,
        key=key,
        cluster=cluster_info(state),
        groups=navigation(request, key, selected),
        namespaces=namespaces,
        selected_namespaces=selected,
        namespace_query=f"?namespace={','.join(selected)}" if selected else "",
        user=user_of(request),
        has_session=session_of(request) is not None,
        drafts=draft_count_of(request),
        has_audit=settings.DELTABOARD_AUDIT != "off",
        theme=theme_of(request),
        problem=f"{state[HUB].connection_problem()} {state[HUB].note()}".strip(),
        outage="" if state[HUB].connection_problem() else _outage(state, view, key),
        socket=socket_path(path, view, drawer_view),
        time=time_control(request),
    )


def _outage(state: AppState, view: SocketView | None, key: str) -> str:
    keys = view.keys if view is not None else (key,)
    shown = [kind for kind in state[REPLICAS].kinds if kind.key in keys]
    if key and not shown and find_kind(key) is not None:
        return ""  # a page of a kind that is not followed says so itself
    return outage_text(
        shown or state[REPLICAS].kinds, {kind.key: state[REPLICAS].get(kind.key) for kind in state[REPLICAS].kinds}
    )


def socket_path(path: str, view: SocketView | None, drawer_view: SocketView | None = None) -> str:
    """Address of the websocket of a page at `path`, with what the page has already, of the view beside it too."""
    state = (
        {"path": path, "view": view.id, "seq": view.seq} if view is not None else {"path": "", "view": "", "seq": ""}
    )
    if drawer_view is not None:
        state["beside"] = drawer_view.seq
    return f"/live/?{urlencode(state)}"


def cluster_info(state: AppState) -> ClusterInfo:
    """The cluster that the dashboard shows."""
    cluster = state[CONNECTION].cluster
    is_production = settings.DELTABOARD_PRODUCTION.includes(cluster)
    return ClusterInfo(
        name=cluster.name,
        version=state[CONNECTION].version,
        server=cluster.server,
        why="" if people_sign_in() else cluster.why,
        user=cluster.user,
        colour=settings.DELTABOARD_CLUSTER_COLOUR or ("red" if is_production else ""),
        kubectl="" if people_sign_in() else state[CONNECTION].kubectl,
        own=state[CONNECTION].is_demo,
        production="production" if is_production else "",
        kinds=state[OBJECT_COUNTS].kinds_digest,
    )


def kubectl_of(state: AppState) -> str:
    """The kubectl call for the cluster that is shown, as pages print it. People who sign in have kubeconfigs of their
    own, in which contexts may have other names.
    """
    return UNBOUND if people_sign_in() else state[CONNECTION].kubectl or UNBOUND


def people_sign_in() -> bool:
    """Whether people sign in, and so need not be on this machine."""
    return bool(settings.DELTABOARD_SIGN_IN != "token")


def theme_of(request: HttpRequest) -> str:
    """The theme of this browser: auto, light or dark."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "auto"
