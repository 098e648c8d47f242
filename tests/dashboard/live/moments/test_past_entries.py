"""Tests of the feed of a past moment: its lines are those that a worker would have made of the same changes."""

from __future__ import annotations

import json

from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import ObjectName, Operation, Version
from dashboard.live.moments.past_entries import build_entries
from dashboard.live.moments.past_rows import PastRows
from dashboard.objects.kinds.catalog import KINDS
from tests.support.objects.rows import Json, made

POD = made("Pod", "web", namespace="shop", status={"phase": "Pending"})
RUNNING = {**POD, "status": {"phase": "Running"}}


def change(operation: Operation, before: Json | None, after: Json, seconds: int = 5) -> ChangedState:
    name = ObjectName("pods", "shop", "web", str(after["metadata"]["uid"]))
    version = Version(name, seconds * 1_000_000, operation, "7", "kubelet")
    return ChangedState(version, None if before is None else json.dumps(before).encode(), json.dumps(after).encode())


def lines(*changes: ChangedState) -> list[tuple[float, str, str, str]]:
    entries = build_entries("pods", PastRows(KINDS["pods"].resource, None), changes)
    return [(entry.time, entry.op, entry.name, entry.words) for entry in entries]


def test_an_object_is_added_changed_and_deleted_in_words() -> None:
    found = lines(
        change(Operation.ADDED, None, POD, 1),
        change(Operation.MODIFIED, POD, RUNNING, 2),
        change(Operation.DELETED, RUNNING, RUNNING, 3),
    )
    assert [(time, op, name) for time, op, name, _ in found] == [
        (1.0, "added", "web"), (2.0, "modified", "web"), (3.0, "deleted", "web"),
    ]  # fmt: skip
    assert "Pending → Running" in found[1][3]
    assert "was Running" in found[2][3]


def test_what_was_found_when_recording_began_is_no_change() -> None:
    assert lines(change(Operation.FOUND, None, POD), change(Operation.UNSEEN, POD, POD)) == []


def test_what_differs_after_a_gap_or_is_missing_has_a_line() -> None:
    found = lines(change(Operation.DIFFERS, POD, RUNNING), change(Operation.MISSING, RUNNING, RUNNING))
    assert [op for _, op, _, _ in found] == ["modified", "deleted"]
    assert found[1][3] == "deleted while nothing was recorded"


def test_an_object_that_cannot_be_read_has_a_line_with_its_name() -> None:
    broken = {**POD, "spec": {"containers": 3}}
    assert [(op, name) for _, op, name, _ in lines(change(Operation.MODIFIED, POD, broken))] == [("modified", "web")]
