"""Collector of usage in the worker: one poll of the metrics API for all, its history, and the answers to pages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
)
from dashboard.live.usage.messages import (
    MAX_ITEMS,
    USAGE_GROUP,
    USAGE_REQUEST_GROUP,
    ReportPart,
    UsageRequest,
    encoder,
    request_decoder,
)
from dashboard.live.usage.metrics_api import GROUP, AllowedNamespaces, ListClient, read_nodes, read_pods
from dashboard.live.usage.older_usage import OlderUsage
from dashboard.live.usage.prometheus import Prometheus
from dashboard.live.usage.usage_history import UsageHistory, until
from dashboard.live.usage.usage_totals import NAMESPACES, NODES, PODS, Rows, Usages, usages_of
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage
from dashboard.runtime.background_tasks import cancel_all, keep_running
from informerd.clock import Clock
from informerd.errors import ApiError, Forbidden, InformerdError, NotFound

logger = logging.getLogger(__name__)

NO_METRICS_API = (
    f"Nothing in the cluster serves the metrics API ({GROUP}), so what pods use is not known: "
    "metrics-server is usually installed for it."
)
ABSENT_INTERVAL = 60.0
"""Seconds between two polls while nothing serves the metrics API."""
ROWS_INTERVAL = 3.0
"""The same while pods are measured and the worker has listed none yet, as after its start."""
MAX_READING = 8
"""Most questions to Prometheus at a time; of what is not asked for, the next poll's question makes up."""
SLOW_POLL = 0.1
"""Part of the time that polls may take: where one takes long, the pause after it grows."""


class UsageCollector:
    """Polls every `interval` seconds while `run` runs, sums up by owner, keeps the past, and publishes."""

    def __init__(
        self,
        client: ListClient,
        channel_layer: ChannelLayer,
        clock: Clock,
        *,
        epoch: str,
        rows: Callable[[], Rows],
        allowed: AllowedNamespaces,
        layer_health: ChannelLayerHealth,
        interval: float,
        namespaces: tuple[str, ...] = (),
        prometheus: Prometheus | None = None,
    ) -> None:
        """`rows` returns the objects that the worker follows. `namespaces` are those that are polled; empty: all.
        `prometheus` knows what was before.
        """
        self.history = UsageHistory()
        self._client = client
        self._clock = clock
        self._epoch = epoch
        self._rows = rows
        self._allowed = allowed
        self._interval = interval
        self._namespaces = namespaces
        self._sender = Sender(channel_layer, layer_health)
        self._inbox = GroupChannel(channel_layer, USAGE_REQUEST_GROUP, clock, layer_health)
        self._older = OlderUsage(prometheus, clock, rows) if prometheus is not None else None
        self._reading: set[asyncio.Task[None]] = set()
        self._begun_at = clock.time()
        self._number = 0
        self._usages: Usages = {}
        self._problem = ""
        self._is_absent = self._is_waiting_for_rows = False
        self._answered_at: float | None = None

    async def run(self) -> None:
        """Poll and answer until cancelled."""
        answering = asyncio.create_task(keep_running("answering questions about usage", self._answer_all, self._clock))
        try:
            while True:
                begun = self._clock.now()
                await self.poll()
                await self._clock.sleep(self._pause_after(self._clock.now() - begun))
        finally:
            await cancel_all([answering, *self._reading])

    def _pause_after(self, took: float) -> float:
        """Seconds until the next poll."""
        if self._is_absent:
            return ABSENT_INTERVAL
        usual = max(self._interval - took, took / SLOW_POLL)
        return min(usual, ROWS_INTERVAL) if self._is_waiting_for_rows else usual

    async def poll(self) -> None:
        """Ask the metrics API once, and publish what it says. Where it does not answer, the report says why."""
        self._number += 1
        try:
            pods = await read_pods(self._client, self._namespaces, self._allowed)
            nodes = [] if self._namespaces else await self._nodes()
        except InformerdError as error:
            self._note_failure(error)
        else:
            now = self._clock.time()
            self._usages = await usages_of(pods, nodes, self._rows())
            self._problem, self._is_absent, self._answered_at = "", False, now
            self._is_waiting_for_rows = bool(pods) and not self._usages.get(PODS)
            for key, usages in self._usages.items():
                for start in range(0, len(usages), MAX_ITEMS):
                    self.history.record(key, usages[start : start + MAX_ITEMS], now)
                    await asyncio.sleep(0)
        for part in self._parts():
            await self._sender.to_group(USAGE_GROUP, {"type": "usage.part", "data": encoder.encode(part)})

    async def _nodes(self) -> list[Any]:
        try:
            return await read_nodes(self._client)
        except Forbidden:
            return []

    def _note_failure(self, error: InformerdError) -> None:
        self._is_absent = isinstance(error, NotFound) or (isinstance(error, ApiError) and error.code == 404)
        if isinstance(error, Forbidden):
            problem = f"Deltaboard's account may not read what pods use: {error}"
        else:
            problem = NO_METRICS_API if self._is_absent else f"The metrics API does not answer: {error}"
        if problem != self._problem:
            logger.warning("usage: %s", problem)
        self._problem = problem
        if self._is_absent:
            self._usages = {}

    def _parts(self) -> list[ReportPart]:
        pieces: list[tuple[str, tuple[Usage, ...]]] = []
        for key, usages in self._usages.items():
            pieces += [(key, tuple(usages[at : at + MAX_ITEMS])) for at in range(0, len(usages), MAX_ITEMS)]
        groups: list[list[tuple[str, tuple[Usage, ...]]]] = [[]]
        room = MAX_ITEMS
        for piece in pieces:
            if len(piece[1]) > room:
                groups.append([])
                room = MAX_ITEMS
            groups[-1].append(piece)
            room -= len(piece[1])
        now = self._clock.time()
        return [
            ReportPart(
                self._epoch, self._number, index, len(groups), now, self._problem, tuple(items), self._answered_at
            )
            for index, items in enumerate(groups)
        ]

    async def _answer_all(self) -> None:
        await self._inbox.run(self._answer_message)

    async def _answer_message(self, message: dict[str, Any]) -> None:
        try:
            asked = request_decoder.decode(message["data"])
        except UNREADABLE as error:
            logger.debug("dropped a question about usage: %s", error)
            return
        if not asked.kind:
            for part in self._parts() if self._number else []:
                await self._send(asked, "usage.part", encoder.encode(part))
            return
        await self._send(asked, "usage.past", encoder.encode(self._past_of(asked)))
        older = self._older
        if older is None or len(self._reading) >= MAX_READING or not self._may_read(asked.kind, asked.key):
            return
        if older.must_ask(asked.kind, asked.key):
            task = asyncio.create_task(self._read_older(older, asked), name="asking Prometheus")
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)

    def _may_read(self, kind: str, key: str) -> bool:
        """Whether the account may read what such objects use: the last poll had some of their namespace, or nodes."""
        if kind == NODES:
            return bool(self._usages.get(NODES))
        namespace = key if kind == NAMESPACES else key.rpartition("/")[0]
        return any(usage.key == namespace for usage in self._usages.get(NAMESPACES, ()))

    async def _read_older(self, older: OlderUsage, asked: UsageRequest) -> None:
        """Ask Prometheus what was before, and answer once more with it."""
        await older.read(asked.kind, asked.key)
        await self._send(asked, "usage.past", encoder.encode(self._past_of(asked)))

    async def _send(self, asked: UsageRequest, message_type: str, data: bytes) -> None:
        await self._sender.to_channel(asked.reply_channel, {"type": message_type, "data": data})

    def _past_of(self, asked: UsageRequest) -> PastUsage:
        samples = self.history.samples(asked.kind, asked.key, self._clock.time())
        begin = samples[0].at if samples else self._clock.time()
        older, problem = self._older.known(asked.kind, asked.key) if self._older is not None else ([], "")
        before = until(older, begin)
        return PastUsage(self._epoch, asked.kind, asked.key, self._begun_at, (*before, *samples), problem)
