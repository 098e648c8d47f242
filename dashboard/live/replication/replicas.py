"""All replicas of one web process, on one channel, whatever the number of kinds and browsers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Protocol

import msgspec

from dashboard.live.replication.channel_layer import (
    UNREADABLE,
    ChannelLayer,
    ChannelLayerHealth,
    GroupChannel,
    Sender,
)
from dashboard.live.replication.delta_traces import DeltaTraces
from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.messages import (
    FEED_GROUP,
    REQUEST_GROUP,
    SHARD_GROUP,
    Frame,
    InterestMessage,
    SnapshotRequest,
    encoder,
    frame_decoder,
    snapshot_chunk_decoder,
)
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.rejected_messages import RejectedMessages, Rejection
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all, keep_running
from dashboard.runtime.loop_delay import DELAY_SECONDS
from dashboard.runtime.shard import WHOLE
from dashboard.runtime.time_slicing import TimeSlicer
from informerd.cache.counters import Distribution
from informerd.clock import Clock

TICK = 0.25
"""Seconds between two clock checks: silence is noticed at most that much late."""
SLICE_SECONDS = 0.003
"""Seconds of one slice of the replicas' work. Lists have slices of their own in the same turn of the event loop."""


class Replicas:
    """Subscribes to the feed and passes each message to its replica.

    The replicas of the settings' kinds exist from the start, so that views can listen before anything has been
    received; those of other kinds follow demand (dashboard.live.hub.on_demand_kinds).
    """

    def __init__(
        self,
        channel_layer: ChannelLayer,
        kinds: Iterable[KindInfo],
        clock: Clock,
        *,
        layer_health: ChannelLayerHealth | None = None,
        rejected: RejectedMessages | None = None,
        traces: DeltaTraces | None = None,
    ) -> None:
        self.kinds = tuple(kinds)
        """Followed kinds, in the order of the settings, then those followed on demand; discovery may complete a
        kind.
        """
        self.configured_keys = frozenset(kind.key for kind in self.kinds)
        """Keys of the kinds that are always followed."""
        self._layer_health = layer_health or ChannelLayerHealth()
        self._sender = Sender(channel_layer, self._layer_health)
        self._clock = clock
        self._traces = traces
        self._slices = TimeSlicer(SLICE_SECONDS)
        self._replicas = {kind.key: self._replica(kind) for kind in self.kinds}
        self._inbox = GroupChannel(channel_layer, FEED_GROUP, clock, self._layer_health)
        self._shard_inbox = GroupChannel(channel_layer, SHARD_GROUP, clock, self._layer_health)
        self._asking: list[asyncio.Task[None]] = []
        self._rejected = rejected or RejectedMessages(clock)
        self.frame_delays = Distribution(DELAY_SECONDS)
        """Seconds from the worker's clock in a frame with content to this process's own when it arrived."""

    def __iter__(self) -> Iterator[KindReplica]:
        return iter(list(self._replicas.values()))

    def __contains__(self, key: str) -> bool:
        return key in self._replicas

    def get(self, key: str) -> KindReplica:
        """The replica of a kind. Raises KeyError for a kind that is not followed."""
        return self._replicas[key]

    def _replica(self, kind: KindInfo) -> KindReplica:
        may_have_namespaces = kind.resource.namespaced or not kind.resolved
        return KindReplica(kind.key, self._clock, schedule=self._slices.add, is_namespaced=may_have_namespaces)

    def follow(self, kind: KindInfo) -> None:
        """Follow one more kind; `send_interest` makes the workers publish it."""
        if kind.key not in self._replicas:
            self._replicas[kind.key] = self._replica(kind)
            self.kinds += (kind,)

    def unfollow(self, key: str) -> None:
        """Stop following a kind that is not one of the settings'."""
        if key not in self.configured_keys and self._replicas.pop(key, None) is not None:
            self.kinds = tuple(kind for kind in self.kinds if kind.key != key)

    async def send_interest(self, want: InterestMessage) -> None:
        """Tell the workers which kinds are open here. The next message makes up for a lost one."""
        await self._sender.to_group(REQUEST_GROUP, {"type": "feed.want", "data": encoder.encode(want)})

    @property
    def channel_problem(self) -> str:
        """Why nothing can be received from the worker; empty while it can."""
        return self._layer_health.problem or self._rejected.problem

    async def run(self) -> None:
        """Follow the feed until cancelled."""
        ticking = asyncio.create_task(keep_running("the replicas' clock", self._tick, self._clock))
        hearing_shards = asyncio.create_task(keep_running("the shards' feed", self._hear_shards, self._clock))
        try:
            await self._inbox.run(self.receive)
        finally:
            await cancel_all([ticking, hearing_shards, *self._asking])
            await self._slices.stop()

    async def _hear_shards(self) -> None:
        await self._shard_inbox.run(self.receive)

    async def receive(self, message: dict[str, Any]) -> None:
        """Pass one message of the layer to its replica and send the resulting request; a malformed message is dropped.

        Where the worker sends nothing else, because it is of another version, `channel_problem` says so.
        """
        try:
            question = self._dispatched(message)
        except UNREADABLE as error:
            self._rejected.record(Rejection.UNREADABLE, error)
            return
        self._rejected.record_readable()
        if question is not None:
            await self._ask(question)

    def _dispatched(self, message: dict[str, Any]) -> SnapshotRequest | None:
        if message["type"] == "feed.frame":
            frame = frame_decoder.decode(message["data"])
            if frame.has_content:
                self.frame_delays.add(max(0.0, self._clock.time() - frame.sent_at))
            replica = self._replicas.get(frame.resource)
            if replica is None or self._traces is None:
                return replica.receive_frame(frame) if replica else None
            has_applied = partial(_has_applied, replica, frame)
            with self._traces.applying(frame, len(message["data"]), has_applied):
                return replica.receive_frame(frame)
        if message["type"] == "feed.chunk":
            chunk = snapshot_chunk_decoder.decode(message["data"])
            replica = self._replicas.get(chunk.resource)
            return replica.receive_chunk(chunk) if replica else None
        return None

    async def _tick(self) -> None:
        while True:
            self._advance()
            await self._clock.sleep(TICK)

    def _advance(self) -> None:
        """Let time pass in every replica, whatever the layer does, and send their requests where the layer works.

        A layer may hang in each send for seconds. Nothing waits for that here, and no more is sent meanwhile.
        """
        is_joined = self._inbox.is_joined and self._shard_inbox.is_joined  # subscribe first, then ask
        asks = is_joined and all(task.done() for task in self._asking)
        questions = [question for replica in self._replicas.values() for question in replica.tick(can_ask=asks)]
        if questions:
            self._asking = [asyncio.create_task(self._ask(question)) for question in questions]

    async def _ask(self, question: SnapshotRequest) -> None:
        inbox = self._inbox if question.shard == WHOLE else self._shard_inbox
        if not inbox.channel_name:
            return
        request = msgspec.structs.replace(question, reply_channel=inbox.channel_name)
        await self._sender.to_group(REQUEST_GROUP, {"type": "feed.ask", "data": encoder.encode(request)})


def _has_applied(kind: KindReplica, frame: Frame) -> bool:
    replica = kind.replica_of(frame.shard)
    return replica is not None and (replica.epoch, replica.seq) == (frame.epoch, frame.seq)


REPLICAS: Key[Replicas] = Key("replicas")


class ReplicaSource(Protocol):
    """The used part of dashboard.live.replication.replicas.Replicas."""

    def __iter__(self) -> Iterator[ReadableReplica]: ...

    def __contains__(self, key: str) -> bool: ...

    def get(self, key: str) -> ReadableReplica: ...

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        """Followed kinds, in the order of the settings, then those followed on demand."""

    @property
    def channel_problem(self) -> str:
        """Why nothing can be received from the worker; empty while it can."""
