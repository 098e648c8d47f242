"""Tests of a replica: applied and refused frames, holes, repeated questions, and lines of the feed."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.live.replication.messages import (
    Frame,
    SnapshotRequest,
)
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.row_interner import RowInterner
from dashboard.live.replication.snapshot_pull import ANSWER_TIMEOUT, MAX_BUFFERED_BYTES, SnapshotPull
from dashboard.live.replication.unwatched_list import KindList, ListedOnce
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.cache.health import Health
from informerd.objects import Blob
from tests.support.clock import FakeClock
from tests.support.live.replication_messages import chunk, entry, frame, names
from tests.support.live.sample_rows import row


def test_it_starts_by_asking_and_the_first_snapshot_is_a_reset(replica: Replica) -> None:
    heard: list[Change] = []
    replica.on_change(heard.append)
    assert (replica.state, replica.is_live) == ("starting", False)
    assert replica.tick() == SnapshotRequest("pods", "")
    assert replica.tick() is None
    replica.receive_chunk(chunk("5", 3, row("a"), row("b"), entries=(entry("5", 1),)))
    assert (replica.state, replica.is_live, replica.epoch, replica.seq) == ("live", True, "5", 3)
    (change,) = heard
    assert (change.is_first_snapshot, change.has_new_health) == (True, True)
    assert [(old, new.name) for old, new in change.rows if new] == [(None, "a"), (None, "b")]
    assert [each.words for each in change.entries] == ["5:1"]


def test_frames_in_order_are_applied(live: Replica, changes: list[Change]) -> None:
    assert live.receive_frame(frame("5", 4, row("a", 2), row("b"), entries=(entry("5", 9),))) is None
    assert live.receive_frame(frame("5", 5, gone=("uid-default-a",))) is None
    assert names(live) == ["b=1"]
    assert live.get("default", "b") is not None
    assert live.get("default", "a") is None
    assert [[(old and old.version, new and new.version) for old, new in change.rows] for change in changes] == [
        [("1", "2"), (None, "1")], [("2", None)],
    ]  # fmt: skip
    assert live.rates.recent(now=10) == ((4.0, 2, 0, 0), (5.0, 0, 0, 1))


def test_an_object_created_again_under_its_name_keeps_its_place_by_name(live: Replica) -> None:
    live.receive_frame(frame("5", 4, row("a", 7, uid="second"), gone=("uid-default-a",)))
    assert names(live) == ["a=7"]
    live.receive_frame(frame("5", 5, row("a", 8, uid="third")))
    live.receive_frame(frame("5", 6, gone=("second",)))
    assert names(live) == ["a=8"]


@pytest.mark.parametrize("late", [frame("5", 3, row("a", 9)), frame("5", 2, row("a", 9)), frame("5", 2)])
def test_late_and_doubled_frames_change_nothing(live: Replica, changes: list[Change], late: Frame) -> None:
    assert live.receive_frame(late) is None
    assert (names(live), live.state, live.gaps, changes) == (["a=1"], "live", 0, [])


def test_an_old_heartbeat_does_not_make_the_cluster_look_older(live: Replica) -> None:
    newer = Frame("pods", "5", 3, 9.0, Health(state="live", since=1.0, heard=9.0))
    older = Frame("pods", "5", 3, 8.0, Health(state="live", since=1.0, heard=8.0))
    live.receive_frame(newer)
    live.receive_frame(older)
    assert live.health.heard == 9.0


@pytest.mark.parametrize("beyond", [frame("5", 5, row("b")), frame("5", 4)])
def test_a_hole_is_stale_until_a_snapshot_has_healed_it(live: Replica, changes: list[Change], beyond: Frame) -> None:
    """A frame two numbers on, or a heartbeat with a number that was never seen."""
    assert live.receive_frame(beyond) == SnapshotRequest("pods", "", "", 0, "5")
    assert (live.state, live.gaps, live.gaps_healed, names(live)) == ("stale", 1, 0, ["a=1"])
    assert live.receive_chunk(chunk("5", 5, row("a"), row("b"), row("c"))) is None
    assert (live.state, live.gaps, live.gaps_healed) == ("live", 1, 1)
    assert names(live) == ["a=1", "b=1", "c=1"]
    assert [[new.name for _, new in change.rows if new] for change in changes] == [[], ["b", "c"]]
    assert not changes[-1].is_first_snapshot


def test_frames_that_arrive_while_a_snapshot_is_pulled_are_applied_after_it(live: Replica) -> None:
    live.receive_frame(frame("5", 6, row("six")))
    live.receive_frame(frame("5", 8, row("eight")))
    live.receive_frame(frame("5", 7, row("seven")))
    live.receive_frame(frame("5", 5, row("five", 99)))
    live.receive_chunk(chunk("5", 5, row("five")))
    assert (live.state, live.seq, live.gaps, live.gaps_healed) == ("live", 8, 1, 1)
    assert names(live) == ["eight=1", "five=1", "seven=1", "six=1"]


def test_a_hole_among_the_frames_kept_while_pulling_is_another_gap(live: Replica) -> None:
    live.receive_frame(frame("5", 6))
    live.receive_frame(frame("5", 9, row("nine")))
    assert live.receive_chunk(chunk("5", 6, row("a"))) == SnapshotRequest("pods", "", "", 0, "5")
    assert (live.state, live.gaps, live.gaps_healed) == ("stale", 2, 1)
    live.receive_chunk(chunk("5", 9, row("a"), row("nine")))
    assert (live.state, live.gaps, live.gaps_healed, live.seq) == ("live", 2, 2, 9)


def test_a_snapshot_is_pulled_chunk_by_chunk_and_only_the_chunk_asked_for_counts(live: Replica) -> None:
    live.receive_frame(frame("5", 9))
    assert live.receive_chunk(chunk("5", 9, row("a"), index=0, total=3)) == SnapshotRequest("pods", "", "5.1", 1, "5")
    assert live.receive_chunk(chunk("5", 9, row("a"), index=0, total=3)) is None
    assert live.receive_chunk(chunk("5", 9, row("c"), index=2, total=3)) is None
    assert live.receive_chunk(chunk("5", 9, row("b"), index=1, total=3)) == SnapshotRequest("pods", "", "5.1", 2, "5")
    assert names(live) == ["a=1"]
    assert live.receive_chunk(chunk("5", 9, row("c"), index=2, total=3)) is None
    assert names(live) == ["a=1", "b=1", "c=1"]


def test_a_question_without_an_answer_is_repeated(live: Replica, clock: FakeClock) -> None:
    live.receive_frame(frame("5", 9))
    assert live.tick() is None
    clock.skip(ANSWER_TIMEOUT)
    live.receive_frame(frame("5", 9))
    assert live.tick() == SnapshotRequest("pods", "", "", 0, "5")


def test_a_snapshot_the_worker_forgot_is_asked_for_anew(live: Replica, changes: list[Change]) -> None:
    live.receive_frame(frame("5", 9))
    live.receive_chunk(chunk("5", 9, row("a", 2), row("c"), index=0, total=2))
    assert live.receive_chunk(chunk("5", 9, index=1, total=0)) == SnapshotRequest("pods", "", "", 0, "5")
    live.receive_chunk(chunk("5", 9, row("b")))
    assert names(live) == ["b=1"]
    assert [(old and old.name, new and new.name) for old, new in changes[-1].rows] == [(None, "b"), ("a", None)]


def test_feed_lines_survive_a_new_epoch_and_are_never_doubled(live: Replica, changes: list[Change]) -> None:
    live.receive_frame(frame("5", 4, entries=(entry("5", 1), entry("5", 2))))
    live.receive_frame(frame("5", 9))
    live.receive_chunk(chunk("5", 9, row("a"), entries=(entry("5", 1), entry("5", 2), entry("5", 3))))
    live.receive_frame(frame("6", 0))
    live.receive_chunk(chunk("6", 2, row("a"), entries=(entry("6", 1),)))
    live.receive_frame(frame("6", 3, entries=(entry("6", 2),)))
    assert [each.words for each in live.entries] == ["5:1", "5:2", "5:3", "6:1", "6:2"]
    assert [each.words for change in changes for each in change.entries] == ["5:1", "5:2", "5:3", "6:1", "6:2"]


def test_feed_lines_that_nobody_can_tell_any_more_are_counted(live: Replica, changes: list[Change]) -> None:
    live.receive_frame(frame("5", 4, entries=(entry("5", 1), entry("5", 2))))
    live.receive_frame(frame("5", 9))
    live.receive_chunk(chunk("5", 9, row("a"), entries=(entry("5", 303), entry("5", 304))))
    live.receive_frame(frame("5", 10, entries=(entry("5", 305),)))
    live.receive_frame(frame("6", 0))
    late = chunk("6", 2, row("a"), entries=(entry("6", 11),))
    live.receive_chunk(
        msgspec.structs.replace(late, rates=((10.0, 0, 11, 0),))
    )  # 10 more since the other was heard last
    counted = [(len(change.entries), change.missed_entries) for change in changes if change.entries]
    assert counted == [(2, 0), (2, 300), (1, 0), (1, 10)]


def test_a_new_page_has_missed_nothing(replica: Replica) -> None:
    heard: list[Change] = []
    replica.on_change(heard.append)
    replica.tick()
    replica.receive_chunk(chunk("5", 3, entries=(entry("5", 301),)))
    replica.receive_frame(frame("5", 4, entries=(entry("5", 302),)))
    assert [change.missed_entries for change in heard] == [0, 0]


def test_frames_kept_while_pulling_are_bounded_by_their_size(clock: FakeClock) -> None:
    pull = SnapshotPull("pods", clock, before={}, interner=RowInterner())
    big = [frame("5", seq, row("a", seq, blob=Blob(b"x" * 1_000_000))) for seq in range(1, 100)]
    for each in [*big, big[-1]]:
        pull.buffer_frame(each)
    kept = [each.seq for each in pull.take_buffered_frames("5")]
    assert kept == list(range(100 - len(kept), 100))
    assert MAX_BUFFERED_BYTES - 2_000_000 < len(kept) * 1_000_000 <= MAX_BUFFERED_BYTES


def test_frames_with_long_entries_are_bounded_by_their_size_too(clock: FakeClock) -> None:
    pull = SnapshotPull("pods", clock, before={}, interner=RowInterner())
    for seq in range(1, 100):
        long = msgspec.structs.replace(entry("5", seq), labels={"a": "x" * 1_000_000})
        pull.buffer_frame(frame("5", seq, entries=(long,)))
    kept = len(pull.take_buffered_frames("5"))
    assert MAX_BUFFERED_BYTES - 2_000_000 < kept * 1_000_000 <= MAX_BUFFERED_BYTES


def test_the_informers_health_is_told_when_it_changes_and_not_when_it_was_merely_heard(
    live: Replica, changes: list[Change]
) -> None:
    live.receive_frame(Frame("pods", "5", 3, 10.0, Health(state="live", since=1.0, heard=10.0)))
    assert changes == []
    live.receive_frame(Frame("pods", "5", 3, 11.0, Health(state="stale", since=11.0, heard=10.0, problem="refused")))
    assert [change.has_new_health for change in changes] == [True]
    assert (live.state, live.is_live) == ("live", False)


def test_a_view_that_fails_keeps_no_other_from_hearing(live: Replica, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Change] = []

    def fails(_: Change) -> None:
        raise ValueError("broken view")

    live.on_change(fails)
    end = live.on_change(heard.append)
    live.receive_frame(frame("5", 4, row("b")))
    end()
    end()
    live.receive_frame(frame("5", 5, row("c")))
    assert len(heard) == 1
    assert "broken view" in caplog.text


def test_how_long_nothing_was_heard_of_a_worker_is_known(live: Replica, clock: FakeClock) -> None:
    clock.skip(7)
    assert live.silent_seconds == 7
    live.receive_frame(frame(live.epoch, live.seq))
    assert live.silent_seconds == 0


def test_while_a_list_is_taken_over_no_worker_is_asked_or_heard(clock: FakeClock) -> None:
    later: list[SlicedWork] = []
    replica = Replica("pods", clock, schedule=later.append)
    replica.show_list(KindList(1.0, (row("listed"),), None), "the limit is reached")
    assert replica.tick() is None
    assert replica.receive_frame(frame("5", 4, row("a"))) is None
    run_at_once(later.pop())
    assert names(replica) == ["listed=1"]
    assert replica.listed == ListedOnce(1.0, "the limit is reached")
    assert replica.tick() == SnapshotRequest("pods", "")
