"""Tests of validation by structural schemas; test_parity.py compares the same rules with the real server."""

from __future__ import annotations

from typing import Any

import pytest

from devcluster.server.schema.formats import FORMATS
from devcluster.server.validation.custom_resources import validate_custom_resource


def complaints(value: Any, schema: dict[str, Any]) -> list[tuple[str, str]]:
    """(field, message without the value) of what is wrong with ``{"v": value}``."""
    errors = validate_custom_resource({"v": value}, {"type": "object", "properties": {"v": schema}})
    return [(error.field, error.message) for error in errors]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("x", {"type": "string", "enum": ["x", "y"]}),
        (1, {"type": "number"}),
        (2.0, {"type": "integer"}),
        (None, {"type": "string", "nullable": True}),
        ("10%", {"x-kubernetes-int-or-string": True}),
        (3, {"type": "integer", "minimum": 3, "maximum": 3}),
        ([], {"type": "array", "items": {"type": "string"}}),
        ({"a": 1}, {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("anything", {}),
        ("ab", {"type": "string", "pattern": "b$"}),
        ("ä" * 5, {"type": "string", "maxLength": 5}),
        (5, {"not": {"type": "string"}}),
        ({"a": 1}, {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        ("x", {"allOf": [{"minLength": 1}, {"maxLength": 1}]}),
    ],
)
def test_valid(value: Any, schema: dict[str, Any]) -> None:
    assert complaints(value, schema) == []


@pytest.mark.parametrize(
    ("value", "schema", "message"),
    [
        (True, {"type": "integer"}, 'Invalid value: "boolean": v in body must be of type integer: "boolean"'),
        (
            3,
            {"type": "number", "maximum": 3, "exclusiveMaximum": True},
            "Invalid value: 3: v in body should be less than 3",
        ),
        ([1, 2], {"type": "array", "maxItems": 1}, "Too many: 2: must have at most 1 items"),
        ({}, {"type": "object", "minProperties": 1}, "Invalid value: 0: v in body should have at least 1 properties"),
        (True, {"enum": [1]}, 'Unsupported value: true: supported values: "1"'),
        ("x", {"not": {"type": "string"}}, 'Invalid value: "": "v" must not validate the schema (not)'),
        ("x", {"allOf": [{"minLength": 2}]}, 'Invalid value: "x": v in body should be at least 2 chars long'),
    ],
)
def test_invalid(value: Any, schema: dict[str, Any], message: str) -> None:
    assert [found for _, found in complaints(value, schema)] == [message]


def test_an_unsound_pattern_refuses_nothing() -> None:
    assert complaints("x", {"type": "string", "pattern": "(?<"}) == []


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("ipv4", ["10.0.0.1"], ["::1", "010.0.0.1", "1.2.3", "1.2.3.4 "]),
        ("ipv6", ["::1", "2001:db8::17"], ["1.2.3.4", "fe80::1%eth0", ":"]),
        ("cidr", ["10.0.0.0/8", "::/0"], ["10.0.0.0", "x/8"]),
        ("date-time", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+02:00"], ["2026-01-01", "yesterday"]),
        ("date", ["2026-01-01"], ["2026-1-1"]),
        ("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123"]),
        ("hostname", ["example.com"], ["-a.b", "a_b"]),
        ("byte", ["YQ==", ""], ["Y", "!!"]),
        ("email", ["a@b.example"], ["a"]),
        ("mac", ["00:1a:2b:3c:4d:5e"], ["00:1a"]),
        ("uri", ["https://example.com"], ["not a uri"]),
        ("duration", ["5m", "1h30m"], ["x"]),
    ],
)
def test_formats(name: str, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if not FORMATS[name](text)] == []
    assert [text for text in bad if FORMATS[name](text)] == []


RULED: dict[str, Any] = {
    "type": "object",
    "required": ["ip"],
    "properties": {
        "ip": {"type": "string", "x-kubernetes-validations": [{"rule": "isIP(self)", "message": "must be an address"}]},
        "port": {"type": "integer", "minimum": 1},
        "other": {"type": "string", "x-kubernetes-validations": [{"rule": "self.startsWith('x')"}]},
    },
}


def test_the_rule_that_is_understood_is_checked() -> None:
    (error,) = validate_custom_resource({"ip": "x", "other": "y"}, RULED)
    assert (error.field, error.message) == ("ip", 'Invalid value: "x": must be an address')


def test_rules_are_checked_beside_bounds_but_not_after_wrong_types() -> None:
    assert len(validate_custom_resource({"ip": "x", "port": 0}, RULED)) == 2
    last = validate_custom_resource({"ip": "x", "port": "0"}, RULED)[-1]
    assert last.field == "<nil>"
    assert "some validation rules were not checked" in last.message
