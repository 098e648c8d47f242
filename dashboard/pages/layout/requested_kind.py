"""Kind of an address: followed already, or followed on demand while a page shows it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.interest import INTEREST
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo, find_kind, kind_of
from dashboard.objects.printers import needs_columns
from dashboard.runtime.app_state import CLOCK, AppState
from informerd.cache.health import State
from informerd.clock import within
from informerd.errors import InformerdError, UnknownResource
from informerd.resource import Resource

DISCOVERY_TIMEOUT = 2.0
"""Longest wait, in seconds, for discovery to find a kind and for a worker to send its columns."""
_HOPELESS: frozenset[State] = frozenset({"absent", "forbidden", "unreachable"})
"""States of a kind whose columns cannot be known yet."""


@dataclass(frozen=True, slots=True)
class UnavailableKind:
    """Reason why a kind cannot be opened. `kind` is None where no kind has that name."""

    kind: KindInfo | None
    is_absent: bool = False
    """The API server has no such resource."""
    verbs: frozenset[str] | None = None
    """Verbs that the resource supports, where list is not one of them."""
    is_limit_reached: bool = False
    """Whether the limit of kinds followed on demand is reached."""


async def open_kind(state: AppState, name: str) -> KindInfo | UnavailableKind:
    """The kind called `name`, followed from now on; or the reason why it cannot be opened."""
    kind = find_kind(name, state[REPLICAS].kinds)
    if kind is None or not is_followed(state, kind.key):
        discovered = await _in_cluster(state, name)
        if isinstance(discovered, UnavailableKind):
            return discovered
        kind = discovered
    if is_followed(state, kind.key):
        state[INTEREST].note_view(kind.key)
    elif not state[INTEREST].follow(kind):
        return UnavailableKind(kind, is_limit_reached=True)
    if needs_columns(kind.key) and not _has_columns_or_problem(replica := state[REPLICAS].get(kind.key)):
        await _wait_for_columns(state, replica)
    return kind


async def _wait_for_columns(state: AppState, replica: Replica) -> None:
    """Wait until a worker has sent the kind's columns, or the reason why it cannot: an address is parsed by its
    columns.

    No page waits longer than DISCOVERY_TIMEOUT after the kind was first requested. It then shows the default columns,
    and is rendered again when the real ones are known.
    """
    left = state[INTEREST].followed_since(replica.key) + DISCOVERY_TIMEOUT - state[CLOCK].now()
    changed = asyncio.Event()
    leave = replica.on_change(lambda _: changed.set())
    try:
        async with within(max(0.0, left), state[CLOCK]):
            while not _has_columns_or_problem(replica):
                await changed.wait()
                changed.clear()
    except TimeoutError:
        pass
    finally:
        leave()


def _has_columns_or_problem(replica: Replica) -> bool:
    return replica.table is not None or replica.health.state in _HOPELESS


async def _in_cluster(state: AppState, name: str) -> KindInfo | UnavailableKind:
    """The kind as discovery knows it; where discovery does not answer, as its name alone describes it."""
    guess = find_kind(name)
    try:
        resource = await _resolve(state, guess.key if guess is not None and guess.resolved else name)
    except UnknownResource:
        return UnavailableKind(guess, is_absent=True)
    except (InformerdError, TimeoutError):
        resource = None
    if resource is None:
        return guess if guess is not None else UnavailableKind(None)
    kind = kind_of(resource)
    if resource.verbs and "list" not in resource.verbs:
        return UnavailableKind(kind, verbs=resource.verbs)
    return kind


async def _resolve(state: AppState, name: str) -> Resource | None:
    discovery = state[CONNECTION].discovery
    if discovery is None:
        return None
    async with asyncio.timeout(DISCOVERY_TIMEOUT):
        return await discovery.resolve(name)


RETRY_AFTER = 2
"""Retry-After, in seconds, for what has not been read yet."""


def not_read_yet_page(kind: KindInfo, problem: str) -> HttpResponse:
    """Response to a program while it is unknown whether the object exists: retry later."""
    sentence = f"{kind.title} have not been read yet, so it is unknown whether this one exists. Try again in a moment."
    text = f"{sentence} {problem}".strip() + "\n"
    headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
    return HttpResponse(text, status=503, content_type="text/plain; charset=utf-8", headers=headers)


def is_followed(state: AppState, key: str) -> bool:
    """Whether this dashboard follows the kind `key`."""
    return any(kind.key == key for kind in state[REPLICAS].kinds)


def has_synced(replica: Replica) -> bool:
    """Whether the replica is complete: its kind has been listed, or the API server has no such kind."""
    return replica.state != "starting" and replica.health.state in ("live", "stale", "absent")


def redirect_with_query(request: HttpRequest, path: str) -> HttpResponseRedirect:
    encoded = request.META.get("QUERY_STRING", "")
    return HttpResponseRedirect(f"{path}?{encoded}" if encoded else path)


def path_namespace(segment: str) -> str:
    """The namespace of an address's segment: a dash means none."""
    return "" if segment == "-" else segment
