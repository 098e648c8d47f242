"""Kind of an address: followed already, followed on demand while a page shows it, or listed once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from dashboard.access.quota_owner import quota_owners
from dashboard.access.rights import RIGHTS
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.namespace_limits import is_outside
from dashboard.live.hub.on_demand_kinds import INTEREST
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo, find_kind, kind_of
from dashboard.objects.printers import needs_columns
from dashboard.runtime.app_state import CLOCK, AppState, scope_of, state_of
from informerd.cache.health import State
from informerd.clock import Clock, within
from informerd.decoding.requested_object_form import METADATA_FORM
from informerd.errors import InformerdError, UnknownResource
from informerd.resource import Resource

DISCOVERY_TIMEOUT = 2.0
"""Longest wait, in seconds, for discovery to find a kind and for a worker to send its columns."""
REPORT_WAIT = 2.0
"""Longest wait, in seconds, for the watch to report an object that the API server has."""
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
    unseen_namespace: str = ""
    """Namespace of the object's address, where the kind is not listed in it."""


async def open_kind(carrier: HttpRequest | Mapping[str, Any], name: str) -> KindInfo | UnavailableKind:
    """The kind called `name`, which has a replica from now on; or the reason why it cannot be opened.

    A kind that cannot be followed is listed once. `carrier` is the request of a page, or the scope of its socket.
    """
    state, scope = state_of(carrier), scope_of(carrier)
    kind = await describe_kind(state, name)
    if isinstance(kind, UnavailableKind):
        return kind
    interest, owner = state[INTEREST], quota_owners(scope)[0]
    if is_followed(state, kind.key):
        interest.note_view(kind.key, owner)
    else:
        interest.follow(kind, owner)
    if needs_columns(kind.key) and state[REPLICAS].get(kind.key).is_requested:
        await _wait_for_columns(state, state[REPLICAS].get(kind.key))
    await interest.wait_until_readable(kind.key)
    return kind


async def open_object(request: HttpRequest, resource: str, namespace: str, name: str) -> KindInfo | UnavailableKind:
    """As `open_kind`, for the page of one object: where no worker follows the kind, the object is read by its name.

    `namespace` is the segment of the address. Of one that the account does not see, nothing is looked up.
    """
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind
    state, namespace = state_of(request), path_namespace(namespace)
    if is_outside(state[REPLICAS].get(kind.key).health, namespace):
        return UnavailableKind(kind, unseen_namespace=namespace)
    await state[INTEREST].read_object(kind, namespace, name)
    return kind


async def wait_until_reported(state: AppState, kind: KindInfo, namespace: str, name: str) -> None:
    """Where the API server has an object and the watch has not reported it, wait for that, REPORT_WAIT s at most."""
    replica, client = state[REPLICAS].get(kind.key), state[CONNECTION].client
    if client is None or not has_synced(replica) or bool(namespace) != kind.namespaced:
        return
    if not state[RIGHTS].may_list(kind.key, namespace, name):  # nothing is told by time either
        return
    key = f"{namespace}/{name}" if namespace else name
    if _has_row(replica, namespace, name) or replica.health.problem_of(key):
        return
    try:
        async with within(DISCOVERY_TIMEOUT, state[CLOCK]):
            await client.get(kind.resource, name, namespace, headers={"Accept": METADATA_FORM.object_accept})
    except (InformerdError, TimeoutError):
        return
    await _wait_until(replica, partial(_has_row, replica, namespace, name), REPORT_WAIT, state[CLOCK])


def _has_row(replica: ReadableReplica, namespace: str, name: str) -> bool:
    return replica.get(namespace, name) is not None


async def describe_kind(state: AppState, name: str) -> KindInfo | UnavailableKind:
    """The kind called `name`, whether it is followed or not; or the reason why it cannot be opened."""
    kind: KindInfo | UnavailableKind | None = find_kind(name, state[REPLICAS].kinds)
    if not isinstance(kind, KindInfo) or not is_followed(state, kind.key):
        kind = await _in_cluster(state, name)
    return kind.with_shared_names(state[OBJECT_COUNTS].shared_names) if isinstance(kind, KindInfo) else kind


async def _wait_for_columns(state: AppState, replica: ReadableReplica) -> None:
    """Wait until a worker has sent the kind's columns, or the reason why it cannot: an address is parsed by its
    columns.

    No page waits longer than DISCOVERY_TIMEOUT after the kind was first requested. It then shows the default columns,
    and is rendered again when the real ones are known.
    """
    left = state[INTEREST].followed_since(replica.key) + DISCOVERY_TIMEOUT - state[CLOCK].now()
    await _wait_until(replica, lambda: _has_columns_or_problem(replica), left, state[CLOCK])


async def _wait_until(replica: ReadableReplica, condition: Callable[[], bool], seconds: float, clock: Clock) -> None:
    """Wait until changes of the replica have made the condition true, at most so many seconds."""
    changed = asyncio.Event()
    leave = replica.on_change(lambda _: changed.set())
    try:
        async with within(max(0.0, seconds), clock):
            while not condition():
                await changed.wait()
                changed.clear()
    except TimeoutError:
        pass
    finally:
        leave()


def _has_columns_or_problem(replica: ReadableReplica) -> bool:
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


def has_synced(replica: ReadableReplica) -> bool:
    """Whether the replica is complete: its kind has been listed, or the API server has no such kind."""
    return replica.state != "starting" and replica.health.state in ("live", "stale", "absent")


def redirect_with_query(request: HttpRequest, path: str) -> HttpResponseRedirect:
    encoded = request.META.get("QUERY_STRING", "")
    return HttpResponseRedirect(f"{path}?{encoded}" if encoded else path)


def to_address_with_dash(request: HttpRequest, response: HttpResponse, path: str) -> HttpResponse:
    """A redirect to `path` where that has a page, which `response` is; else the response, which says what is missing.

    Who does not see everything is led to `path` in any case: what they may get by its name is looked up there alone.
    """
    is_there = response.status_code == HTTPStatus.OK or not state_of(request)[RIGHTS].sees_all
    return redirect_with_query(request, path) if is_there else response


def path_namespace(segment: str) -> str:
    """The namespace of an address's segment: a dash means none."""
    return "" if segment == "-" else segment
