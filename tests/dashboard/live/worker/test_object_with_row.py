"""Tests of what a worker keeps of an object: the same row as of the whole object, and none of its other fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.support.load_server_pods import pod
from dashboard.live.replication.row_interner import RowInterner
from dashboard.live.worker.object_with_row import ObjectWithRow, RowBuilder, reason_of, reduce_for, subject_of
from dashboard.objects.kinds.feed_entry import EventSubject
from dashboard.objects.printers import build_row, projection_for
from informerd.decoding.decoder import Decoder
from informerd.resource import PODS, Resource


def decoded(raw: bytes, **options: Any) -> Any:
    return Decoder(PODS, projection_for("pods"), **options).decode(raw)


def test_it_has_the_row_of_the_whole_object_and_its_json() -> None:
    whole, kept = decoded(pod(1, 1)), decoded(pod(1, 1), reduce=reduce_for("pods"))
    assert isinstance(kept, ObjectWithRow)
    assert kept.row == build_row("pods", whole)
    assert kept.row is not None
    assert kept.row.blob is kept.blob
    assert kept.full() == json.loads(pod(1, 1))
    assert (kept.kind, kept.key) == ("Pod", whole.key)
    assert not hasattr(kept, "spec")
    assert whole.metadata.owner_references
    for name in ("name", "namespace", "uid", "resource_version", "labels"):
        assert getattr(kept.metadata, name) == getattr(whole.metadata, name) != ""
    assert (kept.metadata.creation_timestamp, kept.metadata.owner_references) == (None, ())
    assert not kept.metadata.annotations
    assert RowBuilder("pods").row(kept) is kept.row
    assert RowBuilder("pods").row(whole) == kept.row


def test_objects_of_kinds_with_columns_of_a_definition_stay_whole() -> None:
    assert reduce_for("widgets.example.com") is None


def test_an_event_has_its_subject_and_reason() -> None:
    about = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"}
    raw = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "web.1", "namespace": "shop", "uid": "u"}}
    raw |= {"involvedObject": about, "reason": "Scaled", "message": "to 3"}
    events = Resource(version="v1", plural="events", kind="Event")
    whole = Decoder(events, projection_for("events")).decode(json.dumps(raw).encode())
    kept = Decoder(events, projection_for("events"), reduce=reduce_for("events")).decode(json.dumps(raw).encode())
    assert isinstance(kept, ObjectWithRow)
    for each in (whole, kept):
        assert subject_of(each) == EventSubject("Deployment", "apps", "shop", "web")
        assert reason_of(each, subject_of(each)) == "Scaled"
    assert kept.row == build_row("events", whole)


def owned(number: int) -> bytes:
    """A pod of an owner of its own, with the labels of the others, on one node."""
    found = json.loads(pod(number, 1))
    found["metadata"]["ownerReferences"][0]["uid"] = f"owner-{number}"
    found["metadata"]["labels"] = {"app": "web"}
    found["spec"]["nodeName"] = "node-1"
    return json.dumps(found).encode()


@pytest.mark.parametrize("is_reduced", [True, False])
def test_objects_and_their_rows_have_equal_values_once_whoever_owns_them(is_reduced: bool) -> None:
    decoder = Decoder(PODS, projection_for("pods"), reduce=reduce_for("pods") if is_reduced else None)
    objects = [decoder.decode(owned(number)) for number in (1, 2)]
    first, second = objects
    rows = [RowBuilder("pods").row(each) for each in objects]
    assert first.metadata.labels == second.metadata.labels == rows[0].labels == {"app": "web"}
    assert (first.metadata.label_map is second.metadata.label_map) is is_reduced
    assert (rows[0].labels is rows[1].labels) is is_reduced
    nodes = [next(cell for cell in row.cells if cell == "node-1") for row in rows]
    assert (nodes[0] is nodes[1]) is is_reduced


def test_an_object_whose_values_cannot_be_shared_is_shown_by_its_name(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise TypeError("not shared")

    monkeypatch.setattr(RowInterner, "intern", fail)
    kept = decoded(pod(1, 1), reduce=reduce_for("pods"))
    assert kept.row.status == "Unreadable"
    assert "could not build the row of pods" in caplog.text


def test_an_object_without_labels_has_none() -> None:
    kept = decoded(
        json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"}}).encode(),
        reduce=reduce_for("pods"),
    )
    assert kept.metadata.label_map is None
    assert kept.row.labels == {}


def test_an_object_whose_row_cannot_be_built_is_shown_by_its_name(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no row")

    monkeypatch.setattr("dashboard.live.worker.object_with_row.build_row", fail)
    kept = decoded(pod(1, 1), reduce=reduce_for("pods"))
    assert kept.row.status == "Unreadable"
    assert kept.row.name == kept.metadata.name
    assert "could not build the row of pods" in caplog.text
