"""What deleting an object means: what it waits for, who would make it again, what goes with it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from dashboard.edits.fields import Value
from dashboard.edits.place import Place
from dashboard.evictions.budgets import Budget, budgets_in
from dashboard.evictions.pods import fate_of
from dashboard.removal.contents import Held, held
from dashboard.removal.dependents import Dependents, dependents_of, uncounted
from dashboard.removal.descending import DEFINITIONS, NAMESPACES
from dashboard.removal.finalizers import Finalizer, finalizers_of
from dashboard.removal.recreation import Recreation, recreation_of
from dashboard.removal.shared import Shared, shared_of
from dashboard.removal.users import Users, users_of
from informerd.errors import InformerdError

PATIENCE = 2.0
"""Seconds that discovery may take to name the kinds that are not counted."""
DEFAULT_GRACE = 30
"""Seconds that a pod has to shut down where it says nothing, as the API server fills in."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a person should know before deleting."""

    uid: str
    version: str
    created: str
    """RFC 3339."""
    since: str
    """RFC 3339 of the deletionTimestamp; empty while nobody has deleted it."""
    finalizers: tuple[Finalizer, ...]
    recreation: Recreation | None
    dependents: tuple[Dependents, ...]
    """What goes with it, where nobody chooses to leave it."""
    shared: Shared | None
    """What belongs to others, too; None where everything goes, whoever owns it."""
    users: Users | None
    """Who uses it; None for a kind of which that is not known."""
    held: tuple[Held, ...]
    """What a namespace, or a definition, holds of kinds that nobody watches."""
    uncounted: tuple[str, ...] | None
    """Kinds that nobody counts here; None where discovery did not say which there are."""
    passed: tuple[Budget, ...]
    """Of a pod: the budgets that would hold an eviction of it now. A deletion asks none."""
    graceful: bool
    """Whether it is shut down over time, so that a grace period means something: pods only."""
    default_grace: int
    """Seconds that a pod itself asks for."""
    whole_namespace: bool
    whole_kind: bool

    @property
    def asked(self) -> bool:
        """Whether the API server was asked for what nobody watches."""
        return self.whole_namespace or self.whole_kind


async def meaning_of(place: Place, live: dict[str, Value]) -> Meaning:
    """Of the object as the API server gave it; dependents come from the watched kinds only."""
    metadata, kind, replicas = live["metadata"], place.target.kind, place.live.replicas
    contents, unknown = await _unwatched(place)
    is_open = kind.key in (NAMESPACES, DEFINITIONS)
    shared = None if is_open else shared_of(place.target, metadata["uid"], replicas)
    return Meaning(
        uid=metadata["uid"],
        version=metadata["resourceVersion"],
        created=metadata.get("creationTimestamp", ""),
        since=metadata.get("deletionTimestamp", ""),
        finalizers=finalizers_of(live),
        recreation=recreation_of(live, replicas),
        dependents=shared.dependents if shared else dependents_of(place.target, metadata["uid"], replicas),
        shared=shared,
        users=await users_of(place.target, replicas),
        held=contents,
        uncounted=unknown,
        passed=await _passed(place, live),
        graceful=kind.key == "pods",
        default_grace=_grace(live) if kind.key == "pods" else DEFAULT_GRACE,
        whole_namespace=kind.key == NAMESPACES,
        whole_kind=kind.key == DEFINITIONS,
    )


async def _passed(place: Place, live: dict[str, Value]) -> tuple[Budget, ...]:
    if place.target.kind.key != "pods":
        return ()
    return fate_of(live, await budgets_in(place.client, place.target.namespace), alone=True).blocked


def _grace(pod: dict[str, Value]) -> int:
    """Only a pod has one that can be trusted: in other kinds a field of this name may be anything."""
    asked = pod["spec"].get("terminationGracePeriodSeconds")
    return DEFAULT_GRACE if asked is None else int(asked)


async def _unwatched(place: Place) -> tuple[tuple[Held, ...], tuple[str, ...] | None]:
    """What is asked for of kinds that nobody watches, and those of them that are not counted at all."""
    discovery, kind, replicas = place.live.discovery, place.target.kind, place.live.replicas
    if discovery is None:
        return (), None
    try:
        async with asyncio.timeout(PATIENCE):
            resources = {resource.key: resource for resource in await discovery.resources()}
    except (InformerdError, TimeoutError):
        return (), None
    is_open = kind.key in (NAMESPACES, DEFINITIONS)
    keys = uncounted(replicas, resources.values(), cluster_scoped=not kind.namespaced and kind.key != NAMESPACES)
    if kind.key == DEFINITIONS:
        keys = tuple(key for key in keys if key == place.target.name)
    if not is_open or place.live.client is None:
        return (), keys
    namespace = place.target.name if kind.key == NAMESPACES else ""
    contents, counted = await held(place.live.client, (resources[key] for key in keys), namespace)
    return contents, tuple(key for key in keys if key not in counted)
