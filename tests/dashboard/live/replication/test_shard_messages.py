"""Tests of messages of shards between processes of this version and of the one before, which knows no shards."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.live.replication.kind_replica import KindReplica
from dashboard.live.replication.messages import (
    FEED_GROUP,
    SHARD_GROUP,
    Frame,
    SnapshotChunk,
    SnapshotRequest,
    encoder,
    frame_decoder,
    snapshot_chunk_decoder,
    snapshot_request_decoder,
)
from dashboard.live.replication.publisher import Publisher
from dashboard.runtime.shard import WHOLE, Shard
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replication_messages import chunk, frame
from tests.support.live.sample_rows import row

SHARD = Shard(2, 3)


def of_version_before(message: Frame | SnapshotRequest | SnapshotChunk) -> bytes:
    """The message as the version before sends it: without its last field."""
    fields = msgspec.msgpack.decode(encoder.encode(message))
    return msgspec.msgpack.encode(fields[:-1])


def test_messages_of_the_version_before_are_those_of_a_worker_that_watches_everything() -> None:
    assert frame_decoder.decode(of_version_before(frame("5", 1, row("a")))) == frame("5", 1, row("a"))
    assert snapshot_chunk_decoder.decode(of_version_before(chunk("5", 1, row("a")))) == chunk("5", 1, row("a"))
    request = SnapshotRequest("pods", "replica")
    assert snapshot_request_decoder.decode(of_version_before(request)) == request


@pytest.mark.parametrize("message", [frame("5", 1, row("a")), chunk("5", 1, row("a")), SnapshotRequest("pods", "web")])
def test_the_version_before_reads_messages_of_a_worker_that_watches_everything(
    message: Frame | SnapshotRequest | SnapshotChunk,
) -> None:
    """It knows all fields but the last."""
    fields = [(each.name, each.type) for each in msgspec.structs.fields(type(message))[:-1]]
    before = msgspec.defstruct("Before", fields, array_like=True)
    read = msgspec.msgpack.decode(encoder.encode(message), type=before)
    assert [getattr(read, name) for name, _ in fields] == [getattr(message, name) for name, _ in fields]


@pytest.mark.parametrize(("shard", "group"), [(WHOLE, FEED_GROUP), (SHARD, SHARD_GROUP)])
async def test_frames_of_a_shard_reach_only_processes_that_know_shards(shard: Shard, group: str) -> None:
    layer = RecordingLayer()
    publisher = Publisher("pods", layer, FakeClock(), shard=shard)
    publisher.put(row("a"))
    await publisher.flush()
    assert [address for address, _ in layer.sent] == [group]
    assert [each.shard for each in layer.frames] == [shard]


@pytest.mark.parametrize("asked", [WHOLE, Shard(1, 3), Shard(2, 4)])
async def test_a_worker_of_a_shard_answers_for_no_other(asked: Shard) -> None:
    """A process of the version before asks for the whole, and must not take a shard for it."""
    layer = RecordingLayer()
    publisher = Publisher("pods", layer, FakeClock(), shard=SHARD)
    await publisher.answer(SnapshotRequest("pods", "replica", shard=asked))
    assert not layer.sent
    await publisher.answer(SnapshotRequest("pods", "replica", shard=SHARD))
    assert [each.shard for each in layer.chunks] == [SHARD]


@pytest.mark.parametrize("shard", [Shard(0, 3), Shard(4, 3), Shard(1, 65), Shard(-1, -1)])
def test_a_frame_of_a_shard_that_cannot_be_is_ignored(shard: Shard) -> None:
    replica = KindReplica("pods", FakeClock())
    assert replica.receive_frame(msgspec.structs.replace(frame("5", 1, row("a")), shard=shard)) is None
    assert replica.receive_chunk(msgspec.structs.replace(chunk("5", 1, row("a")), shard=shard)) is None
    assert not replica.rows
