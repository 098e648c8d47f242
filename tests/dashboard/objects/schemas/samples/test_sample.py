"""Tests of objects made from a schema: the required fields, with valid values."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.schemas.samples.sample import sample, sample_value
from dashboard.objects.schemas.schema import Schema
from informerd.resource import MYDEMOS


@pytest.mark.parametrize(
    ("node", "name", "expected"),
    [
        ({"type": "string", "enum": ["", "A", "B"]}, "", "A"),
        ({"type": "string", "default": "x", "enum": ["x", "y"]}, "", "x"),
        ({"type": "string", "format": "ipv6"}, "", "2001:db8::1"),
        ({"type": "string", "pattern": "^[0-9A-Fa-f:.]+$", "minLength": 2}, "ip", "10.0.0.1"),
        ({"type": "string", "pattern": "^[0-9]+m$"}, "", "100m"),
        ({"type": "string", "minLength": 9}, "", "exampleexampleexampleexampleexampleexampleexample"[:9]),
        ({"type": "string", "pattern": "(?!)"}, "", "example"),
        ({"type": "integer", "minimum": 1, "maximum": 65535}, "port", 8080),
        ({"type": "integer", "minimum": 10, "exclusiveMinimum": True, "multipleOf": 5}, "", 15),
        ({"type": "number", "maximum": 0.5}, "", 0.5),
        ({"type": "boolean"}, "", False),
        ({"type": "array", "minItems": 2, "items": {"type": "integer"}}, "", [1, 1]),
        ({"type": "array", "items": {"type": "integer"}}, "", []),
        ({"x-kubernetes-int-or-string": True}, "", 1),
        ({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}, "", {"a": "example"}),
        (
            {"type": "object", "oneOf": [{"required": ["a"]}], "properties": {"a": {"type": "boolean"}}},
            "",
            {"a": False},
        ),
        ({}, "", {}),
    ],
)
def test_a_value_is_one_that_its_schema_takes(node: dict[str, Any], name: str, expected: object) -> None:
    assert sample_value(Schema(node), name) == expected


def test_an_object_has_what_is_required_and_a_spec() -> None:
    spec = {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}, "more": {}}}
    schema = Schema({"properties": {"spec": spec, "status": {"type": "object"}, "extra": {"type": "object"}}})
    assert sample(MYDEMOS, schema, "ns") == {
        "apiVersion": "crddemo.k8s.io/v1",
        "kind": "Mydemo",
        "metadata": {"name": "example", "namespace": "ns"},
        "spec": {"port": 8080},
    }


def test_a_schema_that_refers_to_itself_ends() -> None:
    node = {"type": "object", "required": ["child"], "properties": {"child": {"$ref": "#/components/schemas/N"}}}
    value = sample_value(Schema(node, {"N": node}))
    depth = 0
    while value:
        value, depth = value["child"], depth + 1
    assert depth == 12


def test_a_pattern_that_takes_exponential_time_holds_nobody_up() -> None:
    assert sample_value(Schema({"type": "string", "pattern": r"^(\w+\s?)*!$"})) == "!"
