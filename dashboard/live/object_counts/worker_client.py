"""Object counts in a web process: the newest counts of the workers, and the announcement that pages show them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dashboard.live.object_counts.messages import (
    COUNT_REQUEST_GROUP,
    OBJECT_COUNTS_GROUP,
    KindCount,
    ObjectCounts,
    object_counts_decoder,
)
from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
)
from dashboard.objects.kinds.catalog import kinds_told_apart, register_shared_names
from dashboard.runtime.background_tasks import cancel_all, keep_running
from informerd.clock import Clock

logger = logging.getLogger(__name__)

REQUEST_INTERVAL = 10.0
"""Seconds between two announcements to the workers, however many browsers show counts."""
SILENCE_TIMEOUT = 30.0
"""Seconds of silence of a worker after which the counts of an older one are accepted."""


class ObjectCountsClient:
    """Counts of the kinds that nobody follows, each with its time; empty until a worker has sent them."""

    def __init__(
        self, channel_layer: ChannelLayer, clock: Clock, *, layer_health: ChannelLayerHealth | None = None
    ) -> None:
        layer_health = layer_health or ChannelLayerHealth()
        self.counts_by_key: Mapping[str, KindCount] = {}
        """By key, in discovery's order."""
        self.kinds_digest = ""
        """Changes with the set of kinds, not with their counts."""
        self.shared_names: frozenset[str] = frozenset()
        """Keys of the kinds that pages tell from others of the same name by their API group."""
        self.on_new_kinds: Callable[[], None] = lambda: None
        """Called when the set of kinds has changed."""
        self._sender = Sender(channel_layer, layer_health)
        self._inbox = GroupChannel(channel_layer, OBJECT_COUNTS_GROUP, clock, layer_health)
        self._clock = clock
        self._workers: dict[str, tuple[str, float]] = {}
        self._epoch = ""
        self._heard_at = float("-inf")
        self._announced_at = float("-inf")
        self._wake = asyncio.Event()
        self._unreadable = logging.WARNING

    def request_counts(self) -> None:
        """A page shows counts: workers keep them no older than a minute for a while. Costs nothing."""
        if self._clock.now() - self._announced_at >= REQUEST_INTERVAL:
            self._announced_at = self._clock.now()
            self._wake.set()

    async def run(self) -> None:
        """Receive and announce until cancelled."""
        announcing = asyncio.create_task(
            keep_running("announcing the pages that show counts", self._announce, self._clock)
        )
        try:
            await self._inbox.run(self._receive_message)
        finally:
            await cancel_all([announcing])

    def receive(self, object_counts: ObjectCounts) -> None:
        """Take in a worker's message: the counts of the younger of two workers are used while it is heard."""
        now = self._clock.now()
        self._workers[object_counts.epoch] = (object_counts.worker, now)
        if object_counts.epoch < self._epoch and now - self._heard_at < SILENCE_TIMEOUT:
            return
        self._epoch, self._heard_at = object_counts.epoch, now
        self.counts_by_key = {counted.resource.key: counted for counted in object_counts.kinds}
        digest = hashlib.blake2b(" ".join(self.counts_by_key).encode(), digest_size=6).hexdigest()
        if not self.counts_by_key:
            digest = ""
        if digest != self.kinds_digest:
            self.kinds_digest = digest
            resources = [counted.resource for counted in object_counts.kinds]
            self.shared_names = kinds_told_apart(resources)
            register_shared_names(resources, self.shared_names)
            self.on_new_kinds()

    @property
    def workers(self) -> Iterator[tuple[str, str]]:
        """Epoch and name of each worker that was heard recently."""
        now = self._clock.now()
        self._workers = {epoch: each for epoch, each in self._workers.items() if now - each[1] < SILENCE_TIMEOUT}
        return ((epoch, name) for epoch, (name, _) in self._workers.items())

    async def _receive_message(self, message: dict[str, Any]) -> None:
        try:
            if message["type"] == "census.counts":
                self.receive(object_counts_decoder.decode(message["data"]))
        except UNREADABLE as error:
            logger.log(self._unreadable, "dropped a census, is the worker of another version? %s", error)
            self._unreadable = logging.DEBUG

    async def _announce(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._sender.to_group(COUNT_REQUEST_GROUP, {"type": "census.look"})
