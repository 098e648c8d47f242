"""Tests of the fields of log lines."""

from __future__ import annotations

import pytest

from dashboard.objects.logs.fields import MAX_JSON_BYTES, field_of, json_fields


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        (b'{"a":{"b":{"c":1}}}', "a.b.c", "1"),
        (b'{"a.b":{"c":true}}', "a.b.c", "true"),
        (b'{"a":{"b":1},"a.b":2}', "a.b", "2"),
        (b'{"a":[1,2]}', "a", "[1,2]"),
        (b'{"a":null}', "a", None),
        (b'{"a":1}', "b", None),
        (b' {"a":"x"}', "a", "x"),
        (b"x=1 y=2", "y", "2"),
        (b"xy=1", "y", None),
        (b'a="b \\" c" d=e', "a", 'b " c'),
        (b'broken {"a":1}', "a", None),
        (b"[1]", "a", None),
        (b'{"a":1', "a", None),
        (b'{"\xff":1}', "a", None),
    ],
)
def test_a_field_is_found_by_its_name(text: bytes, name: str, value: str | None) -> None:
    assert field_of(text, name) == value


def test_lines_that_are_deep_or_long_have_no_fields() -> None:
    assert json_fields(b'{"a":' * 5000 + b"1" + b"}" * 5000) is None
    assert json_fields(b'{"a":"' + b"x" * MAX_JSON_BYTES + b'"}') is None
