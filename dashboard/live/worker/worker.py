"""The worker: informers on one side, publishers on the other, one of each a kind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import msgspec

from dashboard.census.counting import count
from dashboard.live.definitions import Definitions
from dashboard.live.epoch import new_epoch
from dashboard.live.followed_kind import FollowedKind
from dashboard.live.layer import Inbox, Layer, Sender, Trouble
from dashboard.live.messages import ASK_GROUP, ask_decoder, want_decoder
from dashboard.live.on_demand import OnDemand
from dashboard.live.publisher import Publisher
from dashboard.live.tasks import cancelled, kept_running
from dashboard.resources.kinds import KindInfo
from dashboard.resources.rows import projection_for
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.list_watch import ListWatch
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.clock import Clock
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery

logger = logging.getLogger(__name__)


class Worker:
    """Watches `kinds`, and others while somebody looks, and publishes them over `layer`. The client is its owner's.

    An API server that cannot be reached, a kind that is forbidden or does not exist: each is said in that kind's
    health, retried, and keeps nothing else from running.
    """

    def __init__(
        self,
        client: Client,
        layer: Layer,
        kinds: Iterable[KindInfo],
        clock: Clock,
        *,
        discovery: Discovery | None = None,
        trouble: Trouble | None = None,
    ) -> None:
        self.epoch = new_epoch(clock)
        trouble = trouble or Trouble()
        self._inbox = Inbox(layer, ASK_GROUP, clock, trouble)
        self._clock = clock
        self._discovery = discovery or Discovery(client, clock=clock)
        self._layer = layer
        self._sender = Sender(layer, trouble)
        self.factory = SharedInformerFactory(client, clock=clock, settings=ReflectorSettings(keep_absent=True))
        self._definitions = Definitions(client, self.factory)
        self._count = partial(count, client)
        self._lists = partial(_lists, client, clock)
        self.publishers: dict[str, Publisher] = {}
        """Of the kinds that are always followed."""
        self._followed = [self._follow_always(kind) for kind in kinds]
        self.on_demand = OnDemand(
            self._follow_on_demand, self.publishers.__contains__, lambda: self.factory.start(), clock
        )
        """Of the others, those that somebody looks at."""
        self._tasks: list[asyncio.Task[None]] = []
        self._unreadable = logging.WARNING

    async def run(self) -> None:
        """Watch and publish until cancelled."""
        self.start()
        try:
            await asyncio.gather(*self._tasks)
        finally:
            await self.stop()

    def start(self) -> None:
        """Begin; returns at once. Starting a second time changes nothing."""
        if self._tasks:
            return
        self._keep("the answering of snapshots", self._answer_asks)
        self._keep("the letting go of kinds", self.on_demand.run)
        for followed in self._followed:
            followed.start()
        self.factory.start()

    async def stop(self) -> None:
        """End watches and publishing; returns when all has ended."""
        tasks, self._tasks = self._tasks, []
        await cancelled(tasks)
        for followed in self._followed:
            await followed.stop()
        await self.on_demand.stop()
        await self.factory.stop()

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(kept_running(name, run, self._clock), name=name))

    def _follow_always(self, kind: KindInfo) -> FollowedKind:
        def publish(epoch: str) -> Publisher:
            publisher = self.publishers[kind.key] = self._make_publisher(kind.key, epoch)
            return publisher

        return self._follow(kind, publish, self.epoch)

    def _follow_on_demand(self, kind: KindInfo) -> FollowedKind:
        """With an epoch of its own: followed again later, its frames count from 1 again."""
        return self._follow(kind, partial(self._make_publisher, kind.key), new_epoch(self._clock))

    def _follow(self, kind: KindInfo, publish: Callable[[str], Publisher], epoch: str) -> FollowedKind:
        return FollowedKind(
            kind,
            publish,
            epoch,
            self.factory,
            self._discovery,
            self._definitions,
            self._count,
            self._lists,
            self._clock,
        )

    def _make_publisher(self, key: str, epoch: str) -> Publisher:
        return Publisher(key, self._layer, self._clock, epoch=epoch, sender=self._sender)

    def follows(self, key: str) -> bool:
        """Whether the feed has this kind, be it always or because somebody looks."""
        return key in self.publishers or key in self.on_demand.keys

    def _publisher(self, key: str) -> Publisher | None:
        followed = self.on_demand.get(key)
        return followed.publisher if followed is not None else self.publishers.get(key)

    async def _answer_asks(self) -> None:
        """Hear what replicas ask, let the right publisher answer, and follow what web processes want."""
        await self._inbox.run(self._answer)

    async def _answer(self, message: dict[str, Any]) -> None:
        try:
            if message["type"] == "feed.want":
                await self.on_demand.hear(want_decoder.decode(message["data"]))
                return
            ask = ask_decoder.decode(message["data"])
        except (KeyError, TypeError, msgspec.MsgspecError) as error:
            logger.log(self._unreadable, "dropped a question, is a web process of another version? %s", error)
            self._unreadable = logging.DEBUG
            return
        if publisher := self._publisher(ask.resource):
            try:
                await publisher.answer(ask)
            except Exception:
                logger.exception("could not answer for %s", ask.resource)  # and go on answering for the others


def _lists(client: Client, clock: Clock, resource: Resource) -> ListWatch[Any]:
    return ListWatch(client, resource, projection=projection_for(resource.key), clock=clock)
