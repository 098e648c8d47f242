"""Attack: an object whose texts, labels, depth and names of fields are as large as the API server takes them."""

from __future__ import annotations

import os
from typing import Any

import msgspec
import pytest

from dashboard.live.replication import feed_history
from dashboard.live.replication.feed_history import CHUNK_SIZE, MAX_KEPT_BYTES
from dashboard.live.replication.messages import SnapshotRequest
from dashboard.live.replication.pending_changes import split_into_frames
from dashboard.live.replication.publisher import MAX_ENTRY_LABELS, MAX_ENTRY_TEXT, Publisher
from dashboard.live.replication.redis_channel_layer import MAX_MESSAGE_BYTES
from dashboard.live.replication.snapshot import SnapshotStore
from dashboard.objects.kinds.row import Entry, Row
from dashboard.objects.paths.diff import MAX_CHANGES, MAX_PATH_LENGTH, field_changes
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.paths.reader import path_reader
from dashboard.objects.printers import build_row
from dashboard.objects.printers.changes import change_text
from dashboard.objects.printers.default_printers import Custom
from dashboard.objects.printers.events import InvolvedObject, event_subject
from dashboard.objects.printers.printer import MAX_TEXT_LENGTH
from dashboard.objects.printers.registry import projection_for
from informerd.decoding.compressor import Compressor
from informerd.objects import ObjectMeta
from informerd.resource import MYDEMOS
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


async def published(*rows: Row, words: str) -> list[Entry]:
    """The lines of the feed for changes of these rows."""
    layer = RecordingLayer()
    publisher = Publisher(MYDEMOS.key, layer, FakeClock())
    for row in rows:
        publisher.add_entry("modified", row, words, "ok")
    await publisher.flush()
    return [line for frame in layer.frames for line in frame.entries]


@pytest.mark.parametrize(
    "status",
    [
        {"phase": LONG},
        {"phase": "Failed", "message": LONG},
        {"conditions": [{"type": "Ready", "status": "False", "message": LONG}]},
    ],
)
def test_a_row_has_the_beginning_of_a_long_text(status: dict[str, Any]) -> None:
    made = build_row(MYDEMOS.key, Custom(metadata=ObjectMeta(name="a"), spec={"ip": LONG}, status=status))
    texts = [made.status, made.reason, *(cell for cell in made.cells if isinstance(cell, str))]
    assert max(map(len, texts)) == MAX_TEXT_LENGTH
    assert [text[-1] for text in texts if len(text) == MAX_TEXT_LENGTH].count("…") >= 2


async def test_a_line_of_the_feed_has_the_beginning_of_long_texts_and_of_many_labels() -> None:
    labels = {f"label-{number}": "v" * 60 for number in range(10_000)}
    large = msgspec.structs.replace(row_of({}, labels=labels), owner=("Kind", LONG, LONG), reason=LONG)
    line, small = await published(large, row_of({}, labels={"app": "web"}), words=LONG)
    assert [len(text) for text in (line.words, line.reason, line.owner)] == [MAX_ENTRY_TEXT] * 3
    assert 100 < len(line.labels) < 200
    assert sum(len(name) + len(value) for name, value in line.labels.items()) <= MAX_ENTRY_LABELS
    assert small.labels == {"app": "web"}


def test_the_history_of_changes_is_bounded_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_history, "MAX_KEPT_BYTES", MAX_KEPT_BYTES // 100)
    log, _, _ = log_of("pods", "events")
    told(log, "events", [entry(1, at=1)])
    for first in range(1, 20 * CHUNK_SIZE, CHUNK_SIZE):
        told(log, "pods", [entry(first + n, at=first + n, reason=os.urandom(500).hex()) for n in range(CHUNK_SIZE)])
    kept = sum(len(piece.compressed_entries) for piece in log.chunks(["pods"], 0, 1e12))
    assert MAX_KEPT_BYTES // 200 < kept <= MAX_KEPT_BYTES // 100
    assert log.known_from(["pods"]) > log.known_from(["events"])
    assert log.entry_count(["events"]) == 1


def test_messages_of_rows_with_a_megabyte_of_labels_stay_below_their_limit() -> None:
    labels = {f"label-{number}": "v" * 60 for number in range(15_000)}
    rows = {str(n): msgspec.structs.replace(row_of({}, labels=labels), uid=str(n)) for n in range(50)}
    parts = split_into_frames(dict(rows), [])
    assert len(parts) == 50
    assert max(len(msgspec.msgpack.encode(part[0])) for part in parts) < MAX_MESSAGE_BYTES / 8


def test_messages_of_very_long_lines_stay_below_their_limit() -> None:
    text = "\N{PILE OF POO}" * MAX_ENTRY_TEXT
    lines = [
        entry(
            number,
            words=text,
            reason=text,
            status=text,
            owner=text,
            labels={"a": text * 8},
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
    told_of = change_text("things.example.com", row_of({"data": old}), row_of({"data": new}))
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
