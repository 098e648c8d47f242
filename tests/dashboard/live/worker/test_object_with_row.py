"""Tests of what a worker keeps of an object: the same row as of the whole object, and none of its other fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.support.load_server_pods import pod
from dashboard.live.worker.object_with_row import ObjectWithRow, RowBuilder, reduce_for
from dashboard.objects.printers import build_row, projection_for
from informerd.decoding.decoder import Decoder
from informerd.resource import PODS


def decoded(raw: bytes, **options: Any) -> Any:
    return Decoder(PODS, projection_for("pods"), **options).decode(raw)


def test_it_has_the_row_of_the_whole_object_and_its_json() -> None:
    whole, kept = decoded(pod(1, 1)), decoded(pod(1, 1), reduce=reduce_for("pods"))
    assert isinstance(kept, ObjectWithRow)
    assert kept.row == build_row("pods", whole)
    assert kept.row is not None
    assert kept.row.blob is kept.blob
    assert kept.full() == json.loads(pod(1, 1))
    assert (kept.kind, kept.key, kept.metadata) == ("Pod", whole.key, whole.metadata)
    assert not hasattr(kept, "spec")
    assert RowBuilder("pods").row(kept) is kept.row
    assert RowBuilder("pods").row(whole) == kept.row


@pytest.mark.parametrize("key", ["events", "events.events.k8s.io", "widgets.example.com"])
def test_events_and_kinds_with_columns_of_a_definition_stay_whole(key: str) -> None:
    assert reduce_for(key) is None


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
