"""Tests of finding the members of a JSON object without decoding it."""

from __future__ import annotations

import json

import pytest

from informerd.decoding.json_members import json_members

DEEP = b"[" * 50_000 + b"1" + b"]" * 50_000


@pytest.mark.parametrize("indent", [None, 2])
def test_members_come_as_they_are_whatever_is_around_them(indent: int | None) -> None:
    whole = {
        "a": {"kind": "no", "x": '"}, {"kind":"no"'},
        "kind": "Pod",
        "metadata": {"name": "x", "l": [[], {}]},
        "n": 1.5,
    }
    found = json_members(json.dumps(whole, indent=indent).encode(), b"kind", b"metadata", b"n", b"missing")
    assert {name.decode(): json.loads(value) for name, value in found.items()} == {
        name: whole[name] for name in ("kind", "metadata", "n")
    }


@pytest.mark.slow
def test_depth_is_no_obstacle() -> None:
    assert json_members(b'{"a":' + DEEP + b',"b":"x"}', b"b") == {b"b": b'"x"'}
    assert json_members(b'{"a":' + DEEP + b"}", b"a") == {b"a": DEEP}


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"a"', b'{"a":', b'{"a":[', b'{"a":"x', b'{"a":1', b'{"a":1 "b":2}', b"<html>"]
)
def test_what_is_no_object_is_an_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"^(not|no|a) "):
        json_members(raw, b"b")


def test_an_empty_object_has_no_members() -> None:
    assert json_members(b" { } ", b"a") == {}
