"""Tests of YAML as the API server reads it."""

from __future__ import annotations

import pytest

from devcluster.server.codec import yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: on\nb: y\nc: 'on'\nd: 1e3\ne: 0x1f\nf: 010\ng: 2026-01-01\nh: ~\ni: 1_000",
         {"a": True, "b": True, "c": "on", "d": 1000.0, "e": 31, "f": 8, "g": "2026-01-01", "h": None, "i": 1000}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}\ne: *x", {"a": {"b": 1}, "c": {"b": 1, "d": 2}, "e": {"b": 1}}),
        ("1: a\ntrue: b\n", {"1": "a", "true": "b"}), ("a: !!str 5", {"a": "5"}), ("", None), ("x", "x"),
    ],
)  # fmt: skip
def test_yaml_means_what_it_means_to_go(text: str, value: object) -> None:
    assert yaml.load_yaml(text.encode()) == value


@pytest.mark.parametrize(
    "text", ["a: *b", "a: &a [*a]", "a: .nan", "? [1]\n: 2", "a: !!binary aGk=", "a: 1\n---\nb: 2", "a: b: c", "\x00"]
)
def test_yaml_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"yaml|json"):
        yaml.load_yaml(text.encode())
