"""Tests of a replica whose worker falls silent, or is replaced by another one."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.live.replication.messages import (
    SnapshotRequest,
)
from dashboard.live.replication.replica import SILENCE_TIMEOUT, Replica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.snapshot_pull import ANSWER_TIMEOUT
from informerd.cache.health import Health, State
from tests.support.clock import FakeClock
from tests.support.live.replication_messages import chunk, frame, names
from tests.support.live.sample_rows import row


def test_silence_is_stale_since_the_last_word_and_any_worker_may_answer(
    live: Replica, clock: FakeClock, changes: list[Change]
) -> None:
    heard = clock.time()
    clock.skip(SILENCE_TIMEOUT + 0.1)
    assert live.tick() == SnapshotRequest("pods", "", "", 0, "")
    assert (live.state, live.stale_since, live.silences, live.gaps) == ("stale", heard, 1, 0)
    assert names(live) == ["a=1"]
    live.receive_chunk(chunk("5", 3, row("a")))
    assert (live.state, live.stale_since) == ("live", None)
    assert [(change.rows, change.has_new_health) for change in changes] == [([], True), ([], True)]


def test_a_worker_that_dies_while_its_snapshot_is_pulled_is_given_up(live: Replica, clock: FakeClock) -> None:
    live.receive_frame(frame("5", 9))
    live.receive_chunk(chunk("5", 9, row("x"), index=0, total=2))
    clock.skip(SILENCE_TIMEOUT + 0.1)
    assert live.tick() == SnapshotRequest("pods", "", "", 0, "")
    assert live.receive_chunk(chunk("4", 1, row("b"))) is None
    assert (live.state, live.epoch, names(live)) == ("live", "4", ["b=1"])


def test_a_new_epoch_is_followed_and_leaves_no_ghost_row(live: Replica, changes: list[Change]) -> None:
    live.receive_frame(frame("5", 4, row("ghost")))
    assert live.receive_frame(frame("6", 0)) == SnapshotRequest("pods", "", "", 0, "6")
    assert live.state == "stale"
    live.receive_chunk(chunk("6", 0, row("a"), row("new")))
    assert (live.state, live.epoch, live.gaps, names(live)) == ("live", "6", 0, ["a=1", "new=1"])
    assert [(old and old.name, new and new.name) for old, new in changes[-1].rows] == [(None, "new"), ("ghost", None)]


@pytest.mark.parametrize("state", ["starting", "syncing", "unreachable", "forbidden"])
def test_a_new_worker_that_has_not_listed_yet_makes_no_row_go(
    live: Replica, clock: FakeClock, changes: list[Change], state: State
) -> None:
    live.receive_frame(frame("6", 0))
    assert live.receive_chunk(chunk("6", 1, row("new"), health=Health(state=state, since=2.0), total=9)) is None
    assert (live.state, live.is_unlisted, live.health.state, names(live)) == ("stale", True, state, ["a=1"])
    assert [(change.rows, change.has_new_health) for change in changes] == [([], True), ([], True)]
    live.receive_frame(frame("6", 2, row("newer")))
    assert live.tick() is None
    clock.skip(ANSWER_TIMEOUT)
    assert live.tick() == SnapshotRequest("pods", "", "", 0, "6")
    live.receive_chunk(chunk("6", 1, row("a"), row("new")))
    assert (live.state, live.is_unlisted, live.seq, names(live)) == ("live", False, 2, ["a=1", "new=1", "newer=1"])


@pytest.mark.parametrize("state", ["starting", "syncing", "unreachable", "forbidden"])
def test_a_new_worker_that_has_not_listed_yet_is_not_followed_while_the_one_before_it_is_up_to_date(
    live: Replica, clock: FakeClock, state: State
) -> None:
    """As in a rolling update, or where the new one cannot reach the API server at all."""
    unlisted = msgspec.structs.replace(frame("6", 0), health=Health(state=state, since=2.0))
    for seq in range(4, 9):
        clock.skip(1)
        assert live.receive_frame(frame("5", seq, row("a", seq))) is None
        assert live.receive_frame(unlisted) is None
        assert live.tick() is None
    assert (live.is_live, live.epoch, names(live)) == (True, "5", ["a=8"])
    assert live.receive_frame(frame("6", 1, row("new"))) == SnapshotRequest("pods", "", "", 0, "6")


def test_a_new_worker_that_has_not_listed_yet_is_asked_once_the_one_before_it_is_silent(
    live: Replica, clock: FakeClock
) -> None:
    unlisted = msgspec.structs.replace(frame("6", 0), health=Health(state="syncing", since=2.0))
    clock.skip(SILENCE_TIMEOUT + 0.1)
    assert live.receive_frame(unlisted) == SnapshotRequest("pods", "", "", 0, "6")
    live.receive_chunk(chunk("6", 0, health=unlisted.health))
    assert (live.state, live.is_unlisted, names(live)) == ("stale", True, ["a=1"])


def test_a_new_worker_that_falls_silent_before_it_has_listed_is_silent_and_no_more(
    live: Replica, clock: FakeClock
) -> None:
    live.receive_frame(frame("6", 0))
    live.receive_chunk(chunk("6", 0, health=Health(state="syncing", since=2.0)))
    clock.skip(SILENCE_TIMEOUT + 0.1)
    assert live.tick() == SnapshotRequest("pods", "", "", 0, "")
    assert (live.state, live.is_unlisted, names(live)) == ("stale", False, ["a=1"])


def test_what_the_same_worker_has_of_its_first_list_is_taken_while_it_goes_on(replica: Replica) -> None:
    syncing = Health(state="syncing", since=2.0)
    replica.tick()
    replica.receive_chunk(chunk("5", 1, row("a"), health=syncing))
    replica.receive_frame(frame("5", 9))
    replica.receive_chunk(chunk("5", 9, row("a"), row("b"), health=syncing))
    assert (replica.state, replica.is_unlisted, names(replica)) == ("live", False, ["a=1", "b=1"])


def test_a_kind_that_the_new_worker_does_not_find_is_gone(live: Replica) -> None:
    live.receive_frame(frame("6", 0))
    live.receive_chunk(chunk("6", 0, health=Health(state="absent", since=2.0)))
    assert (live.state, names(live)) == ("live", [])


def test_a_page_that_knows_nothing_yet_shows_what_a_worker_has_of_its_first_list(replica: Replica) -> None:
    replica.tick()
    replica.receive_chunk(chunk("5", 1, row("a"), health=Health(state="syncing", since=2.0)))
    assert (replica.state, replica.is_live, names(replica)) == ("live", False, ["a=1"])


def test_of_two_workers_at_once_the_one_that_began_later_is_followed(live: Replica) -> None:
    assert live.receive_frame(frame("4", 99, row("older"))) is None
    assert live.receive_frame(frame("4", 100)) is None
    assert (live.state, names(live)) == ("live", ["a=1"])
    live.receive_frame(frame("6", 1))
    assert live.receive_chunk(chunk("4", 100, row("older"))) is None
    assert live.receive_frame(frame("5", 4, row("older"))) is None
    live.receive_chunk(chunk("6", 1, row("newer")))
    assert live.receive_frame(frame("5", 5, row("older"))) is None
    assert (live.state, live.epoch, names(live)) == ("live", "6", ["newer=1"])


def test_an_older_worker_is_taken_once_the_newer_one_is_silent(live: Replica, clock: FakeClock) -> None:
    clock.skip(SILENCE_TIMEOUT + 0.1)
    assert live.receive_frame(frame("4", 99)) == SnapshotRequest("pods", "", "", 0, "4")
    live.receive_frame(frame("4", 100, row("late")))
    live.receive_chunk(chunk("4", 99, row("old")))
    assert (live.state, live.epoch, live.seq, names(live)) == ("live", "4", 100, ["late=1", "old=1"])
