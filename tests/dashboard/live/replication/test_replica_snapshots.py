"""Tests of a replica that takes over a large snapshot in steps."""

from __future__ import annotations

import pytest

from dashboard.live.replication import replica as replica_module
from dashboard.live.replication.messages import (
    Frame,
    SnapshotChunk,
    SnapshotRequest,
)
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.replica import MAX_AT_ONCE, SILENCE_TIMEOUT, Replica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replica_rows import STEP
from dashboard.live.replication.snapshot import CHUNK_ROWS
from dashboard.objects.kinds.row import PrinterColumn, Row, TableDefinition
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replication_messages import chunk, frame, names
from tests.support.live.sample_rows import row


def many(number: int, version: int = 1) -> tuple[Row, ...]:
    return tuple(row(f"pod-{each}", version) for each in range(number))


def test_memory_is_given_back_after_a_large_snapshot_alone(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    follower = Replica("pods", clock)
    monkeypatch.setattr(replica_module, "list_ended", calls.append)
    follower.tick()
    follower.receive_chunk(chunk("5", 3, row("a")))
    assert (follower.state, calls) == ("live", [])
    follower.receive_frame(frame("6", 1))
    follower.receive_chunk(chunk("6", 1, *many(MAX_AT_ONCE + 1)))
    assert (follower.state, calls) == ("live", [MAX_AT_ONCE + 2])  # one of them is gone


def test_a_large_snapshot_is_taken_over_in_steps_and_is_live_with_the_last_one(clock: FakeClock) -> None:
    works: list[SlicedWork] = []
    replica = Replica("pods", clock, schedule=works.append)
    mirror: dict[str, Row] = {}

    def note(change: Change) -> None:
        assert len(change.rows) <= STEP
        for old, new in change.rows:
            if new is not None:
                mirror[new.uid] = new
            elif old is not None:
                del mirror[old.uid]

    replica.on_change(note)
    replica.tick()
    for snapshot, rows in enumerate((many(CHUNK_ROWS * 2 + 1), many(CHUNK_ROWS, 2))):
        epoch = str(5 + snapshot)
        replica.receive_frame(frame(epoch, 3))
        parts = [rows[start : start + CHUNK_ROWS] for start in range(0, len(rows), CHUNK_ROWS)]
        for index, part in enumerate(parts):
            replica.receive_chunk(chunk(epoch, 3, *part, index=index, total=len(parts)))
        work, steps = works.pop(), 0
        for _ in work:
            steps += 1
            assert (replica.state, replica.is_live) == ("stale" if snapshot else "starting", False)
            assert replica.rows == mirror
            if steps == 2:
                assert replica.receive_frame(frame(epoch, 4, row("late"))) is None
                assert replica.tick() is None
        assert steps >= len(rows) // STEP
        assert (replica.state, replica.seq) == ("live", 4)
        assert replica.rows == mirror == {each.uid: each for each in (*rows, row("late"))}
        assert {each.key for each in replica.rows_in("default")} == {each.key for each in mirror.values()}


def test_a_snapshot_that_is_being_taken_over_gives_way_to_a_younger_worker(clock: FakeClock) -> None:
    works: list[SlicedWork] = []
    replica = Replica("pods", clock, schedule=works.append)
    replica.tick()
    replica.receive_chunk(chunk("5", 3))
    assert next(works.pop(), "end") == "end"
    replica.receive_frame(frame("6", 1))
    replica.receive_chunk(chunk("6", 1, *many(600)))
    slow = works.pop()
    assert next(slow, "end") is None
    assert replica.receive_frame(frame("7", 1)) == SnapshotRequest("pods", "", "", 0, "7")
    assert next(slow, "end") == "end"
    assert (replica.state, len(replica.rows)) == ("stale", STEP)
    replica.receive_chunk(chunk("7", 1, row("a")))
    assert next(works.pop(), "end") == "end"
    assert (replica.state, names(replica)) == ("live", ["a=1"])


def taken_over_by_and_by(clock: FakeClock, *meanwhile: Frame) -> Replica:
    """A replica that needed 1.9 s to take over the rows of worker 5, and heard of some frames 0.4 s before the end."""
    works: list[SlicedWork] = []
    replica = Replica("pods", clock, schedule=works.append)
    replica.tick()
    replica.receive_chunk(chunk("5", 3, *many(600)))
    clock.skip(1.5)
    for each in meanwhile:
        assert replica.receive_frame(each) is None
    clock.skip(0.4)
    run_at_once(works.pop())
    return replica


def test_what_another_worker_says_while_a_snapshot_is_taken_over_keeps_nobody_live(clock: FakeClock) -> None:
    replica = taken_over_by_and_by(clock, frame("6", 1, row("a")))
    assert (replica.state, replica.epoch) == ("live", "5")
    clock.skip(0.2)
    replica.tick()
    assert (replica.state, replica.silences) == ("stale", 1)


def test_a_frame_that_was_kept_counts_from_when_it_came(clock: FakeClock) -> None:
    replica = taken_over_by_and_by(clock, frame("5", 4, row("a")))
    assert (replica.state, replica.seq) == ("live", 4)
    clock.skip(SILENCE_TIMEOUT - 0.5)
    replica.tick()
    assert replica.state == "live"
    clock.skip(0.2)
    replica.tick()
    assert (replica.state, replica.silences) == ("stale", 1)


def test_chunks_alone_keep_a_snapshot_from_being_live_once_it_is_old(clock: FakeClock) -> None:
    replica = Replica("pods", clock)
    replica.tick()
    for index in range(3):
        clock.skip(SILENCE_TIMEOUT - 0.5)
        assert replica.tick() is not None
        replica.receive_chunk(chunk("5", 3, row(f"pod-{index}"), index=index, total=3))
    assert (replica.state, len(replica.rows)) == ("starting", 3)
    assert replica.tick() == SnapshotRequest("pods", "", "", 0, "")


def test_a_list_of_which_everything_is_another_one_is_at_no_moment_empty(clock: FakeClock) -> None:
    works: list[SlicedWork] = []
    replica = Replica("pods", clock, schedule=works.append)
    replica.tick()
    replica.receive_chunk(chunk("5", 3, *many(CHUNK_ROWS)))
    run_at_once(works.pop())
    shown: list[int] = []
    replica.on_change(lambda change: shown.append(len(replica.rows)) if change.rows else None)
    others = [row(f"pod-{each}", 2, uid=f"other-{each}") for each in range(300)]
    replica.receive_frame(frame("6", 1))
    replica.receive_chunk(chunk("6", 1, *others))
    for _ in works.pop():
        assert list(replica.rows_in("default")) == list(replica.rows.values())
    assert shown == [500, 500, 500, 400, 300]
    assert set(replica.rows) == {each.uid for each in others}


def test_a_hole_among_many_frames_that_were_kept_is_asked_for(clock: FakeClock) -> None:
    works: list[SlicedWork] = []
    replica = Replica("pods", clock, schedule=works.append)
    replica.tick()
    replica.receive_frame(frame("5", 5, *many(600)))
    replica.receive_frame(frame("5", 7, row("seven")))
    replica.receive_frame(frame("5", 8, row("eight")))
    replica.receive_chunk(chunk("5", 4, row("a")))
    assert [next(works[0], "end") for _ in range(2)] == [None, "end"]
    assert (replica.state, replica.seq, replica.gaps) == ("starting", 5, 1)
    assert replica.tick() == SnapshotRequest("pods", "", "", 0, "5")
    replica.receive_chunk(chunk("5", 7, *many(2)))
    run_at_once(works.pop())
    assert (replica.state, replica.seq, replica.gaps, replica.gaps_healed) == ("live", 8, 1, 1)


async def test_thousands_of_rows_travel_in_chunks(clock: FakeClock) -> None:
    layer = RecordingLayer()
    publisher, replica = Publisher("pods", layer, clock), Replica("pods", clock)
    for number in range(CHUNK_ROWS * 4 + 1):
        publisher.put(row(f"pod-{number}"))
    ask = replica.tick()
    rounds = 0
    while ask is not None:
        rounds += 1
        await publisher.answer(ask)
        ask = replica.receive_chunk(layer.chunks[-1])
    assert rounds == 5
    assert replica.rows == publisher.rows


def test_what_cells_are_comes_with_the_first_frame_and_with_each_snapshot() -> None:
    clock, layer = FakeClock(), RecordingLayer()
    publisher = Publisher("dials.described.example.com", layer, clock)
    described = TableDefinition(False, (PrinterColumn("Size", "integer", ".spec.size"),))
    publisher.set_table(described)
    early, late = (Replica(publisher.key, clock) for _ in range(2))
    frames = publisher._take_frames()
    assert [(frame.seq, frame.table) for frame in frames] == [(1, described)]
    changes: list[Change] = []
    early.on_change(changes.append)
    early.tick()
    early.receive_chunk(SnapshotChunk(publisher.key, publisher.epoch, 0, "s", 0, 1, publisher.health()))
    early.receive_frame(frames[0])
    late.tick()
    late.receive_chunk(publisher._snapshots.chunk(SnapshotRequest(publisher.key, "x"), publisher))
    assert early.table == late.table == described
    assert [change.has_new_columns for change in changes] == [False, True]
    assert publisher._take_frames() == []
