"""Tests of a replica over a channel layer that loses, doubles, delays and reorders messages."""

from __future__ import annotations

import random
from collections import deque

import msgspec
import pytest

from dashboard.live.replication import replica as replica_module
from dashboard.live.replication import replica_rows as holding_module
from dashboard.live.replication.messages import (
    Frame,
    SnapshotRequest,
    encoder,
    frame_decoder,
    snapshot_chunk_decoder,
)
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.row import Row
from dashboard.runtime.time_slicing import SlicedWork
from informerd.cache.health import Health
from informerd.decoding import compressor
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import LossyQueue, RecordingLayer
from tests.support.live.replication_messages import HEALTH, SYNCING, check_names
from tests.support.live.sample_rows import object_of, packed_row, tells_of_itself


class Network:
    """A publisher, a replica and a layer between them that loses, doubles, delays and reorders, on a fake clock."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.clock = FakeClock()
        self.layer = RecordingLayer()
        self.queue = LossyQueue(self.chance, loss=0.15, doubling=0.1, delay=0.2)
        self.works: deque[SlicedWork] = deque()
        self.replica = Replica("pods", self.clock, schedule=self.works.append)
        self.mirror: dict[str, Row] = {}
        self.entries_heard: list[tuple[str, int]] = []
        self.replica.on_change(self._heard)
        self.publisher = self._new_publisher()
        self.packer = compressor.Compressor()
        self.packed_with: set[int] = set()
        self.expected_gaps = 0
        self.names = 0
        self.listing: list[Row] = []
        self.listed_at = 0.0
        self.unlisted = 0
        self.steps = 0

    def _new_publisher(self) -> Publisher:
        publisher = Publisher("pods", self.layer, self.clock)
        publisher.health = self._health
        return publisher

    def _health(self) -> Health:
        return SYNCING if self.listing else HEALTH

    def _restart(self) -> None:
        """The worker is killed; the new one lists the cluster anew, which takes it up to four seconds.

        It packs what it lists as it pleases: by and by with another dictionary.
        """
        self.packer = compressor.Compressor()
        self.listing = [self._repacked(each) for each in self.publisher.rows.values() if self.chance.random() < 0.9]
        self.listed_at = self.clock.now() + 4 * self.chance.random()
        self.publisher = self._new_publisher()

    def _repacked(self, old: Row) -> Row:
        return msgspec.structs.replace(old, blob=self.packer.compress(object_of(old.name, int(old.version))))

    def _list(self) -> None:
        """The list comes in two parts."""
        half = len(self.listing) // 2 if self.clock.now() < self.listed_at else len(self.listing)
        for each in self.listing[:half]:
            if each.uid not in self.publisher.rows:
                self.publisher.put(each)
        if self.clock.now() >= self.listed_at:
            self.listing = []

    def _heard(self, change: Change) -> None:
        """What a view would have, told only by changes."""
        if change.rows and self.listing:
            assert self.replica.epoch != self.publisher.epoch, "rows of a worker that has not listed yet"
        for old, new in change.rows:
            assert (self.mirror.get(old.uid) if old else None) == old
            if new is not None:
                assert tells_of_itself(new)
                self._note(new)
                self.mirror[new.uid] = new
            elif old is not None:
                del self.mirror[old.uid]
        self.entries_heard += [(each.epoch, each.seq) for each in change.entries]

    def _note(self, new: Row) -> None:
        if new.blob is not None and new.blob.dictionary is not None:
            self.packed_with.add(new.blob.dictionary.id)

    async def step(self) -> None:
        await self.clock.advance(0.05)
        if self.listing:
            self._list()
        else:
            self._mutate()
            if self.chance.random() < 0.01 and not self.queue.kind:
                self._restart()
        await self.publisher.flush()
        self._post()
        await self._deliver()
        self.unlisted += bool(self.listing) and self.replica.state == "stale" and not self.queue.kind

    def _mutate(self) -> None:
        rows = self.publisher.rows
        for _ in range(self.chance.randrange(4)):
            kind = self.chance.random()
            if kind < 0.4 or not rows:
                self.names += 1
                new = packed_row(f"pod-{self.names}", 1, self.packer)
                self.publisher.put(new)
                self.publisher.add_entry("added", new, "created", "ok")
            elif kind < 0.8:
                old = self.chance.choice(list(rows.values()))
                new = packed_row(old.name, int(old.version) + 1, self.packer)
                self.publisher.put(new)
                self.publisher.add_entry("modified", new, "changed", "ok")
            else:
                self.publisher.remove(self.chance.choice(list(rows)))

    def _post(self) -> None:
        for _, message in self.layer.sent:
            self.queue.put(message, self.clock.now())
        self.layer.sent.clear()

    def _work(self) -> None:
        """What is done in slices goes on for a few steps, or for none."""
        for _ in range(self.chance.randrange(6) if not self.queue.kind else 1000):
            if not self.works:
                return
            if next(self.works[0], "end") == "end":
                self.works.popleft()
            else:
                self.steps += 1
                assert self.replica.state != "live"

    async def _deliver(self) -> None:
        self._work()
        await self._asked(self.replica.tick())
        for message in self.queue.arrived(self.clock.now()):
            if message["type"] == "feed.chunk":
                await self._asked(self.replica.receive_chunk(snapshot_chunk_decoder.decode(message["data"])))
            else:
                self._expect(decoded := frame_decoder.decode(message["data"]))
                await self._asked(self.replica.receive_frame(decoded))
            assert {uid: each.version for uid, each in self.replica.rows.items()} == {
                uid: each.version for uid, each in self.mirror.items()
            }

    def _expect(self, frame: Frame) -> None:
        """Count, from outside, the holes that a live replica meets."""
        content = bool(frame.rows or frame.deleted_uids or frame.entries)
        same = self.replica.state == "live" and frame.epoch == self.replica.epoch
        self.expected_gaps += same and frame.seq > self.replica.seq + content

    async def _asked(self, ask: SnapshotRequest | None) -> None:
        if ask is None or self.chance.random() < 0.1 * bool(self.queue._loss):
            return
        encoder.encode(ask)
        await self.publisher.answer(ask)
        self._post()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
async def test_over_a_lossy_layer_the_replica_ends_with_the_publishers_rows_and_has_counted_every_gap(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressor, "MAX_SAMPLES", 80)  # so that a dictionary comes soon in each worker's life
    monkeypatch.setattr(replica_module, "MAX_AT_ONCE", 3)  # so that much is taken over in slices
    monkeypatch.setattr(holding_module, "STEP", 2)
    network = Network(seed)
    for _ in range(600):
        await network.step()
    network.queue.be_kind()
    for _ in range(200):
        await network.step()
    replica, publisher = network.replica, network.publisher
    assert network.queue.losses > 50
    assert (replica.state, replica.epoch, replica.seq) == ("live", publisher.epoch, publisher.seq)
    assert replica.rows == publisher.rows == network.mirror
    assert all(tells_of_itself(each) for each in replica.rows.values())
    assert len(network.packed_with) > 1
    check_names(replica)
    assert network.unlisted > 0
    assert network.steps > 20
    assert replica.gaps == replica.gaps_healed
    assert replica.gaps >= network.expected_gaps > 0
    ours = [seq for epoch, seq in network.entries_heard if epoch == publisher.epoch]
    assert ours == sorted(set(ours))
    assert list(replica.entries)[-5:] == list(publisher.entries)[-5:]
