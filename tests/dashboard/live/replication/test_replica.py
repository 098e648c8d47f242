"""Tests of a replica: applied and refused frames, detection of staleness, and recovery in every case."""

from __future__ import annotations

import random
from collections import deque

import msgspec
import pytest

from dashboard.live.replication import replica as replica_module
from dashboard.live.replication import replica_rows as holding_module
from dashboard.live.replication.change import Change
from dashboard.live.replication.messages import (
    Frame,
    SnapshotChunk,
    SnapshotRequest,
    encoder,
    frame_decoder,
    snapshot_chunk_decoder,
)
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.pull import ANSWER_TIMEOUT, MAX_BUFFERED_BYTES, Pull
from dashboard.live.replication.replica import SILENCE_TIMEOUT, Replica
from dashboard.live.replication.replica_rows import STEP
from dashboard.live.replication.snapshot import CHUNK_ROWS
from dashboard.objects.kinds.row import Entry, PrinterColumn, Row, TableDefinition
from dashboard.objects.printers import columns_for
from dashboard.runtime.background import SlicedWork, run_at_once
from informerd.cache.health import Health, State
from informerd.decoding import compressor
from informerd.objects import Blob
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import (
    LossyQueue,
    RecordingLayer,
    object_of,
    packed_row,
    row,
    tells_of_itself,
)

HEALTH = Health(state="live", since=1.0, heard=2.0)
SYNCING = Health(state="syncing", since=1.0, heard=2.0)


def frame(
    epoch: str, seq: int, *rows: Row, gone: tuple[str, ...] = (), entries: tuple[Entry, ...] = (), sent: float = 0.0
) -> Frame:
    return Frame("pods", epoch, seq, sent or float(seq), HEALTH, rows, gone, entries, (len(rows), 0, len(gone)))


def chunk(
    epoch: str,
    seq: int,
    *rows: Row,
    index: int = 0,
    total: int = 1,
    entries: tuple[Entry, ...] = (),
    health: Health = HEALTH,
) -> SnapshotChunk:
    return SnapshotChunk("pods", epoch, seq, f"{epoch}.1", index, total, health, rows, entries)


def entry(epoch: str, seq: int) -> Entry:
    return Entry(seq, 1.0, "modified", "default", "a", "uid", f"{epoch}.{seq}", f"{epoch}:{seq}", "ok", epoch)


def names(replica: Replica) -> list[str]:
    assert replica.by_key == {each.key: each for each in replica.rows.values()}
    return sorted(f"{each.name}={each.version}" for each in replica.rows.values())


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def replica(clock: FakeClock) -> Replica:
    return Replica("pods", clock)


@pytest.fixture
def live(replica: Replica) -> Replica:
    """Live in epoch 5 at frame 3, with one row."""
    assert replica.tick() == SnapshotRequest("pods", "")
    assert replica.receive_chunk(chunk("5", 3, row("a"))) is None
    return replica


@pytest.fixture
def changes(live: Replica) -> list[Change]:
    heard: list[Change] = []
    live.on_change(heard.append)
    return heard


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
    pull = Pull("pods", clock, before={})
    big = [frame("5", seq, row("a", seq, blob=Blob(b"x" * 1_000_000))) for seq in range(1, 100)]
    for each in [*big, big[-1]]:
        pull.buffer_frame(each)
    kept = [each.seq for each in pull.take_buffered_frames("5")]
    assert kept == list(range(100 - len(kept), 100))
    assert MAX_BUFFERED_BYTES - 2_000_000 < len(kept) * 1_000_000 <= MAX_BUFFERED_BYTES


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
    assert {each.key for each in publisher.rows.values()} == set(replica.by_key)
    assert network.unlisted > 0
    assert network.steps > 20
    assert replica.gaps == replica.gaps_healed
    assert replica.gaps >= network.expected_gaps > 0
    ours = [seq for epoch, seq in network.entries_heard if epoch == publisher.epoch]
    assert ours == sorted(set(ours))
    assert list(replica.entries)[-5:] == list(publisher.entries)[-5:]


def many(number: int, version: int = 1) -> tuple[Row, ...]:
    return tuple(row(f"pod-{each}", version) for each in range(number))


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
        assert set(replica.by_key) == {each.key for each in mirror.values()}


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
        assert set(replica.by_key) == {each.key for each in replica.rows.values()}
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
    assert [column.id for column in columns_for(publisher.key)] == ["name", "size", "status", "age"]
    assert publisher._take_frames() == []
