"""Object counts in the worker: the kinds of discovery, and counts of those nobody follows while pages show them."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

import msgspec

from dashboard.live.object_counts.count_request import ListClient, count
from dashboard.live.object_counts.messages import (
    COUNT_REQUEST_GROUP,
    OBJECT_COUNTS_GROUP,
    KindCount,
    ObjectCounts,
    encoder,
)
from dashboard.live.replication.channel_layer import ChannelLayer, ChannelLayerHealth, GroupChannel, Sender
from dashboard.runtime.background_tasks import cancel_all, keep_running
from informerd.clock import Clock, sleep_or, within
from informerd.errors import InformerdError, Unreachable
from informerd.resource import Resource

COUNT_INTERVAL = 60.0
"""Seconds between two counts of a kind, at least."""
DISCOVERY_INTERVAL = 10.0
"""Seconds between two discovery requests while pages show counts (the answer is usually 304); else ANNOUNCE_INTERVAL.
"""
REQUEST_TTL = 90.0
"""Seconds that a request for counts lasts: an open page repeats it every 60 s."""
COUNT_PAUSE = 0.02
"""Seconds between two counts: 50 a second at most, one at a time."""
COUNT_TIMEOUT = 5.0
"""Time limit of one count in seconds."""
TICK = 1.0
"""Seconds between two checks of what is due."""
ANNOUNCE_INTERVAL = 10.0
"""Seconds between two messages while nothing changes."""


CountObjects = Callable[[Resource], Awaitable[int | None]]
"""Number of a kind's objects; None where it is not known. Raises ApiError, Unreachable and MalformedAnswer."""


class DiscoveryClient(Protocol):
    """The used part of Discovery. The collector has its own: `invalidate` would slow down others."""

    def invalidate(self) -> None: ...

    async def resources(self) -> tuple[Resource, ...]: ...


def process_name() -> str:
    """Where this process runs, for people."""
    return f"{socket.gethostname()}, process {os.getpid()}"


class ObjectCountsCollector:
    """Announces the existing kinds, and the number of objects of those for which `is_followed` is false, while `run`
    runs.
    """

    def __init__(
        self,
        client: ListClient,
        discovery: DiscoveryClient,
        channel_layer: ChannelLayer,
        clock: Clock,
        *,
        epoch: str,
        is_followed: Callable[[str], bool],
        layer_health: ChannelLayerHealth,
        count_objects: CountObjects | None = None,
    ) -> None:
        """`count_objects` counts the objects of a kind; by default it counts those of the whole cluster."""
        self._count_objects = count_objects or partial(count, client)
        self._discovery = discovery
        self._clock = clock
        self._epoch = epoch
        self._follows = is_followed
        self._sender = Sender(channel_layer, layer_health)
        self._inbox = GroupChannel(channel_layer, COUNT_REQUEST_GROUP, clock, layer_health)
        self._wake = asyncio.Event()
        self._kinds: dict[str, KindCount] = {}
        self._tried_at: dict[str, float] = {}
        """Time of each kind's last count, monotonic seconds."""
        self._requested_at = float("-inf")
        self._named = float("-inf")
        self._sent_at = float("-inf")
        self._news = False

    async def run(self) -> None:
        """Receive requests, count and announce, until cancelled."""
        receiving = asyncio.create_task(keep_running("receiving requests for counts", self._hear, self._clock))
        try:
            while True:
                self._wake.clear()
                await self.run_due()
                await sleep_or(self._wake, TICK, self._clock)
        finally:
            await cancel_all([receiving])

    def request_counts(self) -> None:
        """A page shows counts."""
        if not self._is_looked_at:
            self._wake.set()
        self._requested_at = self._clock.now()

    async def run_due(self) -> None:
        """Do what is due: discovery, counts, message. While the API server does not answer, the known counts stay."""
        await self._name()
        if self._is_looked_at:
            await self._count()
        if self._news or self._clock.now() - self._sent_at >= ANNOUNCE_INTERVAL:
            await self._publish()

    @property
    def _is_looked_at(self) -> bool:
        return self._clock.now() - self._requested_at < REQUEST_TTL

    async def _hear(self) -> None:
        await self._inbox.run(self._receive_message)

    async def _receive_message(self, message: dict[str, Any]) -> None:
        if message.get("type") == "census.look":
            self.request_counts()

    async def _name(self) -> None:
        now = self._clock.now()
        if now - self._named < (DISCOVERY_INTERVAL if self._is_looked_at or not self._kinds else COUNT_INTERVAL):
            return
        self._named = now
        self._discovery.invalidate()
        try:
            resources = await self._discovery.resources()
        except InformerdError:
            return  # the connection reports the problem on all pages
        known = {each.key: each for each in resources if "list" in each.verbs}
        before, self._kinds = self._kinds, {key: self._renamed_count(key, each) for key, each in known.items()}
        self._news = self._news or before.keys() != self._kinds.keys()

    def _renamed_count(self, key: str, resource: Resource) -> KindCount:
        before = self._kinds.get(key)
        return KindCount(resource) if before is None else msgspec.structs.replace(before, resource=resource)

    async def _count(self) -> None:
        for key in list(self._kinds):
            if self._follows(key) or self._clock.now() - self._tried_at.get(key, float("-inf")) < COUNT_INTERVAL:
                continue
            self._tried_at[key] = self._clock.now()
            try:
                await self._count_one(key)
            except (Unreachable, TimeoutError):
                return
            if self._clock.now() - self._sent_at >= TICK:
                await self._publish()
            await self._clock.sleep(COUNT_PAUSE)

    async def _count_one(self, key: str) -> None:
        before = self._kinds[key]
        try:
            async with within(COUNT_TIMEOUT, self._clock):
                number = await self._count_objects(before.resource)
        except Unreachable:
            raise
        except InformerdError as error:
            after = msgspec.structs.replace(before, problem=str(error))
        else:
            after = KindCount(before.resource, number, self._clock.time())
        self._kinds[key] = after
        self._news = True

    async def _publish(self) -> None:
        self._news, self._sent_at = False, self._clock.now()
        census = ObjectCounts(self._epoch, tuple(self._kinds.values()), process_name())
        await self._sender.to_group(OBJECT_COUNTS_GROUP, {"type": "census.counts", "data": encoder.encode(census)})
