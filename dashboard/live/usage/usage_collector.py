"""Collector of usage in the worker: one poll of the metrics API for all, its history, and the answers to pages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
)
from dashboard.live.usage.messages import (
    MAX_ITEMS,
    PART,
    SHARD_PART,
    USAGE_GROUP,
    USAGE_REQUEST_GROUP,
    ReportPart,
    UsageRequest,
    encoder,
    request_decoder,
)
from dashboard.live.usage.metrics_api import (
    GROUP,
    AllowedNamespaces,
    ListClient,
    Measured,
    MeasuredPods,
    read_nodes,
    read_pods,
)
from dashboard.live.usage.missing_rights import MissingRights
from dashboard.live.usage.older_usage import OlderUsage
from dashboard.live.usage.prometheus import Prometheus
from dashboard.live.usage.usage_history import UsageHistory, until
from dashboard.live.usage.usage_totals import NAMESPACES, NODES, PODS, Rows, Usages, usages_of
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage
from dashboard.runtime.background_tasks import cancel_all, keep_running
from dashboard.runtime.shard import WHOLE, Shard
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
MAX_PAUSE = 120.0
"""Limit of that pause in seconds: pages show what was measured for five minutes."""
RECOVERY_CHECK = 1.0
"""Seconds between two looks whether the informers have the API server again, while the metrics API does not answer."""


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
        is_served: Callable[[], Awaitable[bool]],
        layer_health: ChannelLayerHealth,
        is_connected: Callable[[], bool],
        interval: float,
        namespaces: tuple[str, ...] = (),
        prometheus: Prometheus | None = None,
        shard: Shard = WHOLE,
    ) -> None:
        """`rows` returns the objects that the worker follows. `namespaces` are those that are polled; empty: all.
        `is_served` tells whether discovery has the metrics API: it is asked where nothing could be read, as “forbidden”
        is also the answer where nothing is there to read. `is_connected` tells whether informers have the API server:
        once they have it again, the next poll does not wait. `prometheus` knows what was before. Objects of other
        shards than `shard` are another worker's.
        """
        self.history = UsageHistory()
        self.polls = self.failures = 0
        """Polls, and those of them that told nothing."""
        self.poll_seconds = 0.0
        """Seconds that all polls took."""
        self.answered_at: float | None = None
        """Unix seconds of the last poll that was answered; None where none was."""
        self._client = client
        self._clock = clock
        self._epoch = epoch
        self._rows = rows
        self._allowed = allowed
        self._is_served = is_served
        self._is_connected = is_connected
        self._interval = interval
        self._namespaces = namespaces
        self._shard = shard
        self._sender = Sender(channel_layer, layer_health)
        self._inbox = GroupChannel(channel_layer, USAGE_REQUEST_GROUP, clock, layer_health)
        self._older = OlderUsage(prometheus, clock, rows) if prometheus is not None else None
        self._reading: set[asyncio.Task[None]] = set()
        self._begun_at = clock.time()
        self._tried_at = self._begun_at
        self._pause = 0.0
        """Seconds from `_tried_at` to the next poll."""
        self._usages: Usages = {}
        self._problem = ""
        self._missing = MissingRights()
        self._is_absent = self._is_waiting_for_rows = False

    async def run(self) -> None:
        """Poll and answer until cancelled."""
        answering = asyncio.create_task(keep_running("answering questions about usage", self._answer_all, self._clock))
        try:
            while True:
                await self.poll()
                await self._wait()
        finally:
            await cancel_all([answering, *self._reading])

    async def _wait(self) -> None:
        """Wait until the next poll; after one that failed, only until the informers have the API server again."""
        end, was_connected = self._clock.now() + self._pause, self._is_connected()
        while self._problem and not self._is_absent and end - self._clock.now() > RECOVERY_CHECK:
            await self._clock.sleep(RECOVERY_CHECK)
            is_connected = self._is_connected()
            if is_connected and not was_connected:
                return
            was_connected = is_connected
        await self._clock.sleep(max(0.0, end - self._clock.now()))

    def _pause_after(self, took: float) -> float:
        """Seconds until the next poll."""
        if self._is_absent:
            return ABSENT_INTERVAL
        if self._problem:  # how long it took to fail says nothing about what a poll costs
            return self._interval
        usual = max(self._interval - took, min(took / SLOW_POLL, MAX_PAUSE))
        return min(usual, ROWS_INTERVAL) if self._is_waiting_for_rows else usual

    async def poll(self) -> None:
        """Ask the metrics API once, and publish what it says. Where it does not answer, the report says why."""
        begun = self._clock.now()
        self.polls += 1
        try:
            pods, nodes, missing = await self._read()
            has_answered = bool(pods or nodes)
            if (missing.pods or missing.nodes) and not has_answered and not await self._is_served():
                self._note_absence()
            else:
                await self._take(pods, nodes, missing)
        except InformerdError as error:
            if isinstance(error, NotFound) or (isinstance(error, ApiError) and error.code == 404):
                self._note_absence()
            else:
                self._note_problem(f"The metrics API does not answer: {str(error).rstrip('.')}.")
        took = self._clock.now() - begun
        self.poll_seconds += took
        self._tried_at, self._pause = self._clock.time(), self._pause_after(took)
        for part in self._parts():
            await self._sender.to_group(USAGE_GROUP, {"type": self._part_type, "data": encoder.encode(part)})

    async def _read(self) -> tuple[list[Measured], list[Measured], MissingRights]:
        """Pods, nodes, and what of them may not be read. Raises as `Client.list` for other reasons."""
        rows = self._rows()
        pods, nodes, missing = MeasuredPods([]), list[Measured](), MissingRights()
        try:
            pods = await read_pods(self._client, self._namespaces, self._allowed)
        except Forbidden:
            missing = MissingRights(pods=True)
        if pods.namespaces is not None and not missing.pods:
            unread = {row.namespace for row in rows.get(PODS, {}).values()} - pods.namespaces
            missing = MissingRights(namespaces=tuple(sorted(unread)))
        is_polling_nodes = not self._namespaces and self._shard.includes("")
        if is_polling_nodes or rows.get(NODES):
            try:
                nodes = await read_nodes(self._client)
            except Forbidden:
                missing = msgspec.structs.replace(missing, nodes=True)
        if self._shard != WHOLE:
            mine = {name for name in {namespace_of(PODS, pod.key) for pod in pods.pods} if self._shard.includes(name)}
            return [pod for pod in pods.pods if namespace_of(PODS, pod.key) in mine], nodes, missing
        return pods.pods, nodes, missing

    async def _take(self, pods: list[Measured], nodes: list[Measured], missing: MissingRights) -> None:
        if missing != self._missing:
            for sentence in missing.sentences():
                logger.warning("usage: %s", sentence)
        self._problem, self._missing, self._is_absent = "", missing, False
        self._usages = await usages_of(pods, nodes, self._rows())
        self._is_waiting_for_rows = bool(pods) and not self._usages.get(PODS)
        if missing.pods and missing.nodes:
            self.failures += 1
            return
        now = self.answered_at = self._clock.time()
        for key, usages in self._usages.items():
            for start in range(0, len(usages), MAX_ITEMS):
                self.history.record(key, usages[start : start + MAX_ITEMS], now)
                await asyncio.sleep(0)

    def _note_absence(self) -> None:
        self._note_problem(NO_METRICS_API)
        self._is_absent, self._usages, self._missing = True, {}, MissingRights()

    def _note_problem(self, problem: str) -> None:
        """Note that a poll told nothing: what the last one told stays."""
        self.failures += 1
        self._is_absent = False
        if problem != self._problem:
            logger.warning("usage: %s", problem)
        self._problem = problem

    @property
    def _part_type(self) -> str:
        return PART if self._shard == WHOLE else SHARD_PART

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
        return [
            ReportPart(
                self._epoch,
                self.polls,
                index,
                len(groups),
                self._tried_at,
                self._problem,
                tuple(items),
                self.answered_at,
                not self._is_absent,
                MissingRights() if index else self._missing,
                self._tried_at + self._pause,
                self._shard,
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
            for part in self._parts() if self.polls else []:
                await self._send(asked, self._part_type, encoder.encode(part))
            return
        if not self._shard.includes(namespace_of(asked.kind, asked.key)):
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
        namespace = namespace_of(kind, key)
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


def namespace_of(kind: str, key: str) -> str:
    """The namespace whose pods a usage is of; empty for that of a node."""
    return key if kind == NAMESPACES else key.rpartition("/")[0]
