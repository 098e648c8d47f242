"""Tests of structural schemas: pruning, nulls, defaults."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from devcluster.server.schema.pruning_and_defaulting import drop_nulls, fill_defaults, prune

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "mode": {"type": "string", "default": "fast"},
                "nul": {"type": "string", "nullable": True, "default": "x"},
                "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"default": 1}}}},
                "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {}}}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {}}},
                "deep": {"type": "object", "default": {}, "properties": {"b": {"default": 2}}},
                "template": {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {}}},
            },
        }
    },
}


@pytest.mark.parametrize(
    ("spec", "gone"),
    [
        ({"mode": "slow"}, []),
        ({"zz": 1, "aa": 2}, ["spec.aa", "spec.zz"]),
        ({"list": [{"a": 1}, {"b": 2}]}, ["spec.list[1].b"]),
        ({"map": {"x": {"a": 1, "b": 2}}}, ["spec.map.x.b"]),
        ({"free": {"b": {"c": [{"d": 1}]}}}, []),
        (
            {"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "other": 1}},
            ["spec.template.other"],
        ),
        ("text", []),
    ],
)
def test_unknown_fields_are_pruned_and_named(spec: Any, gone: list[str]) -> None:
    obj = {"apiVersion": "x/v1", "kind": "X", "metadata": {"anything": 1}, "spec": copy.deepcopy(spec)}
    assert prune(obj, SCHEMA) == gone
    assert obj["metadata"] == {"anything": 1}
    assert prune(obj, SCHEMA) == []


def test_unknown_fields_at_the_top_are_pruned() -> None:
    obj = {"kind": "X", "extra": 1}
    assert prune(obj, SCHEMA) == ["extra"]
    assert obj == {"kind": "X"}


def test_defaults_fill_what_is_absent_also_below_defaults() -> None:
    obj: dict[str, Any] = {"spec": {"list": [{}, {"a": 5}]}}
    fill_defaults(obj, SCHEMA)
    assert obj["spec"] == {"mode": "fast", "nul": "x", "list": [{"a": 1}, {"a": 5}], "deep": {"b": 2}}


def test_defaults_are_not_shared_between_objects() -> None:
    first: dict[str, Any] = {"spec": {}}
    second: dict[str, Any] = {"spec": {}}
    fill_defaults(first, SCHEMA)
    first["spec"]["deep"]["b"] = 9
    fill_defaults(second, SCHEMA)
    assert second["spec"]["deep"] == {"b": 2}


def test_nulls_count_as_absent_where_they_are_not_allowed() -> None:
    obj: dict[str, Any] = {"spec": {"mode": None, "nul": None, "map": {"x": None}, "free": {"z": None}}}
    drop_nulls(obj, SCHEMA)
    assert obj["spec"] == {"nul": None, "map": {}, "free": {"z": None}}
