"""Attack: an object whose texts, labels, depth and names of fields are as large as the API server takes them."""

from __future__ import annotations

import os
from typing import Any

import msgspec
import pytest

from dashboard.live.replication import feed_history
from dashboard.live.replication.entry_builder import MAX_ENTRY_PAIRS, MAX_ENTRY_TEXT
from dashboard.live.replication.feed_history import CHUNK_BYTES, CHUNK_SIZE, MAX_KEPT_BYTES, FeedHistory
from dashboard.live.replication.messages import SnapshotRequest
from dashboard.live.replication.pending_changes import split_into_frames
from dashboard.live.replication.publisher import MAX_ROW_BYTES, Publisher
from dashboard.live.replication.redis_channel_layer import MAX_MESSAGE_BYTES
from dashboard.live.replication.snapshot import PAIR_BYTES, SnapshotStore, entry_size
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Owner, Row
from dashboard.objects.paths.field_changes import MAX_CHANGES, MAX_PATH_LENGTH, MAX_STEPS, field_changes
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.paths.reader import path_reader
from dashboard.objects.printers import build_row
from dashboard.objects.printers.change_text import change_text
from dashboard.objects.printers.default_printers import Custom
from dashboard.objects.printers.events import InvolvedObject, event_subject
from dashboard.objects.printers.printer import MAX_STATUS_LENGTH, MAX_TEXT_LENGTH
from dashboard.objects.printers.registry import projection_for
from informerd.decoding.compressor import Compressor
from informerd.objects import ObjectMeta
from informerd.resource import MYDEMOS
from tests.support.call_count import calls_of
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.feed_entries import entry, log_of, told

LONG = "x" * 1_000_000


def row_of(obj: dict[str, Any], **more: Any) -> Row:
    raw = msgspec.json.encode({"metadata": {"name": "a"}, **obj})
    return Row("uid", "ns", "a", "1", None, "Ready", "ok", (), more.pop("labels", {}), blob=Compressor().compress(raw))


def nested(levels: int, innermost: Any, name: str = "a") -> Any:
    for _ in range(levels):
        innermost = {name: innermost}
    return innermost


def deep_with_long_names(value: int) -> Any:
    """Half a megabyte; the paths of all its fields have 6 GB."""
    return nested(300, {str(number): value for number in range(20_000)}, "k" * 1000)


async def published(*rows: Row, words: str, fields: tuple[tuple[str, str], ...] = ()) -> list[Entry]:
    """The lines of the feed for changes of these rows."""
    layer = RecordingLayer()
    publisher = Publisher(MYDEMOS.key, layer, FakeClock())
    for row in rows:
        publisher.add_entry("modified", row, words, "ok", fields=fields)
    await publisher.flush()
    return [line for frame in layer.frames for line in frame.entries]


@pytest.mark.parametrize(
    "status",
    [
        {"phase": "Failed", "message": LONG},
        {"conditions": [{"type": "Ready", "status": "False", "message": LONG}]},
    ],
)
def test_a_row_has_the_beginning_of_a_long_text(status: dict[str, Any]) -> None:
    made = build_row(MYDEMOS.key, Custom(metadata=ObjectMeta(name="a"), spec={"ip": LONG}, status=status))
    texts = [made.reason, *(cell for cell in made.cells if isinstance(cell, str))]
    assert max(map(len, texts)) == MAX_TEXT_LENGTH
    long = [text for text in (made.status, *texts) if len(text) in {MAX_STATUS_LENGTH, MAX_TEXT_LENGTH}]
    assert len(long) >= 2
    assert {text[-1] for text in long} == {"…"}
    assert made.status in made.cells


def test_a_row_has_the_beginning_of_a_long_status() -> None:
    pod = msgspec.convert({"metadata": {"name": "a"}, "status": {"reason": LONG}}, projection_for("pods"))
    made = build_row("pods", pod)
    assert (len(made.status), made.status[-1]) == (MAX_STATUS_LENGTH, "…")


async def test_a_line_of_the_feed_has_the_beginning_of_long_texts_and_of_many_labels_and_fields() -> None:
    labels = {f"label-{number}": "v" * 60 for number in range(10_000)}
    large = msgspec.structs.replace(row_of({}, labels=labels), owner=("Kind", LONG, LONG), reason=LONG)
    fields = tuple(labels.items())
    line, small = await published(large, row_of({}, labels={"app": "web"}), words=LONG, fields=fields)
    assert [len(text) for text in (line.words, line.reason, line.owner)] == [MAX_ENTRY_TEXT] * 3
    assert line.fields == fields[: len(line.fields)]
    for pairs in (line.labels.items(), line.fields):
        size = sum(PAIR_BYTES + len(name) + len(value) for name, value in pairs)
        assert MAX_ENTRY_PAIRS - 100 < size <= MAX_ENTRY_PAIRS
    assert small.labels == {"app": "web"}


async def test_a_line_of_a_node_with_many_labels_has_all_of_them() -> None:
    labels = {f"feature.node.kubernetes.io/cpu-cpuid.{number:030}": "true" for number in range(161)}
    labels["topology.kubernetes.io/zone"] = "eu-central-1a"
    (line,) = await published(row_of({}, labels=labels), words="")
    assert line.labels == labels


def entries_of(log: FeedHistory, *kinds: str) -> list[tuple[Entry, ...]]:
    """The entries of each chunk."""
    return [piece.entries() for piece in log.chunks(kinds, 0, 1e12)]


@pytest.mark.slow
def test_the_history_of_changes_is_bounded_by_bytes_however_well_they_are_compressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed_history, "MAX_KEPT_BYTES", MAX_KEPT_BYTES // 100)
    log, _, _ = log_of("pods", "nodes", "events")
    told(log, "events", [entry(1, at=1)])
    told(log, "nodes", [entry(n, at=n, reason="x" * 3000) for n in range(1, 100)])
    for first in range(1, 20 * CHUNK_SIZE, 10):
        told(log, "pods", [entry(first + n, at=first + n, reason="x" * 1000) for n in range(10)])
        kept = sum(entry_size(each) for piece in entries_of(log, "pods", "nodes", "events") for each in piece)
        assert kept <= MAX_KEPT_BYTES // 100
    assert kept > MAX_KEPT_BYTES // 200
    assert log.known_from(["pods"]) > log.known_from(["nodes"]) == log.known_from(["events"])
    assert (log.entry_count(["nodes"]), log.entry_count(["events"])) == (99, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "large",
    [
        {"words": "\N{PILE OF POO}" * MAX_ENTRY_TEXT, "fields": (("p" * 500, "v" * 60),) * 20},
        {"labels": {f"label-{number}": "v" * 60 for number in range(700)}},
        {"labels": {f"{number:x}": "" for number in range(2_700)}},
    ],
    ids=["long texts", "many labels", "many small labels"],
)
def test_no_chunk_of_the_history_takes_long_to_read(large: dict[str, Any]) -> None:
    log, _, _ = log_of("pods")
    entries = [entry(number, at=number, **large) for number in range(1, 2 * CHUNK_SIZE)]
    told(log, "pods", entries)
    pieces = entries_of(log, "pods")
    assert [each for piece in reversed(pieces) for each in piece] == entries
    assert max(sum(map(entry_size, piece)) for piece in pieces) < CHUNK_BYTES + entry_size(entries[-1])
    assert max(sum(len(each.labels) for each in piece) for piece in pieces) < CHUNK_BYTES / PAIR_BYTES


@pytest.mark.slow
@pytest.mark.parametrize(
    "large",
    [
        {"labels": {f"label-{number}": "v" * 60 for number in range(15_000)}},
        {"owner": ("Thing", LONG, "uid")},
        {"owners": (Owner("example.com", "Thing", LONG, "uid"),)},
        {"finalizers": tuple(f"example.com/{number:090}" for number in range(10_000))},
        {"status": LONG},
        {"reason": LONG},
        {"name": LONG},
        {"cells": ("x" * 1_000,) * 1_000},
        {"cells": (0.5,) * 150_000},
        {"owner": ("Thing", LONG, "uid"), "cells": (2**64,)},
    ],
    ids=["labels", "owner", "owners", "finalizers", "status", "reason", "name", "cells", "numbers", "unencodable"],
)
async def test_messages_of_rows_with_a_megabyte_of_texts_stay_below_their_limit(large: dict[str, Any]) -> None:
    layer = RecordingLayer()
    publisher = Publisher(MYDEMOS.key, layer, FakeClock())
    for number in range(50):
        publisher.put(msgspec.structs.replace(row_of({}), uid=str(number), **large))
    await publisher.flush()
    assert [len(frame.rows) for frame in layer.frames] == [1] * 50
    assert max(len(message["data"]) for _, message in layer.sent) < MAX_MESSAGE_BYTES / 8


@pytest.mark.slow
@pytest.mark.parametrize(("size", "is_whole"), [(3_000_000, True), (MAX_ROW_BYTES * 3 // 4, False), (2**25, False)])
async def test_one_row_fits_a_message_or_is_shown_by_its_name(size: int, is_whole: bool) -> None:
    text = os.urandom(size // 2).hex()
    row = row_of({"owner": text}, labels={"a": text[:-1_000_000]})
    row = msgspec.structs.replace(row, owner=("Thing", text, "uid"), owners=(Owner("", "Thing", text, "uid"),))
    layer = RecordingLayer()
    publisher = Publisher(MYDEMOS.key, layer, FakeClock())
    publisher.put(row)
    publisher.put(msgspec.structs.replace(row_of({}), uid="other"))
    await publisher.flush()
    await publisher.answer(SnapshotRequest(MYDEMOS.key, "reply"))
    assert max(len(message["data"]) for _, message in layer.sent) < MAX_MESSAGE_BYTES * 3 / 4
    sent, other = [each for frame in layer.frames for each in frame.rows]
    assert (sent.uid, sent.name, sent.status) == ("uid", "a", "Ready" if is_whole else "Unreadable")
    assert (sent == row) is is_whole
    assert (other.uid, other.status) == ("other", "Ready")
    assert layer.chunks[0].rows[0] == sent


@pytest.mark.slow
def test_messages_of_very_long_lines_stay_below_their_limit() -> None:
    text = "\N{PILE OF POO}" * MAX_ENTRY_TEXT
    lines = [
        entry(
            number,
            words=text,
            reason=text,
            status=text,
            owner=text,
            labels={"a": text * 64},
            fields=((text, text),) * 20,
        )
        for number in range(1, 501)
    ]
    parts = split_into_frames({}, lines)
    assert [line for part in parts for line in part[2]] == lines
    assert len(parts) > 10
    assert max(len(msgspec.msgpack.encode(part)) for part in parts) < MAX_MESSAGE_BYTES / 4
    publisher = Publisher(MYDEMOS.key, RecordingLayer(), FakeClock())
    publisher.entries.extend(lines)
    chunk = SnapshotStore(MYDEMOS.key, "1-a", FakeClock()).chunk(SnapshotRequest(MYDEMOS.key, "reply"), publisher)
    assert chunk.entries == tuple(lines[-len(chunk.entries) :])
    assert 0 < len(msgspec.msgpack.encode(chunk)) < MAX_MESSAGE_BYTES / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({str(n): 1 for n in range(90_000)}, {str(n): 2 for n in range(90_000)}),
        (deep_with_long_names(1), deep_with_long_names(2)),
        (nested(900, 1), nested(900, 2)),
        ({LONG: 1}, {LONG: 2}),
        ([{"name": f"a{n}"} for n in range(70_000)], [{"name": f"b{n}"} for n in range(70_000)]),
    ],
    ids=["many", "deep with long names", "deep", "a long name", "a long list"],
)
def test_a_change_of_a_large_object_is_told_in_a_line(old: Any, new: Any) -> None:
    before, after = row_of({"data": old}), row_of({"data": new})
    told_of = change_text("things.example.com", before, after)
    assert calls_of(lambda: change_text("things.example.com", before, after)) < 20 * MAX_STEPS
    assert told_of.words
    assert len(told_of.words) < 4 * MAX_PATH_LENGTH
    assert sum(len(path) + len(value) for path, value in told_of.fields) <= 20 * (MAX_PATH_LENGTH + 60)


def test_of_very_many_changes_the_first_are_told_and_that_there_are_more() -> None:
    old, new = ({"data": {str(n): value for n in range(5_000)}} for value in (1, 2))
    found = field_changes(old, new)
    assert len(found.changes) == MAX_CHANGES
    assert not found.are_all
    words = change_text("things.example.com", row_of(old), row_of(new)).words
    assert words.endswith(f", at least {MAX_CHANGES - 3} more")


@pytest.mark.parametrize("path", [".spec.items[?(@==x)]", ".spec.items[?(@.a==x)]", ".spec.items[*]"])
def test_paths_read_objects_of_any_depth(path: str) -> None:
    for levels in range(900, 1000, 5):
        raw = b'{"spec":{"items":[%b1%b]}}' % (b'{"a":' * levels, b"}" * levels)
        values = path_reader((FieldPath(path),))(msgspec.structs.replace(row_of({}), blob=Compressor().compress(raw)))
        assert len(values[0]) <= 1


def test_an_event_about_a_name_that_none_can_have_is_about_no_object() -> None:
    event = projection_for("events")
    assert event_subject(event(involved_object=InvolvedObject(name="web", namespace="ns", kind="Pod"))) is not None  # type: ignore[call-arg]
    assert event_subject(event(involved_object=InvolvedObject(name=LONG, namespace="ns", kind="Pod"))) is None  # type: ignore[call-arg]
