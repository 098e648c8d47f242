"""Tests of the fields that an entry keeps: what changed, how much of it, and nothing of a Secret's values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dashboard.pages.audit.entry import Changes, changes_json
from dashboard.pages.audit.field_values import (
    MAX_CHARACTERS,
    MAX_FIELDS,
    MAX_VALUE,
    changes_between,
    changes_of_creation,
    changes_of_patch,
)

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


def told(changes: Changes) -> dict[str, Any]:
    return {each.path: (each.was, each.now) for each in changes.fields}


def test_a_merge_patch_of_a_known_object_has_what_was_and_what_is_and_not_what_stays() -> None:
    before = {"metadata": {"uid": "1", "labels": {"a": "1", "b": "2"}}, "spec": {"port": 1, "host": "x"}}
    patch = {"metadata": {"uid": "1", "resourceVersion": "7", "labels": {"a": None}}, "spec": {"port": 2, "host": "x"}}
    assert told(changes_of_patch(patch, before, MERGE, is_secret=False)) == {
        "metadata.labels.a": ("1", None),
        "spec.port": (1, 2),
    }


@pytest.mark.parametrize("kind", [MERGE, STRATEGIC])
def test_a_patch_of_an_unknown_object_has_the_fields_of_the_patch(kind: str) -> None:
    patch = {"metadata": {"resourceVersion": "7", "labels": {"a": None}}, "spec": {"port": 2}}
    assert told(changes_of_patch(patch, None, kind, is_secret=False)) == {
        "metadata.labels.a": (None, None),
        "spec.port": (None, 2),
    }


def test_a_json_patch_has_its_paths() -> None:
    patch = [{"op": "replace", "path": "/metadata/labels/a~1b", "value": "1"}, {"op": "remove", "path": "/spec/x"}]
    assert told(changes_of_patch(patch, None, "application/json-patch+json", is_secret=False)) == {
        'metadata.labels["a/b"]': (None, "1"),
        "spec.x": (None, None),
    }


def test_bookkeeping_of_the_api_server_is_no_change() -> None:
    before = {"metadata": {"resourceVersion": "1", "generation": 1, "managedFields": []}}
    after = {"metadata": {"resourceVersion": "2", "generation": 2, "managedFields": [1], "uid": "x"}}
    assert changes_between(before, after, is_secret=False) == Changes()


def test_values_and_entries_have_a_size_that_is_said() -> None:
    long = changes_of_creation({"data": {"a": "x" * 10_000}}, is_secret=False)
    assert long.fields[0].is_cut
    assert len(long.fields[0].now) == MAX_VALUE + 1
    many = changes_of_creation({"data": {f"k{i}": i for i in range(150)}}, is_secret=False)
    assert (len(many.fields), many.omitted) == (MAX_FIELDS, 50)
    large = changes_of_creation({"data": {f"k{i}": "x" * 1_900 for i in range(50)}}, is_secret=False)
    assert large.omitted > 30
    assert len(json.dumps(changes_json(large))) < MAX_CHARACTERS * 1.2


def test_what_is_nested_deep_is_kept_as_the_beginning_of_its_text() -> None:
    deep: Any = 1
    for _ in range(400):
        deep = [deep]
    changes = changes_of_creation({"spec": {"deep": deep}}, is_secret=False)
    assert changes.fields[0].is_cut
    assert changes.fields[0].now.startswith("[[[[")
    assert json.dumps(changes_json(changes))


SECRET = {
    "metadata": {"labels": {"team": "a"}, "annotations": {"last": "hunter2"}},
    "data": {"password": "hunter2", "pin": "hunter2"},
    "stringData": {"extra": "hunter2"},
    "type": "Opaque",
}


@pytest.mark.parametrize(
    "changes",
    [
        changes_of_creation(SECRET, is_secret=True),
        changes_between({}, SECRET, is_secret=True),
        changes_between(SECRET, {}, is_secret=True),
        changes_between(SECRET, {**SECRET, "data": "hunter2"}, is_secret=True),
        changes_of_patch(SECRET, None, MERGE, is_secret=True),
        changes_of_patch(SECRET, {}, MERGE, is_secret=True),
        changes_of_patch(SECRET, SECRET | {"data": {"password": "hunter2 old"}}, STRATEGIC, is_secret=True),
        changes_of_patch([{"op": "add", "path": "/data/password", "value": "hunter2"}], None, "", is_secret=True),
        changes_of_patch([{"op": "add", "path": "/data", "value": {"password": "hunter2"}}], None, "", is_secret=True),
        changes_of_patch([{"op": "add", "path": "", "value": SECRET}], None, "", is_secret=True),
        changes_of_patch([{"op": "test", "path": "/metadata", "value": SECRET["metadata"]}], None, "", is_secret=True),
    ],
)
def test_values_of_a_secret_are_in_no_change(changes: Changes) -> None:
    assert changes.fields
    assert "hunter2" not in json.dumps(changes_json(changes))


def test_a_secret_has_the_names_of_its_values_and_what_holds_none() -> None:
    after = {**SECRET, "data": {"pin": "new"}, "metadata": {"labels": {"team": "b"}}}
    changes = changes_between(SECRET, after, is_secret=True)
    assert {each.path: each.is_hidden for each in changes.fields} == {
        "metadata.labels.team": False,
        "metadata.annotations.last": True,
        "data.pin": True,
        "data.password": True,
    }
