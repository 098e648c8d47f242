"""One kind that a worker follows: the search for it where only its name is known, its informer, its publisher.

Where its definition changes what is printed, the informer stays and all rows are made anew, by another publisher with a
younger epoch: so that no replica ever takes cells of one shape for those of another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from dashboard.live.definitions import Definition, Definitions
from dashboard.live.epoch import new_epoch
from dashboard.live.expected import Expected
from dashboard.live.kind_feed import KindFeed
from dashboard.live.kind_health import KindHealth, no_longer_served
from dashboard.live.messages import Described
from dashboard.live.polling import Polling
from dashboard.live.publisher import Publisher
from dashboard.live.served import RETRY_RESOLVE, SELDOM, Served
from dashboard.live.tasks import cancelled, kept_running
from dashboard.resources.kinds import KindInfo
from dashboard.resources.rows import mask_secret, needs_description, printed_shape, projection_for
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health, State
from informerd.cache.list_watch import ListWatch
from informerd.cache.shared_informer import Registration, SharedInformer
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, NotWatchable, UnknownResource
from informerd.resource import Resource
from informerd.rest.discovery import Discovery

logger = logging.getLogger(__name__)

NOT_FOLLOWED = "Deltaboard does not follow it"
"""How the problem of a kind begins that is refused by us, or has to be, and not by the API server."""


class FollowedKind:
    """Follows `kind` from `start` to `stop`; whatever keeps it from that is said in its publisher's health."""

    def __init__(
        self,
        kind: KindInfo,
        publish: Callable[[str], Publisher],
        epoch: str,
        factory: SharedInformerFactory,
        discovery: Discovery,
        definitions: Definitions,
        count: Callable[[Resource], Awaitable[int | None]],
        lists: Callable[[Resource], ListWatch[Any]],
        clock: Clock,
    ) -> None:
        self.kind = kind
        self.publisher = publish(epoch)
        self._make_publisher = publish
        """Makes a publisher of an epoch; the last one made is the one in charge."""
        self._factory = factory
        self._definitions = definitions
        self._served = Served(kind.key, discovery, definitions, clock)
        self._count = count
        """Asks the API server how many objects there are."""
        self._lists = lists
        """Makes what lists a kind that cannot be watched."""
        self._clock = clock
        self._informers: list[SharedInformer[Any]] = []
        """Of the kind, and of its definition."""
        self._handled: Registration[Any] | None = None
        self._rows_health: Callable[[], Health] = self.publisher.health
        """Of the rows that are made now."""
        self._followed_health: Callable[[], Health] = self.publisher.health
        """The same with what remains of the first list, whichever rows are made of it; or how the polling goes."""
        self._described: Described | None = None
        self.tasks: list[asyncio.Task[None]] = []
        """What runs for it. None of them ends but one whose part another took."""
        self._while_served: list[asyncio.Task[None]] = []
        """Those of them that end when it is served otherwise."""

    def start(self) -> None:
        """Begin; returns at once. The informer runs with the factory's next start."""
        self.publish()
        if self.kind.resolved:
            self._watch(self.kind.resource)
        self._keep(f"looking for {self.kind.key}", self._follow_served)

    def publish(self) -> None:
        """Begin to say how it is, without following it."""
        self._keep(f"publishing {self.kind.key}", self.publisher.run)

    async def stop(self) -> None:
        """End the watch and the publishing; returns when both have ended."""
        tasks, self.tasks, self._while_served = self.tasks, [], []
        for task in tasks:
            task.cancel()
        informers, self._informers = self._informers, []
        # before anything else is awaited: whoever follows the kind anew gets other informers
        await self._factory.drop(*informers)
        await cancelled(tasks)

    def say_unresolved(self, error: InformerdError) -> None:
        """It cannot be followed because discovery does not know it or does not answer, or because it has no list."""
        state: State = "unreachable"
        if isinstance(error, UnknownResource):
            state = "absent"
            if self.publisher.rows:  # it was served until now
                self._renew()
                self.publish()
        elif isinstance(error, Forbidden | NotWatchable):
            state = "forbidden"
        now = self._clock.time()
        before = self.publisher.health()
        since = before.since if before.state == state else now
        problem = f"{NOT_FOLLOWED}: {error}" if isinstance(error, NotWatchable) else str(error)
        health = Health(state=state, since=since, problem=problem, retry_at=now + RETRY_RESOLVE)
        self.publisher.health = lambda: health
        self.publisher.nudge()

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        self.tasks = [task for task in self.tasks if not task.done()]
        task = asyncio.create_task(kept_running(name, run, self._clock), name=name)
        self.tasks.append(task)
        return task

    def _watch(self, resource: Resource, described: Described | None = None) -> None:
        transform = mask_secret if (resource.group, resource.plural) == ("", "secrets") else None
        informer = self._factory.informer(resource, projection=projection_for(self.kind.key), transform=transform)
        self._informers.append(informer)
        expected = Expected(lambda: self._rows_health(), partial(self._count, resource), self._clock)
        self._followed_health = expected
        self._feed(informer, described)
        self._while_served.append(self._keep(f"counting {self.kind.key}", expected.run))
        informer.on_health(lambda _: self._health_changed())

    def _health_changed(self) -> None:
        self.publisher.nudge()
        if self._is_absent():
            self._served.doubt()

    def _poll(self, resource: Resource, described: Described) -> None:
        """List it again and again, where it cannot be watched."""
        self.publisher.describe(described)
        feed = KindFeed(self.kind.key, self.publisher, printed_shape(described))
        polling = Polling(self._lists(resource), feed, self._clock, self._health_changed)
        self._followed_health, self.publisher.health = polling, self._health
        self._while_served.append(self._keep(f"polling {self.kind.key}", polling.run))

    def _feed(self, informer: SharedInformer[Any], described: Described | None) -> None:
        """Have the publisher told of all that the informer knows and of every change."""
        shape = None
        if described is not None:
            self._described = described
            self.publisher.describe(described)
            shape = printed_shape(described) if needs_description(self.kind.key) else None
        self._handled = informer.add_handler(KindFeed(self.kind.key, self.publisher, shape))
        self._rows_health = KindHealth(informer, self._handled, self._clock)
        self.publisher.health = self._health

    def _health(self) -> Health:
        return no_longer_served(self._followed_health(), self.publisher.rows)

    def _reshape(self, informer: SharedInformer[Any], described: Described) -> None:
        """Make all rows anew, under an epoch that is younger than the one they had."""
        if described == self._described or informer not in self._informers:
            return
        logger.info("the definition of %s prints other columns now", self.kind.key)
        told_from = self.publisher.told_from
        self._renew()
        self.publisher.told_from = told_from
        self._feed(informer, described)
        self.publish()

    def _renew(self) -> None:
        """Put another publisher in the place of the one that there is; it knows no rows yet."""
        before = self.publisher
        if self._handled is not None:
            self._handled.remove()
        before.end()
        self.publisher = self._make_publisher(new_epoch(self._clock, after=before.epoch))
        self.publisher.rates = before.rates

    async def _follow_served(self) -> None:
        """Follow a kind as it is served, and anew each time it is served otherwise.

        One of which the version is known is looked for where the API server has nothing under that.
        """
        if self.kind.resolved and self._informers:
            await self._until_otherwise(self.kind.resource, at_most=SELDOM)
        while True:
            before = await self._let_go()
            resource, definition = await self._served.find(self.say_unresolved, before=before)
            if before:
                self._renew()
                self.publish()
            described = (
                definition.describe(resource) if definition else Described(resource.namespaced, (), resource.version)
            )
            if resource.verbs and "watch" not in resource.verbs:
                self._poll(resource, described)
            else:
                self._watch(resource, described)
            if definition is not None:
                self._watch_definition(resource)
            self._factory.start()
            await self._until_otherwise(resource)

    async def _until_otherwise(self, resource: Resource, *, at_most: float = RETRY_RESOLVE) -> None:
        await self._served.until_otherwise(
            resource, self._is_absent, lambda: bool(self.publisher.rows), at_most=at_most
        )
        logger.info("%s is not served in %s any more as it was", self.kind.key, resource.version)
        self._say_turning(resource)

    def _watch_definition(self, resource: Resource) -> None:
        followed = self._informers[:1]

        def changed(definition: Definition) -> None:
            self._served.hear(definition)
            if definition.serves(resource):
                for informer in followed:
                    self._reshape(informer, definition.describe(resource))

        self._informers.append(self._definitions.watch(resource, changed, self._served.doubt))

    def _is_absent(self) -> bool:
        return self._followed_health().state == "absent"

    def _say_turning(self, resource: Resource) -> None:
        """What is known of it is of the past: it is served otherwise, which is being asked for."""
        before, now = self.publisher.health(), self._clock.time()
        state: State = "stale" if before.state in ("live", "stale") else before.state
        since = before.since if before.state == state else now
        problem = f"the API server does not serve it in {resource.version} any more: how it is served is being asked"
        health = msgspec.structs.replace(before, state=state, since=since, problem=problem, answered=True)
        self.publisher.health = lambda: health
        self.publisher.nudge()

    async def _let_go(self) -> bool:
        """End what runs for the way in which it was served until now; False where nothing did."""
        informers, self._informers = self._informers, []
        tasks, self._while_served = self._while_served, []
        await self._factory.drop(*informers)
        await cancelled(tasks)
        return bool(informers or tasks)
