"""Mapping of a page's address to its view, the same for the first request and for the socket.

The name of the page's URL pattern decides on the view, see `_view_of`; any other page follows the heartbeat only.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict
from django.urls import Resolver404, ResolverMatch, resolve

from dashboard.access.rights import RIGHTS
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.live_view import LiveView
from dashboard.live.moments.history_objects import HISTORY
from dashboard.live.moments.recorded_feed import open_recorded_feed
from dashboard.objects.kinds.catalog import KindInfo, find_kind
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.params import read_namespaces
from dashboard.pages.controllers.live_controllers import open_controllers
from dashboard.pages.controllers.worker_client import CONTROLLERS_CLIENT
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.feed.live_feed import open_feed
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.layout.kinds_sidebar import all_kinds
from dashboard.pages.layout.required_right import CONTROLLERS
from dashboard.pages.lists.drawer import open_tab, read_open_object
from dashboard.pages.lists.live_list import open_list
from dashboard.pages.logs.object_or_list import open_object_logs, open_selection_logs
from dashboard.pages.overview.live_overview import open_overview
from dashboard.pages.terminal.live_terminal import open_terminal
from dashboard.pages.whoami.live_whoami import open_whoami
from dashboard.runtime.app_state import AppState

LiveViewResolver = Callable[[AppState, ResolverMatch, QueryDict], LiveView | None]


MAX_ADDRESS_LENGTH = 8 * 1024
"""Maximum characters of an address."""


MAX_PARAMS = 1000
"""Maximum number of parameters of an address."""


class BadPath(ValueError):
    """The text is not an address."""


class UnknownPath(LookupError):
    """There is no page at the address."""


class UnknownKind(UnknownPath):
    """The kind of the address is not followed, or no longer; `name` is its name in the address."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def open_live_view(state: AppState, address: str) -> LiveView | None:
    """The view of the page at `address` (path and query); None where the page has none, and for an empty address.

    Raises BadPath where it is not an address, UnknownPath where there is no page at it.
    """
    return _open_view(state, address, _view_of)


def open_drawer_view(state: AppState, address: str) -> LiveView | None:
    """The view of the object that a list's address opens beside it (``open=namespace/name``, ``tab=``); None where it
    opens none.

    Raises as `open_live_view`.
    """
    return _open_view(state, address, _beside_of)


def _open_view(state: AppState, address: str, view_of: LiveViewResolver) -> LiveView | None:
    if not address:
        return None
    if not address.startswith("/") or address.startswith("//") or len(address) > MAX_ADDRESS_LENGTH:
        raise BadPath(address[:100])
    parts = urlsplit(address)
    if "\\" in parts.path:  # browsers take it for a slash there; behind the question mark a field's path may have it
        raise BadPath(address[:100])
    if parts.query.count("&") >= MAX_PARAMS:
        raise BadPath(f"more than {MAX_PARAMS} parameters")
    try:
        match = resolve(unquote(parts.path))  # decoded, as the server hands a request's path to Django
    except Resolver404:
        raise UnknownPath(parts.path) from None
    try:
        return view_of(state, match, QueryDict(parts.query))
    except SuspiciousOperation as error:  # more parameters than Django reads
        raise BadPath(str(error)) from None


def _view_of(state: AppState, match: ResolverMatch, params: QueryDict) -> LiveView | None:
    match match.url_name:
        case "overview":
            return open_overview(state[HUB], read_namespaces(params, []), state[HISTORY])
        case "controllers" if state[RIGHTS].allows("get", CONTROLLERS.key):
            return open_controllers(state[HUB], state[CONTROLLERS_CLIENT].reports)
        case "whoami":
            return open_whoami(state[HUB], state[RIGHTS], tuple(all_kinds(state)), read_namespaces(params, []))
        case "feed":
            return open_feed(state[HUB], FeedQuery.parse(params), state[HISTORY])
        case "selection-logs":
            _need_pods(state)
            return open_selection_logs(state, params)
        case "logs":
            _need_pods(state)
            namespace, name = str(match.kwargs["namespace"]), str(match.kwargs["name"])
            return open_object_logs(state, _kind_of(state, match), "" if namespace == "-" else namespace, name, params)
        case "list" | "detail" | "detail-by-name" | "incident" | "incident-by-name" | "yaml" | "edit" | "edit-status":
            return _resource_view(state, match, params)
        case "terminal" | "debug":
            namespace, name = str(match.kwargs["namespace"]), str(match.kwargs["name"])
            return open_terminal(state[HUB], _kind_of(state, match), namespace, name)
        case "history" | "delete" | "finalizer" | "act" | "evict" | "drain":
            return _resource_view(state, match, params)
    return None


def _beside_of(state: AppState, match: ResolverMatch, params: QueryDict) -> LiveView | None:
    if match.url_name != "list":
        return None
    kind = _kind_of(state, match)
    opened = read_open_object(params, kind, [])
    if opened is None:
        return None
    if opened.shows_logs:
        _need_pods(state)
    return open_tab(state, opened, Query.parse(params, kind.key).column_paths)


def _need_pods(state: AppState) -> None:
    if PODS not in state[HUB].summaries:
        raise UnknownKind(PODS)


def _kind_of(state: AppState, match: ResolverMatch) -> KindInfo:
    kind = find_kind(str(match.kwargs["resource"]), state[HUB].kinds)
    if kind is None or kind.key not in state[HUB].summaries:
        raise UnknownKind(str(match.kwargs["resource"]))
    return kind


def _resource_view(state: AppState, match: ResolverMatch, params: QueryDict) -> LiveView:
    kind = _kind_of(state, match)
    if match.url_name == "list":
        return open_list(state[HUB], kind, Query.parse(params, kind.key))
    namespace = str(match.kwargs["namespace"])
    view = open_detail(state[HUB], kind, "" if namespace == "-" else namespace, str(match.kwargs["name"]))
    view.read_recorded(open_recorded_feed(state[HUB], state[HISTORY]))
    return view
