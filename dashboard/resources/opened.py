"""The kind that an address names: followed already, or followed from now on because somebody looks at it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from dashboard.live.context import LiveParts
from dashboard.resources.kinds import KindInfo, find_kind, kind_of
from dashboard.resources.page_info import is_watched
from informerd.errors import InformerdError, UnknownResource
from informerd.resource import Resource

PATIENCE = 2.0
"""Seconds that discovery may take to say whether a kind exists; then the worker finds out, and says it."""


@dataclass(frozen=True, slots=True)
class Unopened:
    """Why a kind cannot be opened. `kind` is None where nothing is known by that name."""

    kind: KindInfo | None
    absent: bool = False
    """The API server has no such resource."""
    verbs: frozenset[str] | None = None
    """What can be done with it, where listing and watching is not among that."""
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
        return kind
    return kind if live.interest.follow(kind) else Unopened(kind, full=True)


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
    if resource.verbs and not resource.verbs >= {"list", "watch"}:
        return Unopened(kind, verbs=resource.verbs)
    return kind


async def _resolved(live: LiveParts, name: str) -> Resource | None:
    if live.discovery is None:
        return None
    async with asyncio.timeout(PATIENCE):
        return await live.discovery.resolve(name)
