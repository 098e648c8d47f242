"""Tests of messages of a newer version: their unknown words are shown as such, and the rest as it is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dashboard.live.replication.messages import SnapshotChunk, encoder, frame_decoder, snapshot_chunk_decoder
from dashboard.live.usage.messages import part_decoder

NEW_FIELD = {"of": ["a", "newer", "version"]}
HEALTH = ["hibernating", 1.0, 2.0, "it sleeps"]
ROW = ["uid", "shop", "web", "7", 1.0, "Hibernating", "purple", ["a", 1], {"app": "web"}]
OLD_ROW = ["old", "shop", "old", "6", 1.0, "Running", "ok", [], {}]
ENTRY = [1, 2.0, "hibernated", "shop", "web", "uid", "7", "spec.sleep → true", "purple"]


def frame(rows: list[Any], entries: list[Any], health: list[Any]) -> bytes:
    fields = ["pods", "epoch", 3, 4.0, health, rows, [], entries, [0, 1, 0], [b"dictionary"], None, [1, 1], NEW_FIELD]
    return msgspec.msgpack.encode(fields)


def test_a_frame_with_unknown_words_is_read_and_says_them() -> None:
    decoded = frame_decoder.decode(frame([ROW, OLD_ROW], [ENTRY], HEALTH))
    row, old = decoded.rows
    assert (row.name, row.status, row.tone, row.labels, row.cells) == (
        "web",
        "Hibernating",
        "idle",
        {"app": "web"},
        ("a", 1),
    )
    assert (old.status, old.tone) == ("Running", "ok")
    (entry,) = decoded.entries
    assert (entry.op, entry.tone) == ("modified", "idle")
    assert entry.words == "spec.sleep → true (“hibernated”, which this version does not know)"
    assert (decoded.health.state, decoded.health.since) == ("stale", 1.0), "what is not known is not called live"
    assert decoded.health.problem == "it sleeps (“hibernating”, which this version does not know)"
    assert (decoded.seq, decoded.dictionaries) == (3, (b"dictionary",))


def test_a_snapshot_with_unknown_words_is_read() -> None:
    chunk = [*msgspec.to_builtins(SnapshotChunk("pods", "epoch", 3, "one", 0, 1, HEALTH, [ROW])), NEW_FIELD]  # type: ignore[arg-type]
    assert snapshot_chunk_decoder.decode(encoder.encode(chunk)).rows[0].tone == "idle"


@pytest.mark.parametrize("broken", [["uid"], [1, *ROW[1:]], "row"], ids=["too short", "no text", "no row"])
def test_what_is_no_message_is_refused_as_before(broken: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        frame_decoder.decode(frame([broken], [ENTRY], HEALTH))
    with pytest.raises(msgspec.DecodeError):
        part_decoder.decode(b"\xc1")
