"""Workers of one kind in a scripted cluster, each of a shard, and the replica of a web process that hears them."""

from __future__ import annotations

import random
from collections import deque
from typing import Final

import msgspec

from dashboard.live.replication.feed_history import FeedHistory
from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.messages import SnapshotRequest, frame_decoder, snapshot_chunk_decoder
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.feed_entry import Operation
from dashboard.objects.kinds.row import Row
from dashboard.runtime.shard import WHOLE, Shard
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.cache.health import Health
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import LossyQueue, Message, RecordingLayer
from tests.support.live.sample_rows import row

DONE: Final = object()
STEP = 0.25
"""Seconds of one turn of a web process's clock."""


class ShardWorker:
    """The publisher of a worker that knows the cluster's objects of its shard, and is told of each change."""

    def __init__(self, cluster: dict[str, Row], shard: Shard, layer: RecordingLayer, clock: FakeClock) -> None:
        self.shard = shard
        self.publisher = Publisher("pods", layer, clock, shard=shard)
        self.health = Health(state="live", since=clock.time(), heard=clock.time())
        self.publisher.health = lambda: self.health
        for each in cluster.values():
            if shard.includes(each.namespace):
                self.publisher.put(each)

    def hear(self, old: Row | None, new: Row | None) -> None:
        """Publish a change of the cluster, if it is one of the shard."""
        changed = new or old
        if changed is None or not self.shard.includes(changed.namespace):
            return
        if new is None:
            self.publisher.remove(changed.uid)
        else:
            self.publisher.put(new)
        operation: Operation = "deleted" if new is None else "modified" if old is not None else "added"
        self.publisher.add_entry(operation, changed, words_of(old, new), "ok")


def words_of(old: Row | None, new: Row | None) -> str:
    """The words of a change, which no other change has."""
    return f"{new.name}:{new.version}" if new is not None else f"{old.name}:{old.version} deleted" if old else ""


class ShardedCluster:
    """A cluster of pods, its workers, and a replica. Nothing is lost or late unless `queue` is not kind.

    With `is_sliced` the replica's long work goes on by a few steps each turn, or by none.
    """

    def __init__(self, seed: int = 0, *, is_namespaced: bool = True, is_sliced: bool = False) -> None:
        self.chance = random.Random(seed)
        self.clock = FakeClock()
        self.layer = RecordingLayer()
        self.queue = LossyQueue(self.chance, loss=0.0, doubling=0.0, delay=0.0)
        self.objects: dict[str, Row] = {}
        self.workers: list[ShardWorker] = []
        self.changes: list[Change] = []
        self.mirror: dict[str, Row] = {}
        """The rows as somebody knows them who hears of changes alone."""
        self.made: list[str] = []
        """What lines of the feed are to say, in the order of the changes."""
        self.made_at: dict[str, float] = {}
        """The times of these changes, Unix seconds."""
        self.works: deque[SlicedWork] = deque()
        schedule = self.works.append if is_sliced else run_at_once
        self.replica = KindReplica("pods", self.clock, schedule=schedule, is_namespaced=is_namespaced)
        self.history = FeedHistory([self.replica], self.clock)
        """What pages know of the changes."""
        self.replica.on_change(self._heard)
        self._version = 0

    @property
    def words(self) -> list[str]:
        """The lines of the feed that were announced."""
        return [entry.words for change in self.changes for entry in change.entries]

    @property
    def names(self) -> list[str]:
        return sorted(each.key for each in self.replica.rows.values())

    def start(self, *shards: Shard) -> None:
        self.workers += [ShardWorker(self.objects, shard, self.layer, self.clock) for shard in shards or (WHOLE,)]

    def untold(self) -> list[str]:
        """Changes of which history neither has a line nor says that it may have none."""
        now, keys = self.clock.time(), [self.replica.key]
        known = {entry.words for chunk in self.history.chunks(keys, 0.0, now) for entry in chunk.entries()}
        gaps = self.history.unannounced_periods(keys, 0.0, now)
        begin = self.history.known_from(keys)
        lost = [words for words, at in self.made_at.items() if at > begin and words not in known]
        lost = [words for words in lost if not any(since <= self.made_at[words] <= until for since, until in gaps)]
        return lost[self.history.missed(keys, 0.0, now) :]

    def kill(self, *shards: Shard) -> None:
        """End the workers of these shards."""
        self.workers = [each for each in self.workers if each.shard not in shards]

    def put(self, namespace: str, name: str) -> None:
        """Create an object, or change it."""
        self._version += 1
        old = self.find(namespace, name)
        uid = old.uid if old is not None else f"uid-{self._version}"
        new = self.objects[uid] = row(name, self._version, namespace=namespace, uid=uid)
        self._tell(old, new)

    def find(self, namespace: str, name: str) -> Row | None:
        """The object, as it is now."""
        found = (each for each in self.objects.values() if (each.namespace, each.name) == (namespace, name))
        return next(found, None)

    def delete(self, uid: str) -> None:
        self._tell(self.objects.pop(uid), None)

    def _tell(self, old: Row | None, new: Row | None) -> None:
        self.made.append(words_of(old, new))
        self.made_at[self.made[-1]] = self.clock.time()
        for worker in self.workers:
            worker.hear(old, new)

    async def turns(self, number: int = 1) -> None:
        """Let time pass: workers publish, messages arrive, the replica asks and is answered."""
        for _ in range(number):
            for worker in self.workers:
                worker.health = msgspec.structs.replace(worker.health, heard=self.clock.time())
                await worker.publisher.flush()
            await self._deliver(self.replica.tick())
            self._work()
            await self.clock.advance(STEP)

    async def _deliver(self, requests: list[SnapshotRequest]) -> None:
        while True:
            for request in requests:
                for worker in self.workers:
                    await worker.publisher.answer(msgspec.structs.replace(request, reply_channel="replica"))
            for _, message in self.layer.sent:
                self.queue.put(message, self.clock.now())
            self.layer.sent.clear()
            arrived, requests = self.queue.arrived(self.clock.now()), []
            for message in arrived:
                requests += self._received(message)
            if not arrived:
                return

    def _work(self) -> None:
        for _ in range(self.chance.randrange(4)):
            if self.works and next(self.works[0], DONE) is DONE:
                self.works.popleft()

    def _received(self, message: Message) -> list[SnapshotRequest]:
        if message["type"] == "feed.frame":
            request = self.replica.receive_frame(frame_decoder.decode(message["data"]))
        else:
            request = self.replica.receive_chunk(snapshot_chunk_decoder.decode(message["data"]))
        return [request] if request is not None else []

    def _heard(self, change: Change) -> None:
        self.changes.append(change)
        self.history.add(self.replica.key, change)
        for old, new in change.rows:
            known = self.mirror.get(old.uid) if old is not None else None
            assert (old is None) == (known is None), "a change of something that was not there"
            if new is not None:
                self.mirror[new.uid] = new
            elif old is not None:
                del self.mirror[old.uid]
