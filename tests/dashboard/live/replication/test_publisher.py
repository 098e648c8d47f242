"""Tests of the publisher: numbered frames without gaps, coalesced rows, uncoalesced entries, snapshots on request."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import msgspec
import pytest

from dashboard.live.replication import publisher as publisher_module
from dashboard.live.replication.compression_dictionaries import MAX_OBJECT_BYTES
from dashboard.live.replication.entry_builder import EntryTimes
from dashboard.live.replication.messages import SnapshotRequest
from dashboard.live.replication.pending_changes import MAX_FRAME_ENTRIES
from dashboard.live.replication.publisher import MAX_ENTRIES, Publisher
from dashboard.live.replication.snapshot import CHUNK_BYTES, CHUNK_ROWS, row_size
from dashboard.objects.kinds.row import Row
from informerd.cache.health import Health
from informerd.decoding.compressor import Compressor
from informerd.objects import Blob
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.sample_rows import row


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def layer() -> RecordingLayer:
    return RecordingLayer()


@pytest.fixture
def publisher(layer: RecordingLayer, clock: FakeClock) -> Publisher:
    return Publisher("pods", layer, clock)


async def test_rows_of_a_tick_are_coalesced_and_entries_are_not(publisher: Publisher, layer: RecordingLayer) -> None:
    for version in (1, 2, 3):
        publisher.put(row("web", version))
        publisher.add_entry("modified", row("web", version), f"to {version}", "ok")
    await publisher.flush()
    (frame,) = layer.frames
    assert [each.version for each in frame.rows] == ["3"]
    assert [entry.words for entry in frame.entries] == ["to 1", "to 2", "to 3"]
    assert [entry.seq for entry in frame.entries] == [1, 2, 3]
    assert {entry.epoch for entry in frame.entries} == {publisher.epoch}
    assert frame.rates == (0, 3, 0)


async def test_entries_of_all_kinds_keep_their_order_and_their_times_when_the_clock_is_set_back(
    layer: RecordingLayer, clock: FakeClock
) -> None:
    times = EntryTimes(clock)
    pods, nodes = (Publisher(key, layer, clock, times=times) for key in ("pods", "nodes"))
    said = []
    for publisher, jump in ((pods, 0), (nodes, 1), (pods, -3600), (pods, 0), (nodes, 5), (pods, 3600)):
        clock.jump(jump)
        publisher.add_entry("modified", row("web"), "changed", "ok")
        said.append(clock.time())
    await pods.flush()
    await nodes.flush()
    entries = [entry for frame in layer.frames for entry in frame.entries]
    assert sorted(entry.time for entry in entries) == sorted(said)
    assert [entry.time for entry in sorted(entries, key=lambda each: each.ordered_at)] == said
    assert [entry.behind > 0 for entry in sorted(entries, key=lambda each: each.ordered_at)] == [
        False, False, True, True, True, False,
    ]  # fmt: skip


async def test_neither_a_relist_nor_a_snapshot_of_it_holds_up_the_loop(
    publisher: Publisher, layer: RecordingLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two turns of the loop there are a frame and a bit, or as many rows to be cut into chunks."""
    health = {"state": "syncing"}
    publisher.health = lambda: Health(state=health["state"], since=1.0)  # type: ignore[arg-type]
    await publisher.flush()
    health["state"] = "live"
    weighed = 0

    def weigh(each: Row) -> int:
        nonlocal weighed
        weighed += 1
        return row_size(each)

    monkeypatch.setattr("dashboard.live.replication.snapshot.row_size", weigh)
    sent: list[int] = []
    cut: list[int] = []

    async def watch() -> None:
        while True:
            sent.append(len(layer.sent))
            cut.append(weighed)
            await asyncio.sleep(0)

    watching = asyncio.create_task(watch())
    for number in range(CHUNK_ROWS * 20):
        publisher.put(row(f"pod-{number}"))
    await publisher.flush()
    await publisher.answer(SnapshotRequest("pods", "replica"))
    watching.cancel()
    assert len(layer.frames) == 21
    assert max(after - before for before, after in pairwise(sent)) <= 2
    assert weighed == CHUNK_ROWS * 20
    assert max(after - before for before, after in pairwise(cut)) <= CHUNK_ROWS
    assert [frame.health.state for frame in layer.frames] == ["syncing"] * 20 + ["live"]
    assert [chunk.total for chunk in layer.chunks] == [20]


async def test_what_comes_while_a_relist_is_sent_is_in_the_snapshot_that_was_asked_for_and_in_no_later_frame(
    publisher: Publisher, layer: RecordingLayer
) -> None:
    for number in range(CHUNK_ROWS * 3):
        publisher.put(row(f"pod-{number}"))
    answering = asyncio.create_task(publisher.answer(SnapshotRequest("pods", "replica")))
    await asyncio.sleep(0)
    publisher.put(row("pod-0", 2))
    publisher.remove("uid-default-pod-1")
    await answering
    (chunk,) = layer.chunks
    frames = layer.frames
    assert chunk.seq == frames[-1].seq == len(frames)
    versions = {each.uid: each.version for frame in frames for each in frame.rows}
    gone = {uid for frame in frames for uid in frame.deleted_uids}
    frozen = publisher._snapshots._frozen[chunk.snapshot]
    assert {each.uid: each.version for each in frozen.rows} == {
        uid: version for uid, version in versions.items() if uid not in gone
    }
    assert publisher._take_frames() == []


async def test_frames_with_content_are_numbered_without_holes_and_heartbeats_repeat_the_number(
    publisher: Publisher, layer: RecordingLayer
) -> None:
    await publisher.flush()
    publisher.put(row("a"))
    await publisher.flush()
    await publisher.flush()
    publisher.remove("uid-default-a")
    await publisher.flush()
    assert [(frame.seq, len(frame.rows), len(frame.deleted_uids)) for frame in layer.frames] == [
        (0, 0, 0), (1, 1, 0), (1, 0, 0), (2, 0, 1),
    ]  # fmt: skip


async def test_added_and_deleted_within_one_tick_is_gone(publisher: Publisher, layer: RecordingLayer) -> None:
    publisher.put(row("brief"))
    publisher.remove("uid-default-brief")
    await publisher.flush()
    (frame,) = layer.frames
    assert (frame.rows, frame.deleted_uids) == ((), ("uid-default-brief",))
    assert publisher.rows == {}


async def test_a_relist_of_many_rows_is_cut_into_frames_that_fit_a_layer(
    publisher: Publisher, layer: RecordingLayer
) -> None:
    for number in range(CHUNK_ROWS * 2 + 1):
        publisher.put(row(f"pod-{number}"))
    publisher.put(row("big", blob=Blob(b"x" * CHUNK_BYTES)))
    publisher.put(row("after"))
    for number in range(MAX_FRAME_ENTRIES + 1):
        publisher.add_entry("modified", row("big"), str(number), "ok")
    await publisher.flush()
    frames = layer.frames
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    assert all(len(frame.rows) <= CHUNK_ROWS for frame in frames)
    assert sum(len(frame.rows) for frame in frames) == CHUNK_ROWS * 2 + 3
    assert [entry.words for frame in frames for entry in frame.entries] == [
        str(n) for n in range(MAX_FRAME_ENTRIES + 1)
    ]
    assert [frame.rates for frame in frames if any(frame.rates)] == [(0, MAX_FRAME_ENTRIES + 1, 0)]


async def test_the_first_delta_after_quiet_leaves_at_once_and_later_ones_wait_for_the_tick(
    publisher: Publisher, layer: RecordingLayer, clock: FakeClock
) -> None:
    running = asyncio.create_task(publisher.run())
    await run_ready_tasks()
    publisher.put(row("first"))
    await run_ready_tasks()
    assert [each.name for frame in layer.frames for each in frame.rows] == ["first"]
    publisher.put(row("second"))
    publisher.put(row("third"))
    await run_ready_tasks()
    assert len(layer.frames) == 1
    await clock.advance(0.05)
    assert [each.name for each in layer.frames[-1].rows] == ["second", "third"]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_heartbeat_leaves_each_second_with_the_informers_health(
    publisher: Publisher, layer: RecordingLayer, clock: FakeClock
) -> None:
    publisher.health = lambda: Health(state="live", since=1.0, heard=clock.time())
    running = asyncio.create_task(publisher.run())
    await run_ready_tasks()
    for _ in range(5):
        await clock.advance(1.0)
    assert 4 <= len(layer.frames) <= 5
    assert {frame.seq for frame in layer.frames} == {0}
    assert layer.frames[-1].health.heard == layer.frames[-1].sent_at
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_memory_is_given_back_once_the_first_list_has_come(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(publisher_module, "list_ended", calls.append)
    publisher.put(row("web", 1))
    await publisher.flush()
    assert calls == []
    publisher.health = lambda: Health(state="live", since=1.0)
    for _ in range(2):
        await publisher.flush()
    assert calls == [1]


async def test_a_layer_that_takes_nothing_costs_numbers_but_never_the_publisher(
    publisher: Publisher, layer: RecordingLayer
) -> None:
    publisher.put(row("a"))
    layer.broken = True
    await publisher.flush()
    layer.broken = False
    publisher.put(row("b"))
    await publisher.flush()
    assert [(frame.seq, frame.rows[0].name) for frame in layer.frames] == [(2, "b")]


async def test_after_a_frame_that_the_layer_did_not_take_the_rest_of_the_batch_is_not_tried(
    publisher: Publisher, layer: RecordingLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each would wait for seconds where the layer hangs."""
    tries = 0

    async def refuse(*_: object) -> None:
        nonlocal tries
        tries += 1
        raise ConnectionError

    for number in range(CHUNK_ROWS * 3):
        publisher.put(row(f"pod-{number}"))
    with monkeypatch.context() as patched:
        patched.setattr(layer, "group_send", refuse)
        await publisher.answer(SnapshotRequest("pods", "replica"))
    assert (tries, layer.sent) == (1, [])
    await publisher.flush()
    assert [frame.seq for frame in layer.frames] == [3]


async def test_a_row_that_no_message_can_carry_is_shown_by_its_name_and_takes_no_other_along(
    publisher: Publisher, layer: RecordingLayer, caplog: pytest.LogCaptureFixture
) -> None:
    publisher.put(msgspec.structs.replace(row("huge"), cells=(10**20,)))
    publisher.put(row("fine"))
    await publisher.flush()
    (frame,) = layer.frames
    assert [(each.name, each.status, each.cells) for each in frame.rows] == [
        ("huge", "Unreadable", ()), ("fine", "Running", ("fine", 1)),
    ]  # fmt: skip
    await publisher.answer(SnapshotRequest("pods", "replica"))
    assert layer.chunks[-1].rows == frame.rows
    assert "the row of default/huge cannot be sent" in caplog.text


async def test_of_many_frames_only_the_last_one_has_the_health_that_goes_with_all_of_them(
    publisher: Publisher, layer: RecordingLayer
) -> None:
    for number in range(CHUNK_ROWS * 2 + 1):
        publisher.put(row(f"pod-{number}"))
    publisher.health = lambda: Health(state="live", since=1.0)
    await publisher.flush()
    assert [frame.health.state for frame in layer.frames] == ["starting", "starting", "live"]


async def test_a_snapshot_has_the_health_of_its_moment(publisher: Publisher, layer: RecordingLayer) -> None:
    for number in range(CHUNK_ROWS + 1):
        publisher.put(row(f"pod-{number}"))
    publisher.health = lambda: Health(state="syncing", since=1.0)
    await publisher.answer(SnapshotRequest("pods", "replica"))
    publisher.health = lambda: Health(state="live", since=2.0)
    await publisher.answer(SnapshotRequest("pods", "replica", layer.chunks[-1].snapshot, 1, publisher.epoch))
    assert [chunk.health.state for chunk in layer.chunks] == ["syncing", "syncing"]
    await publisher.answer(SnapshotRequest("pods", "replica"))
    assert layer.chunks[-1].health.state == "live"


async def test_a_snapshot_is_kept_while_dozens_are_pulled_at_once(publisher: Publisher, layer: RecordingLayer) -> None:
    for number in range(CHUNK_ROWS + 1):
        publisher.put(row(f"pod-{number}"))
    names = []
    for version in range(2, 42):
        await publisher.answer(SnapshotRequest("pods", "replica"))
        names.append(layer.chunks[-1].snapshot)
        layer.sent.clear()
        publisher.put(row("pod-0", version))
    assert len(set(names)) == 40
    for name in names:
        await publisher.answer(SnapshotRequest("pods", "replica", name, 1, publisher.epoch))
        assert layer.chunks[-1].total == 2
        layer.sent.clear()


async def test_a_snapshot_is_the_state_after_the_frames_that_left_before_it(
    publisher: Publisher, layer: RecordingLayer
) -> None:
    publisher.put(row("a"))
    publisher.add_entry("added", row("a"), "created", "ok")
    await publisher.answer(SnapshotRequest("pods", "replica"))
    assert [message["type"] for _, message in layer.sent] == ["feed.frame", "feed.chunk"]
    (chunk,) = layer.chunks
    assert (chunk.epoch, chunk.seq, chunk.index, chunk.total) == (publisher.epoch, 1, 0, 1)
    assert [each.name for each in chunk.rows] == ["a"]
    assert [entry.words for entry in chunk.entries] == ["created"]
    assert chunk.rates[0][1:] == (1, 0, 0)


async def test_a_snapshot_stays_frozen_while_it_is_pulled(publisher: Publisher, layer: RecordingLayer) -> None:
    for number in range(CHUNK_ROWS + 1):
        publisher.put(row(f"pod-{number}"))
    await publisher.answer(SnapshotRequest("pods", "replica"))
    first = layer.chunks[-1]
    publisher.remove(f"uid-default-pod-{CHUNK_ROWS}")
    await publisher.flush()
    await publisher.answer(SnapshotRequest("pods", "replica", first.snapshot, 1, publisher.epoch))
    second = layer.chunks[-1]
    assert (second.seq, second.index, second.total) == (first.seq, 1, 2)
    assert [each.name for each in second.rows] == [f"pod-{CHUNK_ROWS}"]
    assert (first.entries, first.rates) == ((), ())


async def test_an_empty_resource_has_a_snapshot_of_one_chunk(publisher: Publisher, layer: RecordingLayer) -> None:
    await publisher.answer(SnapshotRequest("pods", "replica"))
    assert [(chunk.total, chunk.rows) for chunk in layer.chunks] == [(1, ())]


async def test_a_snapshot_that_nobody_asked_for_in_a_while_is_forgotten_and_said_to_be(
    publisher: Publisher, layer: RecordingLayer, clock: FakeClock
) -> None:
    await publisher.answer(SnapshotRequest("pods", "replica"))
    named = layer.chunks[-1].snapshot
    await clock.advance(31)
    await publisher.answer(SnapshotRequest("pods", "replica", named, 0))
    assert (layer.chunks[-1].total, layer.chunks[-1].snapshot) == (0, named)


async def test_an_ask_for_another_epoch_is_left_to_its_worker(publisher: Publisher, layer: RecordingLayer) -> None:
    await publisher.answer(SnapshotRequest("pods", "replica", "", 0, "another"))
    assert layer.sent == []


async def test_only_the_newest_entries_are_kept(publisher: Publisher) -> None:
    for number in range(MAX_ENTRIES + 7):
        publisher.add_entry("modified", row("a"), str(number), "ok")
    await publisher.flush()
    assert len(publisher.entries) == MAX_ENTRIES
    assert publisher.entries[-1].seq == MAX_ENTRIES + 7


async def test_an_object_that_replicas_would_refuse_is_shown_by_its_name(
    publisher: Publisher, layer: RecordingLayer
) -> None:
    publisher.put(row("large", blob=Compressor().compress(b" " * (MAX_OBJECT_BYTES + 1))))
    await publisher.flush()
    (sent,) = layer.frames[0].rows
    assert (sent.name, sent.status, sent.blob) == ("large", "Unreadable", None)
    assert sent.reason == "Deltaboard shows no object of more than 16 MiB"
