"""Informers of one kind in a worker: one for the whole cluster, or one for each namespace that the account may list."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from dashboard.live.worker.namespace_access import ACCESS_INTERVAL, SHARED_FOR, AllowedNamespaces, NamespaceAccess
from dashboard.runtime.shard import WHOLE, Shard
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import Handler
from informerd.cache.health import Health
from informerd.cache.namespace_informers import JoinedRegistration, NamespaceInformers
from informerd.cache.shared_informer import Registration, SharedInformer
from informerd.clock import Clock, sleep_or
from informerd.decoding.decoder import Reduce, Transform
from informerd.errors import Forbidden, InformerdError, Unreadable
from informerd.objects import Object
from informerd.resource import Resource

logger = logging.getLogger(__name__)

REFUSED_GRACE = 10.0
"""Seconds for which the rows of a namespace stay, as stale, where its list is forbidden and nobody can say whether it
is allowed: an API server that has just started knows no roles yet.
"""
MIN_ASK_INTERVAL = 1.0
"""Seconds between two questions at least, however often lists and watches are refused."""


class KindInformer:
    """Follows `resource` with the namespaces that `access` allows; without `access` all namespaces.

    Namespaces of DELTABOARD_NAMESPACES are followed from the start. Otherwise the whole cluster is, until that is
    forbidden and some namespaces are allowed; `run` follows how the account's rights change. `on_replaced` is called
    when other informers have taken over: handlers must be added again. `on_lost` gets a namespace of which nothing may
    be shown any more.
    """

    def __init__(
        self,
        factory: SharedInformerFactory,
        resource: Resource,
        projection: type[Object],
        transform: Transform | None,
        reduce: Reduce | None,
        access: NamespaceAccess | None,
        clock: Clock,
        *,
        on_health: Callable[[], None],
        on_replaced: Callable[[], None],
        on_lost: Callable[[str], None],
        shard: Shard = WHOLE,
    ) -> None:
        """Of all objects it has those of `shard`. Raises ValueError for one of several with `access`."""
        if access is not None and shard != WHOLE:
            raise ValueError("the namespaces of a shard are not listed one by one")
        self.resource = resource
        self._shard = shard
        self._factory = factory
        self._projection = projection
        self._transform = transform
        self._reduce = reduce
        self._access = access if resource.namespaced else None
        self._clock = clock
        self._on_health = on_health
        self._on_replaced = on_replaced
        self._on_lost = on_lost
        self._wake = asyncio.Event()
        self._is_refused = False
        """Whether a list or watch of the whole cluster was forbidden, and none has worked since."""
        self._has_asked = False
        """Whether the namespaces were asked for since then."""
        self._refused: dict[str, tuple[str, float]] = {}
        """Why and since when (monotonic seconds) lists or watches of listed namespaces are forbidden, of those that
        `run` has not decided about.
        """
        self._active: SharedInformer[Any] | NamespaceInformers[Any]
        if self._access is not None and self._access.chosen:
            self._active = self._by_namespace(self._access.chosen)
        else:
            self._active = self._whole_cluster()

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """By key the objects that exist and cannot be read."""
        return self._active.unreadable

    def health(self) -> Health:
        """The health of the informers that are read now; ``starting`` while namespaces are asked for.

        How many objects of one of several shards are still to come is not known: the API server counts all.
        """
        health = self._active.health()
        if self._shard != WHOLE:
            return msgspec.structs.replace(health, remaining=None)
        if health.state == "forbidden" and self._is_refused and not self._has_asked and self._access is not None:
            return msgspec.structs.replace(health, state="starting", problem="", retry_at=None)
        return health

    def add_handler(self, handler: Handler[Any]) -> Registration[Any] | JoinedRegistration[Any]:
        """Notify `handler` of all objects and of every change, until `on_replaced`."""
        return self._active.add_handler(handler)

    async def count(self, ask: Callable[[Resource, str], Awaitable[int | None]]) -> int | None:
        """Number of objects where it is followed, as `ask` has it for a namespace or, empty, all; None if unknown, as
        that of one of several shards.
        """
        if self._shard != WHOLE:
            return None
        if not isinstance(self._active, NamespaceInformers):
            return await ask(self.resource, "")
        total = 0
        for namespace in self._active.namespaces:
            try:
                number = await ask(self.resource, namespace)
            except Forbidden:
                continue
            if number is None:
                return None
            total += number
        return total

    async def close(self) -> None:
        """Stop all informers; returns when they have ended."""
        await self._drop(self._active)

    async def run(self) -> None:
        """Ask for the account's rights when a list is forbidden and, by namespace, from time to time. Until
        cancelled.
        """
        if self._access is None:
            return
        while True:
            await self._wait_until_due()
            self._wake.clear()
            woken = bool(self._refused) or (self._is_refused and not self._has_asked)
            begun = self._clock.now()
            try:
                allowed = await self._access.allowed(self.resource, after=begun if woken else begun - SHARED_FOR)
            except (InformerdError, TimeoutError) as error:
                logger.info("%s: the namespaces that may be listed are not known: %s", self.resource.key, error)
                allowed = AllowedNamespaces(unknown=frozenset(self._refused))
                await self._decide_refused(allowed)
            else:
                await self._decide_refused(allowed)
                await self._follow(allowed)
            self._has_asked = True
            self._on_health()
            await self._clock.sleep(MIN_ASK_INTERVAL)

    async def _wait_until_due(self) -> None:
        if self._refused:
            await self._clock.sleep(0)
        elif isinstance(self._active, SharedInformer) and not self._is_refused:
            await self._wake.wait()
        else:
            await sleep_or(self._wake, ACCESS_INTERVAL, self._clock)

    async def _decide_refused(self, allowed: AllowedNamespaces) -> None:
        """Take out the namespaces whose list or watch was forbidden and that are not allowed. Where that is not known,
        they stay for REFUSED_GRACE.
        """
        for namespace, (problem, since) in [*self._refused.items()]:
            is_recent = self._clock.now() - since < REFUSED_GRACE
            if namespace in allowed.unknown and is_recent:
                continue
            del self._refused[namespace]
            is_allowed = allowed.is_everywhere or namespace in allowed.namespaces
            if not is_allowed and isinstance(self._active, NamespaceInformers):
                await self._lose(self._active, namespace, problem)

    async def _follow(self, allowed: AllowedNamespaces) -> None:
        active = self._active
        if isinstance(active, NamespaceInformers):
            if allowed.is_everywhere:
                await self._replace(self._whole_cluster())
            else:
                await self._follow_namespaces(active, allowed)
        elif not allowed.is_everywhere and allowed.namespaces:
            logger.info("%s: listing the namespaces %s", self.resource.key, ", ".join(allowed.namespaces))
            await self._replace(self._by_namespace(allowed.namespaces))

    async def _follow_namespaces(self, active: NamespaceInformers[Any], allowed: AllowedNamespaces) -> None:
        chosen = self._access.chosen if self._access is not None else ()
        for namespace in active.namespaces:
            if namespace in allowed.namespaces or namespace in allowed.unknown:
                continue
            if active.has_listed(namespace):
                await self._lose(active, namespace, f"the account may not list {self.resource.key} in {namespace}")
            elif not chosen:
                await active.remove(namespace)
        for namespace in (*allowed.namespaces, *(allowed.unknown if chosen else ())):
            active.add(namespace)
        self._factory.start()

    async def _lose(self, active: NamespaceInformers[Any], namespace: str, problem: str) -> None:
        logger.warning("%s: namespace %s may no longer be listed: %s", self.resource.key, namespace, problem)
        await active.deny(namespace, problem, self._clock.time())
        self._on_lost(namespace)

    async def _replace(self, fresh: SharedInformer[Any] | NamespaceInformers[Any]) -> None:
        """Read from `fresh`, as soon as it has been listed where the present ones have been."""
        before = self._active
        self._factory.start()
        try:
            if before.health().state in ("live", "stale"):
                await self._until_listed(fresh)
            self._active = fresh
        finally:
            if self._active is not fresh:
                await self._drop(fresh)
        self._is_refused = False
        self._on_replaced()
        await self._drop(before)

    async def _until_listed(self, fresh: SharedInformer[Any] | NamespaceInformers[Any]) -> None:
        changed = asyncio.Event()
        leave = fresh.on_health(lambda _: changed.set())
        try:
            while not (fresh.has_synced if isinstance(fresh, SharedInformer) else fresh.has_settled):
                if fresh.health().state == "forbidden":
                    return
                await sleep_or(changed, MIN_ASK_INTERVAL, self._clock)
                changed.clear()
        finally:
            leave()

    async def _drop(self, informer: SharedInformer[Any] | NamespaceInformers[Any]) -> None:
        if isinstance(informer, NamespaceInformers):
            await informer.close()
        else:
            await self._factory.drop(informer)

    def _whole_cluster(self) -> SharedInformer[Any]:
        informer = self._factory.informer(
            self.resource,
            projection=self._projection,
            transform=self._transform,
            reduce=self._reduce,
            shard_selector=self._shard.selector,
        )
        if self._access is not None:
            informer.set_watch_error_handler(lambda error: self._cluster_failed(informer, error))
        informer.on_health(lambda health: self._health_changed(informer, health))
        return informer

    def _by_namespace(self, namespaces: tuple[str, ...]) -> NamespaceInformers[Any]:
        informers: NamespaceInformers[Any] = NamespaceInformers(
            self._factory,
            self.resource,
            self._projection,
            transform=self._transform,
            reduce=self._reduce,
            on_forbidden=lambda namespace, error: self._namespace_failed(informers, namespace, error),
        )
        for namespace in namespaces:
            informers.add(namespace)
        informers.on_health(lambda health: self._health_changed(informers, health))
        return informers

    def _health_changed(self, informer: SharedInformer[Any] | NamespaceInformers[Any], health: Health) -> None:
        if informer is getattr(self, "_active", None):
            if health.state == "live" and isinstance(informer, SharedInformer):
                self._is_refused = self._has_asked = False
            self._on_health()

    def _cluster_failed(self, informer: SharedInformer[Any], error: Exception) -> None:
        if isinstance(error, Forbidden) and informer is self._active and not self._is_refused:
            self._is_refused, self._has_asked = True, False
            self._wake.set()

    def _namespace_failed(self, informers: NamespaceInformers[Any], namespace: str, error: Forbidden) -> None:
        if informers is self._active and informers.has_listed(namespace):
            self._refused.setdefault(namespace, (str(error), self._clock.now()))
            self._wake.set()
