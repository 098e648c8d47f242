"""Tests of the builder of feed entries."""

from __future__ import annotations

import msgspec

from dashboard.live.replication.entry_builder import MAX_ENTRY_PAIRS, MAX_ENTRY_TEXT, build_entry
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Owner, Row
from tests.support.live.sample_rows import row


def entry_of(about: Row, words: str = "changed", **rest: object) -> Entry:
    return build_entry(7, 5.0, "epoch", "modified", about, words, "ok", **rest)  # type: ignore[arg-type]


def test_an_entry_names_the_controller_with_its_api_group() -> None:
    rollout = Owner("argoproj.io", "Rollout", "web", "r", is_controller=True, blocks_owner_deletion=True)
    entries = [
        entry_of(msgspec.structs.replace(row("web", 1), owner=("ReplicaSet", "web", "r"))),
        entry_of(msgspec.structs.replace(row("web", 2), owner=("Rollout", "web", "r"), owners=(rollout,))),
        entry_of(row("web", 3)),
    ]
    owners = [(entry.owner_group, entry.owner) for entry in entries]
    assert owners == [("apps", "ReplicaSet/web"), ("argoproj.io", "Rollout/web"), ("", "")]


def test_an_entry_is_about_the_row_and_has_its_place_in_the_feed() -> None:
    entry = entry_of(row("web", 3), "port 80 → 8080", fields=((".spec.port", "8080"),), reason="because")
    assert (entry.seq, entry.time, entry.epoch, entry.op) == (7, 5.0, "epoch", "modified")
    assert (entry.name, entry.version, entry.words, entry.reason) == ("web", "3", "port 80 → 8080", "because")
    assert entry.fields == ((".spec.port", "8080"),)


def test_texts_that_fit_no_message_are_cut() -> None:
    labels = {f"label-{number}": "x" * 1000 for number in range(200)}
    fields = tuple((f".spec.field{number}", "y" * 1000) for number in range(200))
    entry = entry_of(msgspec.structs.replace(row("web"), labels=labels), "w" * 5000, fields=fields)
    assert len(entry.words) <= MAX_ENTRY_TEXT
    assert 0 < len(entry.labels) < 200
    assert 0 < len(entry.fields) < 200
    assert sum(len(name) + len(value) for name, value in entry.labels.items()) <= MAX_ENTRY_PAIRS
