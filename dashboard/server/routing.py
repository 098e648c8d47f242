"""From the address of a page to the view that it shows: the same for the first request and for the socket.

A page function says which view it shows by its address's name: ``list``, ``detail``, ``yaml``, ``edit``, ``delete``,
``feed``, ``overview`` or ``controllers``. Any other page follows the heartbeat only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict
from django.urls import Resolver404, ResolverMatch, resolve

from dashboard.live.feed_query import FeedQuery
from dashboard.resources.kinds import KindInfo, find_kind
from dashboard.resources.params import read_namespaces, read_open
from dashboard.resources.query import Query

if TYPE_CHECKING:
    from dashboard.live.hub import Hub
    from dashboard.live.view import View

ViewOf = Callable[["Hub", ResolverMatch, QueryDict], "View | None"]

LONGEST = 8 * 1024
"""Characters of an address."""
MOST_PARAMS = 1000
"""Parameters of an address."""


class BadPath(ValueError):
    """What was asked for is no address at all."""


class UnknownPath(LookupError):
    """The address leads nowhere here."""


class UnknownKind(UnknownPath):
    """The address is that of a kind which is not followed (any more); `name` is what it is called there."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def open_view(hub: Hub, address: str) -> View | None:
    """The view of the page at `address` (path and query); None where the page shows none, as for an empty address.

    Raises BadPath or UnknownPath.
    """
    return _opened(hub, address, _view_of)


def open_beside(hub: Hub, address: str) -> View | None:
    """The view of the object that a list's address opens beside it (``open=namespace/name``); None where it opens none.

    Raises as `open_view`.
    """
    return _opened(hub, address, _beside_of)


def _opened(hub: Hub, address: str, view_of: ViewOf) -> View | None:
    if not address:
        return None
    if not address.startswith("/") or address.startswith("//") or len(address) > LONGEST:
        raise BadPath(address[:100])
    parts = urlsplit(address)
    if "\\" in parts.path:  # browsers take it for a slash there; behind the question mark a field's path may have it
        raise BadPath(address[:100])
    if parts.query.count("&") >= MOST_PARAMS:
        raise BadPath(f"more than {MOST_PARAMS} parameters")
    try:
        match = resolve(unquote(parts.path))  # decoded, as the server hands a request's path to Django
    except Resolver404:
        raise UnknownPath(parts.path) from None
    try:
        return view_of(hub, match, QueryDict(parts.query))
    except SuspiciousOperation as error:  # more parameters than Django reads
        raise BadPath(str(error)) from None


def _view_of(hub: Hub, match: ResolverMatch, params: QueryDict) -> View | None:
    match match.url_name:
        case "overview":
            return hub.overview_view(read_namespaces(params, []))
        case "controllers":
            return hub.controllers_view()
        case "feed":
            return hub.feed_view(FeedQuery.parse(params))
        case "list" | "detail" | "yaml" | "edit" | "edit-status" | "delete" | "finalizer" | "act" | "evict" | "drain":
            return _resource_view(hub, match, params)
    return None


def _beside_of(hub: Hub, match: ResolverMatch, params: QueryDict) -> View | None:
    if match.url_name != "list":
        return None
    kind = _kind_of(hub, match)
    found = read_open(params, kind.namespaced, kind.title, [])
    return hub.detail_view(kind, *found, Query.parse(params, kind.key).shown_paths) if found is not None else None


def _kind_of(hub: Hub, match: ResolverMatch) -> KindInfo:
    kind = find_kind(str(match.kwargs["resource"]), hub.kinds)
    if kind is None or kind.key not in hub.summaries:
        raise UnknownKind(str(match.kwargs["resource"]))
    return kind


def _resource_view(hub: Hub, match: ResolverMatch, params: QueryDict) -> View:
    kind = _kind_of(hub, match)
    if match.url_name == "list":
        return hub.list_view(kind, Query.parse(params, kind.key))
    namespace = str(match.kwargs["namespace"])
    return hub.detail_view(kind, "" if namespace == "-" else namespace, str(match.kwargs["name"]))
