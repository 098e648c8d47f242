"""One kind that a worker follows: the search for it where only its name is known, its informer, its publisher."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from dashboard.live.definitions import Definitions
from dashboard.live.kind_feed import KindFeed
from dashboard.live.kind_health import KindHealth
from dashboard.live.messages import Described
from dashboard.live.publisher import Publisher
from dashboard.live.tasks import cancelled, kept_running
from dashboard.resources.kinds import KindInfo
from dashboard.resources.rows import mask_secret, printed_shape, projection_for
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health, State
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, NotWatchable, UnknownResource
from informerd.resource import Resource
from informerd.rest.discovery import Discovery

RETRY_RESOLVE = 5.0
"""Seconds between two questions to discovery for a kind that it does not know yet."""
NOT_FOLLOWED = "Deltaboard does not follow it"
"""How the problem of a kind begins that is refused by us, or has to be, and not by the API server."""


class FollowedKind:
    """Follows `kind` from `start` to `stop`; whatever keeps it from that is said in its publisher's health."""

    def __init__(
        self,
        kind: KindInfo,
        publisher: Publisher,
        factory: SharedInformerFactory,
        discovery: Discovery,
        definitions: Definitions,
        clock: Clock,
    ) -> None:
        self.kind = kind
        self.publisher = publisher
        self._factory = factory
        self._discovery = discovery
        self._definitions = definitions
        self._clock = clock
        self._informer: SharedInformer[Any] | None = None
        self.tasks: list[asyncio.Task[None]] = []
        """What runs for it. None of them ends but one that has found what it looked for."""

    def start(self) -> None:
        """Begin; returns at once. The informer runs with the factory's next start."""
        self.publish()
        if self.kind.resolved:
            self._watch(self.kind.resource)
        else:
            self._keep(f"looking for {self.kind.key}", self._resolve)

    def publish(self) -> None:
        """Begin to say how it is, without following it."""
        self._keep(f"publishing {self.kind.key}", self.publisher.run)

    async def stop(self) -> None:
        """End the watch and the publishing; returns when both have ended."""
        tasks, self.tasks = self.tasks, []
        for task in tasks:
            task.cancel()
        informer, self._informer = self._informer, None
        if informer is not None:  # before anything is awaited: whoever follows the kind anew gets another informer
            await self._factory.drop(informer)
        await cancelled(tasks)

    def say_unresolved(self, error: InformerdError) -> None:
        """It cannot be followed because discovery does not know it or does not answer, or because it has no watch."""
        state: State = "unreachable"
        if isinstance(error, UnknownResource):
            state = "absent"
        elif isinstance(error, Forbidden | NotWatchable):
            state = "forbidden"
        now = self._clock.time()
        before = self.publisher.health()
        since = before.since if before.state == state else now
        problem = f"{NOT_FOLLOWED}: {error}" if isinstance(error, NotWatchable) else str(error)
        health = Health(state=state, since=since, problem=problem, retry_at=now + RETRY_RESOLVE)
        self.publisher.health = lambda: health
        self.publisher.nudge()

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self.tasks.append(asyncio.create_task(kept_running(name, run, self._clock), name=name))

    def _watch(self, resource: Resource, described: Described | None = None) -> None:
        key, publisher = self.kind.key, self.publisher
        shape = None
        if described is not None:
            publisher.describe(described)
            shape = printed_shape(described)
        transform = mask_secret if (resource.group, resource.plural) == ("", "secrets") else None
        informer = self._factory.informer(resource, projection=projection_for(key), transform=transform)
        self._informer = informer
        handled = informer.add_handler(KindFeed(key, publisher, shape))
        publisher.health = KindHealth(informer, handled, self._clock)
        informer.on_health(lambda _: publisher.nudge())

    async def _resolve(self) -> None:
        """Ask discovery for a kind of which only the name is known, until it exists and can be watched."""
        while True:
            try:
                resource = await self._found()
            except InformerdError as error:
                self.say_unresolved(error)
                await self._clock.sleep(RETRY_RESOLVE)
                self._discovery.invalidate()
                continue
            self._watch(resource, await self._definitions.describe(resource))
            self._factory.start()
            return

    async def _found(self) -> Resource:
        resource = await self._discovery.resolve(self.kind.key)
        if resource.key != self.kind.key:  # its informer would be that of another kind that is followed
            raise UnknownResource(self.kind.key, (resource.key,))
        if resource.verbs and not resource.verbs >= {"list", "watch"}:
            raise NotWatchable(resource.key, resource.verbs)
        return resource
