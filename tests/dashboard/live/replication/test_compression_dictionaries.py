"""Tests of dictionaries on the feed: sent once, lost, late, or replaced; no row is read with a wrong one."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
import zstandard

from dashboard.live.replication.compression_dictionaries import (
    MAX_OBJECT_BYTES,
    AnnouncedDictionaries,
    ReceivedDictionaries,
    fits,
)
from dashboard.live.replication.messages import (
    Frame,
    SnapshotChunk,
    SnapshotRequest,
    encoder,
    frame_decoder,
    snapshot_chunk_decoder,
)
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.snapshot import CHUNK_ROWS
from dashboard.live.replication.snapshot_pull import ANSWER_TIMEOUT
from dashboard.objects.kinds.row import Row
from dashboard.objects.query.list_query import Query
from informerd.cache.health import Health
from informerd.decoding.compressor import MAX_SAMPLES, Compressor
from informerd.objects import Blob
from informerd.zstd_dictionaries import MAX_DICTIONARY_BYTES, Dictionary, dictionary_id
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.sample_rows import dictionary, object_of, packed_row, tells_of_itself

LIVE = Health(state="live", since=1.0, heard=2.0)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="module")
def trained() -> Dictionary:
    return dictionary("pod")


@pytest.fixture(scope="module")
def other() -> Dictionary:
    return dictionary("node")


class Feed:
    """A worker's publisher and a replica; what lies between them is handed on, or not, by the test."""

    def __init__(self, clock: FakeClock, key: str = "pods", replica: Replica | None = None) -> None:
        self.layer = RecordingLayer()
        self.clock = clock
        self.publisher = Publisher(key, self.layer, clock)
        self.publisher.health = lambda: LIVE
        self.replica = replica or Replica(key, clock)
        self.changes: list[Change] = []
        self.replica.on_change(self.changes.append)

    async def sent(self, *rows: Row) -> Frame:
        """The frame that brings these rows."""
        for each in rows:
            self.publisher.put(each)
        await self.publisher.flush()
        return self.layer.frames[-1]

    async def pull(self, ask: SnapshotRequest | None) -> int:
        """Answer until nothing more is asked; how many chunks that took."""
        chunks = 0
        while ask is not None:
            chunks += 1
            await self.publisher.answer(ask)
            ask = self.replica.receive_chunk(self.layer.chunks[-1])
        return chunks

    @property
    def told(self) -> list[str]:
        return [new.name for change in self.changes for _, new in change.rows if new is not None]


@pytest.fixture
async def feed(clock: FakeClock) -> Feed:
    """A live replica that knows of no row and no dictionary."""
    feed = Feed(clock)
    await feed.pull(feed.replica.tick())
    assert feed.replica.is_live
    return feed


def read(replica: Replica) -> list[str]:
    """The names of the replica's rows, each of which has been unpacked and found to be its own."""
    assert all(tells_of_itself(row) for row in replica.rows.values())
    return sorted(row.name for row in replica.rows.values())


async def test_a_dictionary_comes_with_the_first_frame_that_needs_it_and_not_again(
    feed: Feed, trained: Dictionary
) -> None:
    frames = [
        await feed.sent(packed_row("plain")),
        await feed.sent(packed_row("a", 1, trained), packed_row("b", 1, trained)),
        await feed.sent(packed_row("a", 2, trained)),
    ]
    assert [frame.dictionaries for frame in frames] == [(), (trained.data,), ()]
    for frame in frames:
        assert feed.replica.receive_frame(frame) is None
    assert read(feed.replica) == ["a", "b", "plain"]
    assert feed.replica.gaps == 0


async def test_rows_travel_as_they_are_packed_and_name_their_dictionary_only(feed: Feed, trained: Dictionary) -> None:
    sent = packed_row("a", 1, trained)
    await feed.sent(packed_row("first", 1, trained))
    frame = await feed.sent(sent)
    (row,) = frame.rows
    assert row.blob
    assert sent.blob
    assert (row.blob.data, row.blob.dictionary) == (sent.blob.data, None)
    assert dictionary_id(row.blob.data) == trained.id
    assert len(encoder.encode(frame)) < 700


async def test_the_dictionary_that_a_kind_gets_after_its_first_objects_is_followed(feed: Feed) -> None:
    packer = Compressor()
    for number in range(0, MAX_SAMPLES + 100, 50):
        rows = [packed_row(f"pod-{number + index}", 1, packer) for index in range(50)]
        assert feed.replica.receive_frame(await feed.sent(*rows)) is None
    assert packer.dictionary
    assert len(read(feed.replica)) == MAX_SAMPLES + 100
    with_one = [row for row in feed.replica.rows.values() if row.blob and row.blob.dictionary]
    assert len(with_one) == 100


async def test_a_lost_frame_with_a_dictionary_is_a_hole_that_the_snapshot_heals(
    feed: Feed, trained: Dictionary
) -> None:
    await feed.sent(packed_row("a", 1, trained))
    ask = feed.replica.receive_frame(await feed.sent(packed_row("b", 1, trained)))
    assert (feed.replica.state, feed.replica.gaps, read(feed.replica)) == ("stale", 1, [])
    await feed.pull(ask)
    assert feed.replica.receive_frame(await feed.sent(packed_row("c", 1, trained))) is None
    assert (feed.replica.state, feed.replica.gaps_healed, read(feed.replica)) == ("live", 1, ["a", "b", "c"])


async def test_a_row_without_its_dictionary_is_not_shown_but_stale(
    feed: Feed, trained: Dictionary, other: Dictionary
) -> None:
    """Nor is it read with another one, though that may be all the replica has."""
    feed.replica.receive_frame(await feed.sent(packed_row("known", 1, other)))
    frame = msgspec.structs.replace(await feed.sent(packed_row("a", 1, trained)), dictionaries=())
    ask = feed.replica.receive_frame(frame)
    assert ask == SnapshotRequest("pods", "", "", 0, feed.publisher.epoch)
    assert (feed.replica.state, feed.replica.gaps, feed.replica.is_live) == ("stale", 1, False)
    assert read(feed.replica) == ["known"]
    await feed.pull(ask)
    assert (feed.replica.state, feed.replica.gaps_healed, read(feed.replica)) == ("live", 1, ["a", "known"])
    assert feed.told == ["known", "a"]


async def test_a_snapshot_without_its_dictionary_is_not_shown_and_asked_for_again_in_a_while(
    feed: Feed, clock: FakeClock, trained: Dictionary, caplog: pytest.LogCaptureFixture
) -> None:
    await feed.sent(packed_row("a", 1, trained))
    ask = feed.replica.receive_frame(await feed.sent(packed_row("b", 1, trained)))
    assert ask is not None
    await feed.publisher.answer(ask)
    without = msgspec.structs.replace(feed.layer.chunks[-1], dictionaries=())
    assert feed.replica.receive_chunk(without) is None
    assert feed.replica.tick() is None
    assert (feed.replica.state, read(feed.replica)) == ("stale", [])
    assert "packed with a dictionary that nobody sent" in caplog.text
    clock.skip(ANSWER_TIMEOUT)
    await feed.pull(feed.replica.tick())
    assert (feed.replica.state, read(feed.replica)) == ("live", ["a", "b"])


def test_what_is_no_dictionary_binds_no_row(trained: Dictionary, caplog: pytest.LogCaptureFixture) -> None:
    packed = Blob(trained.compress(object_of("a")))
    row = msgspec.structs.replace(packed_row("a"), blob=packed)
    assert not ReceivedDictionaries().bind([row], [b"no dictionary"])
    assert packed.dictionary is None
    assert "received a malformed dictionary" in caplog.text


def test_a_dictionary_that_is_too_large_is_not_learned(trained: Dictionary, caplog: pytest.LogCaptureFixture) -> None:
    large = trained.data + bytes(MAX_DICTIONARY_BYTES)
    row = msgspec.structs.replace(packed_row("a"), blob=Blob(trained.compress(object_of("a"))))
    assert not ReceivedDictionaries().bind([row], [large])
    assert "which is too large" in caplog.text


def test_an_object_fits_by_the_size_that_it_unpacks_to(trained: Dictionary) -> None:
    spaces = b" " * (MAX_OBJECT_BYTES + 1)
    assert fits(Blob(zstandard.ZstdCompressor().compress(spaces[:-1])))
    assert not fits(Blob(zstandard.ZstdCompressor().compress(spaces)))
    assert not fits(Blob(trained.compress(spaces), trained))
    assert not fits(Blob(zstandard.ZstdCompressor(write_content_size=False).compress(b"of unknown size")))
    assert not fits(Blob(b"no zstandard"))


def test_what_is_not_packed_is_no_row_to_show() -> None:
    assert not ReceivedDictionaries().bind([msgspec.structs.replace(packed_row("a"), blob=Blob(b"not packed"))], [])


async def test_a_row_that_was_damaged_on_its_way_is_replaced_by_the_next_snapshot(
    feed: Feed, clock: FakeClock, trained: Dictionary, other: Dictionary
) -> None:
    """Its head is whole, so that only unpacking it shows the damage."""
    frame = await feed.sent(packed_row("a", 1, trained), packed_row("b", 1, trained))
    row = frame.rows[0]
    assert row.blob
    damaged = msgspec.structs.replace(row, blob=Blob(row.blob.data[:-8]))
    feed.replica.receive_frame(msgspec.structs.replace(frame, rows=(damaged, *frame.rows[1:])))
    with pytest.raises(zstandard.ZstdError):
        read(feed.replica)
    feed.changes.clear()
    await clock.advance(0.5)
    younger = Feed(clock, replica=feed.replica)
    await younger.pull(
        feed.replica.receive_frame(await younger.sent(packed_row("a", 1, other), packed_row("b", 1, other)))
    )
    assert (feed.replica.state, read(feed.replica), younger.told) == ("live", ["a", "b"], [row.name])


async def test_a_snapshot_begun_anew_forgets_the_dictionaries_of_the_one_before(
    feed: Feed, clock: FakeClock, trained: Dictionary
) -> None:
    for number in range(CHUNK_ROWS + 1):
        feed.publisher.put(packed_row(f"pod-{number}", 1, trained))
    await feed.publisher.flush()
    ask = feed.replica.receive_frame(feed.layer.frames[-1])
    assert ask is not None
    await feed.publisher.answer(ask)
    first = feed.layer.chunks[-1]
    assert first.total == 2
    again = feed.replica.receive_chunk(first)
    assert again is not None
    gone = SnapshotChunk("pods", first.epoch, first.seq, first.snapshot, 1, 0, LIVE)
    assert feed.replica.receive_chunk(gone) == SnapshotRequest("pods", "", "", 0, first.epoch)
    without = msgspec.structs.replace(feed.layer.chunks[-1], snapshot="another", dictionaries=())
    assert feed.replica.receive_chunk(without) is None
    assert feed.replica.state == "stale"
    clock.skip(ANSWER_TIMEOUT)
    await feed.pull(feed.replica.tick())
    assert (feed.replica.state, len(read(feed.replica))) == ("live", CHUNK_ROWS + 1)


async def test_only_the_first_chunk_of_a_snapshot_has_the_dictionary_and_all_its_rows_can_be_read(
    feed: Feed, trained: Dictionary
) -> None:
    for number in range(CHUNK_ROWS * 2 + 1):
        feed.publisher.put(packed_row(f"pod-{number}", 1, trained))
    await feed.publisher.flush()
    ask = feed.replica.receive_frame(feed.layer.frames[-1])
    assert len(feed.layer.frames) > 1
    feed.layer.sent.clear()
    assert await feed.pull(ask) == 3
    assert [len(chunk.dictionaries) for chunk in feed.layer.chunks] == [1, 0, 0]
    assert len(read(feed.replica)) == CHUNK_ROWS * 2 + 1


async def test_a_snapshot_has_the_dictionary_of_rows_that_are_still_to_come(feed: Feed, trained: Dictionary) -> None:
    """The last row that needed it is gone; the worker will not announce it again, and packs with it on."""
    row = packed_row("a", 1, trained)
    await feed.sent(row)
    feed.publisher.remove(row.uid)
    await feed.publisher.flush()
    await feed.pull(feed.replica.receive_frame(feed.layer.frames[-1]))
    assert read(feed.replica) == []
    assert feed.replica.receive_frame(await feed.sent(packed_row("b", 1, trained))) is None
    assert (feed.replica.state, read(feed.replica)) == ("live", ["b"])


async def test_a_frame_kept_while_a_snapshot_is_pulled_brings_its_dictionary(feed: Feed, trained: Dictionary) -> None:
    await feed.sent(packed_row("lost"))
    ask = feed.replica.receive_frame(await feed.sent(packed_row("plain")))
    assert ask is not None
    await feed.publisher.answer(ask)
    snapshot = feed.layer.chunks[-1]
    assert feed.replica.receive_frame(await feed.sent(packed_row("a", 1, trained))) is None
    assert feed.replica.receive_chunk(snapshot) is None
    assert (feed.replica.state, read(feed.replica)) == ("live", ["a", "lost", "plain"])


async def test_a_new_worker_has_another_dictionary_and_only_what_it_changed_is_told(
    feed: Feed, clock: FakeClock, trained: Dictionary, other: Dictionary
) -> None:
    feed.replica.receive_frame(await feed.sent(packed_row("a", 1, trained), packed_row("b", 1, trained)))
    held = feed.replica.get("default", "a")
    await clock.advance(0.5)
    younger = Feed(clock, replica=feed.replica)
    frame = await younger.sent(packed_row("a", 1, other), packed_row("b", 2, other))
    await younger.pull(feed.replica.receive_frame(frame))
    assert (feed.replica.state, feed.replica.epoch, feed.replica.gaps) == ("live", younger.publisher.epoch, 0)
    assert younger.told == ["b"]
    assert {row.blob.dictionary.data for row in feed.replica.rows.values() if row.blob and row.blob.dictionary} == {
        other.data
    }
    assert read(feed.replica) == ["a", "b"]
    assert held is not None
    assert tells_of_itself(held), "a view that still shows the old row"


async def test_a_dictionary_goes_with_the_last_row_that_needs_it(
    feed: Feed, clock: FakeClock, trained: Dictionary, other: Dictionary
) -> None:
    feed.replica.receive_frame(await feed.sent(packed_row("a", 1, trained)))
    row = feed.replica.get("default", "a")
    assert row
    assert row.blob
    assert row.blob.dictionary
    old = weakref.ref(row.blob.dictionary)
    await clock.advance(0.5)
    younger = Feed(clock, replica=feed.replica)
    await younger.pull(feed.replica.receive_frame(await younger.sent(packed_row("a", 1, other))))
    feed.changes.clear()
    assert old() is not None, "the row at hand needs it"
    del row
    gc.collect()
    assert old() is None


async def test_of_two_workers_with_a_dictionary_each_the_elder_is_not_mixed_in(
    feed: Feed, clock: FakeClock, trained: Dictionary, other: Dictionary
) -> None:
    await clock.advance(0.5)
    younger = Feed(clock, replica=feed.replica)
    for version in (1, 2, 3):
        feed.replica.receive_frame(await feed.sent(packed_row("a", version, trained)))
        ask = feed.replica.receive_frame(await younger.sent(packed_row("a", version + 10, other)))
        feed.replica.receive_frame(await feed.sent(packed_row("elder", version, trained)))
        await younger.pull(ask)
        assert (feed.replica.state, read(feed.replica)) == ("live", ["a"])
    row = feed.replica.get("default", "a")
    assert row
    assert row.version == "13"


async def test_kinds_have_their_own(clock: FakeClock, trained: Dictionary, other: Dictionary) -> None:
    pods, nodes = Feed(clock), Feed(clock, "nodes")
    for feed, packer, name in ((pods, trained, "pod"), (nodes, other, "node")):
        await feed.pull(feed.replica.tick())
        assert feed.replica.receive_frame(await feed.sent(packed_row(name, 1, packer))) is None
    assert (read(pods.replica), read(nodes.replica)) == (["pod"], ["node"])
    foreign = msgspec.structs.replace(nodes.layer.frames[-1], resource="pods", epoch=pods.publisher.epoch, seq=2)
    foreign = msgspec.structs.replace(foreign, dictionaries=())
    pods.replica.receive_frame(foreign)
    assert (pods.replica.state, read(pods.replica)) == ("stale", ["pod"])


async def test_rows_are_filtered_by_path_in_any_thread(feed: Feed, trained: Dictionary) -> None:
    names = [f"pod-{number}" for number in range(40)]
    feed.replica.receive_frame(await feed.sent(*(packed_row(name, 1, trained) for name in names)))
    query = Query.parse({"q": [".spec.nodeName=pod-7"]}, "pods")
    assert query.problems == ()
    start = threading.Barrier(4)

    def matching() -> list[str]:
        start.wait()
        return [row.name for _ in range(20) for row in feed.replica.rows.values() if query.matches(row, 0.0)]

    with ThreadPoolExecutor(4) as threads:
        found = [future.result() for future in [threads.submit(matching) for _ in range(4)]]
    assert found == [["pod-7"] * 20] * 4


def test_a_dictionary_that_no_row_needs_is_forgotten_when_another_is_announced(
    trained: Dictionary, other: Dictionary
) -> None:
    announced = AnnouncedDictionaries()
    old, new = packed_row("a", 1, trained), packed_row("a", 2, other)
    assert announced.announce([old], [old]) == (trained.data,)
    assert announced.announce([], []) == ()
    assert announced.all() == (trained.data,)
    assert announced.announce([new], [old, new]) == (other.data,)
    assert announced.all() == (trained.data, other.data)
    announced = AnnouncedDictionaries()
    announced.announce([old], [old])
    announced.announce([new], [new])
    assert announced.all() == (other.data,)
    assert announced.announce([old], [old, new]) == (trained.data,), "said again when it is needed again"


def test_a_dictionary_that_has_anothers_id_by_chance_is_announced(trained: Dictionary, other: Dictionary) -> None:
    """The id stands in bytes 4 to 8 (RFC 8878, section 6)."""
    namesake = Dictionary(other.data[:4] + trained.data[4:8] + other.data[8:])
    assert namesake.id == trained.id
    announced, heard = AnnouncedDictionaries(), ReceivedDictionaries()
    for version, packer in enumerate((trained, namesake)):
        sent = packed_row("a", version, packer)
        said = announced.announce([sent], [sent])
        assert said == (packer.data,)
        assert sent.blob
        come = msgspec.structs.replace(sent, blob=Blob(sent.blob.data))
        assert heard.bind([come], said)
        assert tells_of_itself(come)


def test_frames_and_chunks_with_dictionaries_come_out_as_they_went_in(trained: Dictionary) -> None:
    row = packed_row("a", 1, trained)
    frame = Frame("pods", "5", 1, 1.0, LIVE, rows=(row,), dictionaries=(trained.data,))
    chunk = SnapshotChunk("pods", "5", 1, "5.1", 0, 1, LIVE, rows=(row,), dictionaries=(trained.data,))
    for sent, come in (
        (frame, frame_decoder.decode(encoder.encode(frame))),
        (chunk, snapshot_chunk_decoder.decode(encoder.encode(chunk))),
    ):
        assert ReceivedDictionaries().bind(come.rows, come.dictionaries)
        assert come == sent
