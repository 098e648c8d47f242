"""Tests of the body of an update, and of the part of an object that is edited."""

from __future__ import annotations

from dashboard.pages.writes.editable_part import editable_part, update_body


def test_what_is_sent_is_the_edit_on_top_of_what_only_servers_write() -> None:
    live = {
        "kind": "X",
        "metadata": {
            "name": "one", "namespace": "n", "uid": "u", "resourceVersion": "7", "generation": 2,
            "managedFields": [{}], "creationTimestamp": "t", "annotations": {"a": "b"},
        },
        "spec": {"a": 1},
        "status": {"ok": True},
    }  # fmt: skip
    mine = editable_part(live)
    assert mine == {
        "kind": "X",
        "metadata": {"name": "one", "namespace": "n", "annotations": {"a": "b"}},
        "spec": {"a": 1},
    }
    sent = update_body({"kind": "X", "spec": {"a": 2}, "status": {"ok": False}, "metadata": {"uid": "other"}}, live)
    assert sent == {
        "kind": "X",
        "metadata": {"name": "one", "namespace": "n", "uid": "u", "resourceVersion": "7"},
        "spec": {"a": 2},
        "status": {"ok": True},
    }
