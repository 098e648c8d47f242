"""The kind that an address names: followed already, or followed from now on because somebody looks at it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from dashboard.live.context import LiveParts
from dashboard.live.replica import Replica
from dashboard.resources.kinds import KindInfo, find_kind, kind_of
from dashboard.resources.namespaces import is_watched
from dashboard.resources.rows import needs_description
from informerd.cache.health import State
from informerd.clock import within
from informerd.errors import InformerdError, UnknownResource
from informerd.resource import Resource

PATIENCE = 2.0
"""Seconds that discovery may take to say whether a kind exists, and a worker to say which columns it has."""
_HOPELESS: frozenset[State] = frozenset({"absent", "forbidden", "unreachable"})
"""How a kind is whose columns nobody can tell for now."""


@dataclass(frozen=True, slots=True)
class Unopened:
    """Why a kind cannot be opened. `kind` is None where nothing is known by that name."""

    kind: KindInfo | None
    absent: bool = False
    """The API server has no such resource."""
    verbs: frozenset[str] | None = None
    """What can be done with it, where listing is not among that."""
    full: bool = False
    """As many kinds are open as may be."""


async def open_kind(live: LiveParts, name: str) -> KindInfo | Unopened:
    """The kind called `name`, followed from now on if it was not; or why it is not."""
    kind = find_kind(name, live.kinds)
    if kind is None or not is_watched(live, kind.key):
        found = await _in_cluster(live, name)
        if isinstance(found, Unopened):
            return found
        kind = found
    if is_watched(live, kind.key):
        live.interest.look(kind.key)
    elif not live.interest.follow(kind):
        return Unopened(kind, full=True)
    if needs_description(kind.key) and not _is_told(replica := live.replicas.get(kind.key)):
        await _described(live, replica)
    return kind


async def _described(live: LiveParts, replica: Replica) -> None:
    """Wait until a worker has said which columns the kind has, or why it cannot: an address is read by its columns.

    No page waits longer than PATIENCE after the kind was first asked for; it shows the usual columns then, and is
    rendered anew when they are known.
    """
    left = live.interest.since(replica.key) + PATIENCE - live.clock.now()
    told = asyncio.Event()
    leave = replica.on_change(lambda _: told.set())
    try:
        async with within(max(0.0, left), live.clock):
            while not _is_told(replica):
                await told.wait()
                told.clear()
    except TimeoutError:
        pass
    finally:
        leave()


def _is_told(replica: Replica) -> bool:
    return replica.described is not None or replica.health.state in _HOPELESS


async def _in_cluster(live: LiveParts, name: str) -> KindInfo | Unopened:
    """What discovery says of the name; where it does not answer, what the name says by itself."""
    guess = find_kind(name)
    try:
        resource = await _resolved(live, guess.key if guess is not None and guess.resolved else name)
    except UnknownResource:
        return Unopened(guess, absent=True)
    except (InformerdError, TimeoutError):
        resource = None
    if resource is None:
        return guess if guess is not None else Unopened(None)
    kind = kind_of(resource)
    if resource.verbs and "list" not in resource.verbs:
        return Unopened(kind, verbs=resource.verbs)
    return kind


async def _resolved(live: LiveParts, name: str) -> Resource | None:
    if live.discovery is None:
        return None
    async with asyncio.timeout(PATIENCE):
        return await live.discovery.resolve(name)
