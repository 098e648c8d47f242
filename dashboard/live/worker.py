"""The worker: informers on one side, publishers on the other, one of each a kind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import msgspec

from dashboard.live.kind_feed import KindFeed
from dashboard.live.kind_health import KindHealth
from dashboard.live.layer import Inbox, Layer, Sender, Trouble
from dashboard.live.messages import ASK_GROUP, ask_decoder
from dashboard.live.publisher import Publisher, new_epoch
from dashboard.live.tasks import cancelled, kept_running
from dashboard.resources.kinds import KindInfo
from dashboard.resources.rows import mask_secret, projection_for
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health, State
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, UnknownResource
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery

logger = logging.getLogger(__name__)

RETRY_RESOLVE = 5.0
"""Seconds between two questions to discovery for a kind that it does not know yet."""


class Worker:
    """Watches `kinds` and publishes them over `layer`. The client stays its owner's to close.

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
        self._kinds = tuple(kinds)
        self._sender = Sender(layer, trouble)
        self.factory = SharedInformerFactory(client, clock=clock)
        self.publishers = {
            kind.key: Publisher(kind.key, layer, clock, epoch=self.epoch, sender=self._sender) for kind in self._kinds
        }
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
        for publisher in self.publishers.values():
            self._keep(f"publishing {publisher.key}", publisher.run)
        for kind in self._kinds:
            if kind.resolved:
                self._watch(kind, kind.resource)
            else:
                self._keep(f"looking for {kind.key}", partial(self._resolve, kind))
        self.factory.start()

    async def stop(self) -> None:
        """End watches and publishing; returns when all has ended."""
        tasks, self._tasks = self._tasks, []
        await cancelled(tasks)
        await self.factory.stop()

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(kept_running(name, run, self._clock), name=name))

    def _watch(self, kind: KindInfo, resource: Resource) -> None:
        publisher = self.publishers[kind.key]
        transform = mask_secret if (resource.group, resource.plural) == ("", "secrets") else None
        informer = self.factory.informer(resource, projection=projection_for(kind.key), transform=transform)
        handled = informer.add_handler(KindFeed(kind.key, publisher))
        publisher.health = KindHealth(informer, handled, self._clock)
        informer.on_health(lambda _: publisher.nudge())

    async def _resolve(self, kind: KindInfo) -> None:
        """Ask discovery for a kind of which only the name is known, until it exists."""
        while True:
            try:
                resource = await self._discovery.resolve(kind.key)
            except InformerdError as error:
                self._say_unresolved(kind.key, error)
                await self._clock.sleep(RETRY_RESOLVE)
                self._discovery.invalidate()
                continue
            self._watch(kind, resource)
            self.factory.start()
            return

    def _say_unresolved(self, key: str, error: InformerdError) -> None:
        state: State = "unreachable"
        if isinstance(error, UnknownResource):
            state = "absent"
        elif isinstance(error, Forbidden):
            state = "forbidden"
        now = self._clock.time()
        publisher = self.publishers[key]
        before = publisher.health()
        since = before.since if before.state == state else now
        health = Health(state=state, since=since, problem=str(error), retry_at=now + RETRY_RESOLVE)
        publisher.health = lambda: health
        publisher.nudge()

    async def _answer_asks(self) -> None:
        """Hear what replicas ask and let the right publisher answer."""
        await self._inbox.run(self._answer)

    async def _answer(self, message: dict[str, Any]) -> None:
        try:
            ask = ask_decoder.decode(message["data"])
        except (KeyError, TypeError, msgspec.MsgspecError) as error:
            logger.log(self._unreadable, "dropped a question, is a web process of another version? %s", error)
            self._unreadable = logging.DEBUG
            return
        if publisher := self.publishers.get(ask.resource):
            try:
                await publisher.answer(ask)
            except Exception:
                logger.exception("could not answer for %s", ask.resource)  # and go on answering for the others
