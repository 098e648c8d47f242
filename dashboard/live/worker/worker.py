"""Worker process: one informer and one publisher for each kind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

from dashboard.live.history.recorder import Recorder
from dashboard.live.object_counts.count_request import count
from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
    SilentSender,
)
from dashboard.live.replication.delta_traces import DeltaTraces
from dashboard.live.replication.entry_builder import EntryTimes
from dashboard.live.replication.epoch import new_epoch
from dashboard.live.replication.messages import REQUEST_GROUP, interest_decoder, snapshot_request_decoder
from dashboard.live.replication.publisher import Publisher
from dashboard.live.worker.crd_client import CrdClient
from dashboard.live.worker.followed_kind import FollowedKind
from dashboard.live.worker.namespace_access import NamespaceAccess
from dashboard.live.worker.on_demand_kinds import OnDemandKinds
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import projection_for
from dashboard.runtime.background_tasks import cancel_all, keep_running
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from dashboard.runtime.shard import WHOLE, Shard
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.list_watch import ListWatch
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.clock import Clock
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery

logger = logging.getLogger(__name__)


class Worker:
    """Watches `kinds`, and others on demand, and publishes them over `channel_layer`. The caller owns the client.

    An unreachable API server and a forbidden or unknown kind are reported in that kind's health and retried; other
    kinds are not affected.
    """

    def __init__(
        self,
        client: Client,
        channel_layer: ChannelLayer,
        kinds: Iterable[KindInfo],
        clock: Clock,
        *,
        discovery: Discovery | None = None,
        layer_health: ChannelLayerHealth | None = None,
        limits: OnDemandLimits | None = None,
        access: NamespaceAccess | None = None,
        history: Recorder | None = None,
        hash_key: bytes = b"",
        traces: DeltaTraces | None = None,
        shard: Shard = WHOLE,
        publishes: bool = True,
    ) -> None:
        """`limits` are those of the kinds that are followed on demand. `access` knows the namespaces that the account
        may list; without it all are listed, or none. `history` records each version of what is followed, and values of
        Secrets by their hashes with `hash_key`. Objects of other shards than `shard` are another worker's. One that
        does not publish only records.
        """
        self.epoch = new_epoch(clock)
        self.shard = shard
        layer_health = layer_health or ChannelLayerHealth()
        self._inbox = GroupChannel(channel_layer, REQUEST_GROUP, clock, layer_health)
        self._clock = clock
        self._times = EntryTimes(clock)
        self._discovery = discovery or Discovery(client, clock=clock)
        self._layer = channel_layer
        self._publishes = publishes
        self._sender = (Sender if publishes else SilentSender)(channel_layer, layer_health)
        settings = ReflectorSettings(keep_absent=True, lists_by_version=True)
        self.factory = SharedInformerFactory(client, clock=clock, settings=settings)
        self._definitions = CrdClient(client, self.factory)
        self._access = access
        self.history = history
        self._hash_key = hash_key
        self._traces = traces
        self._count = partial(count, client)
        self._lists = partial(_lists, client, clock, shard)
        self.publishers: dict[str, Publisher] = {}
        """The kinds that are always followed."""
        self._followed = [self._follow_always(kind) for kind in kinds]
        self.on_demand = OnDemandKinds(
            self._follow_on_demand, self.publishers.__contains__, lambda: self.factory.start(), clock, limits
        )
        """The kinds that are followed on demand."""
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
        """Start; returns at once. A second call has no effect."""
        if self._tasks:
            return
        self._keep("answering snapshot requests", self._answer_asks)
        self._keep("dropping unused kinds", self.on_demand.run)
        if self.history is not None:
            self._keep("recording the history", self.history.run)
        for followed in self._followed:
            followed.start()
        self.factory.start()

    async def stop(self) -> None:
        """End watches and publishers; returns when all have ended."""
        tasks, self._tasks = self._tasks, []
        await cancel_all(tasks)
        for followed in self._followed:
            await followed.stop()
        await self.on_demand.stop()
        await self.factory.stop()

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(keep_running(name, run, self._clock), name=name))

    def _follow_always(self, kind: KindInfo) -> FollowedKind:
        def publish(epoch: str) -> Publisher:
            publisher = self.publishers[kind.key] = self._make_publisher(kind.key, epoch)
            return publisher

        return self._follow(kind, publish, self.epoch)

    def _follow_on_demand(self, kind: KindInfo) -> FollowedKind:
        """Follow a kind on demand, with a new epoch: when it is followed again later, its frames count from 1 again."""
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
            self._access,
            self.history,
            self._hash_key,
            self.shard,
        )

    def _make_publisher(self, key: str, epoch: str) -> Publisher:
        return Publisher(
            key,
            self._layer,
            self._clock,
            epoch=epoch,
            sender=self._sender,
            traces=self._traces,
            times=self._times,
            shard=self.shard,
        )

    def is_published(self, key: str) -> bool:
        """Whether the feed has this kind, always or on demand."""
        return key in self.publishers or key in self.on_demand.keys

    def is_connected(self) -> bool:
        """Whether an informer of the kinds that are always followed is up to date."""
        return any(publisher.health().state == "live" for publisher in self.publishers.values())

    def rows(self) -> dict[str, dict[str, Row]]:
        """The rows of all kinds that are published, by key of the kind and uid."""
        found = {key: publisher.rows for key, publisher in self.publishers.items()}
        for key in self.on_demand.keys:
            if (followed := self.on_demand.get(key)) is not None:
                found[key] = followed.publisher.rows
        return found

    def _publisher(self, key: str) -> Publisher | None:
        followed = self.on_demand.get(key)
        return followed.publisher if followed is not None else self.publishers.get(key)

    async def _answer_asks(self) -> None:
        """Receive the replicas' requests, pass each to its publisher, and follow what web processes want."""
        await self._inbox.run(self._answer)

    async def _answer(self, message: dict[str, Any]) -> None:
        try:
            if message["type"] == "feed.want":
                await self.on_demand.receive_interest(interest_decoder.decode(message["data"]))
                return
            ask = snapshot_request_decoder.decode(message["data"])
        except UNREADABLE as error:
            logger.log(
                self._unreadable, "dropped a request; check whether a web process runs another version: %s", error
            )
            self._unreadable = logging.DEBUG
            return
        if self._publishes and (publisher := self._publisher(ask.resource)):
            try:
                await publisher.answer(ask)
            except Exception:
                logger.exception(
                    "could not answer a request for %s", ask.resource
                )  # and go on answering for the others


def _lists(client: Client, clock: Clock, shard: Shard, resource: Resource, namespace: str) -> ListWatch[Any]:
    return ListWatch(
        client,
        resource,
        projection=projection_for(resource.key),
        namespace=namespace,
        shard_selector=shard.selector,
        clock=clock,
    )
