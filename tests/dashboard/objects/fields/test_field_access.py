"""Tests of paths of fields: written and read as the API server does, values found, set and removed, and equality."""

from __future__ import annotations

import json
import random

import pytest

from dashboard.objects.fields.field_access import (
    ABSENT,
    ItemKey,
    Path,
    Value,
    format_path,
    get,
    parse_path,
    put,
    resolve_path,
    same,
)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("spec", "port"), "spec.port"),
        (("spec", "ports", 0, "name"), "spec.ports[0].name"),
        (("metadata", "labels", "app.kubernetes.io/name"), "metadata.labels[app.kubernetes.io/name]"),
        ((), ""),
    ],
)
def test_paths_are_written_and_read_as_the_api_server_writes_them(path: Path, text: str) -> None:
    assert format_path(path) == text
    assert parse_path(text) == path


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("spec.map.example.com/a", ("spec", "map", "example.com/a")),
        ("spec.map.a.b.port", ("spec", "map", "a.b", "port")),
        ("spec.map.a.b[0]", ("spec", "map", "a.b", 0)),
        ("spec.map.gone.b", ("spec", "map", "gone", "b")),
        ("spec.list[0].x.y", ("spec", "list", 0, "x.y")),
        ("spec.list.x.y", ("spec", "list", "x", "y")),
    ],
)
def test_a_name_with_dots_that_a_message_does_not_set_off_is_one(said: str, held: Path) -> None:
    value = {"spec": {"map": {"example.com/a": 1, "a.b": {"port": 1}}, "list": [{"x.y": 1}]}}
    assert resolve_path(value, parse_path(said)) == held


@pytest.mark.slow
def test_a_name_with_dots_is_the_longest_that_the_map_has() -> None:
    rng = random.Random(7)
    names = ["", "a", "b", "a.b", "a.b.a", ".a", "a.", "..", "b.a.b.b", "a.a.a.a.a"]
    segments: Path = ("a", "b", "", "a.b", 0, 1)

    def made(depth: int) -> Value:
        chosen = rng.sample(names, rng.randrange(len(names)))
        return {name: made(depth - 1) for name in chosen} if depth else [1, {"a.b": 1}]

    def longest(value: Value, path: Path) -> Path:
        texts = next((count for count, each in enumerate(path) if not isinstance(each, str)), len(path))
        joined = {".".join(map(str, path[:count])): count for count in range(2, texts + 1)}
        found = [name for name in joined if name in value] if isinstance(value, dict) and path[:1] else []
        if not path:
            return ()
        if not found or path[0] in value:
            return (path[0], *longest(get(value, path[:1]), path[1:]))
        return (found[-1], *longest(value[found[-1]], path[joined[found[-1]] :]))

    for _ in range(3_000):
        value = made(3)
        path = tuple(rng.choice(segments) for _ in range(rng.randrange(9)))
        assert resolve_path(value, path) == longest(value, path)


def test_a_path_as_long_as_a_text_can_be_is_read_at_once() -> None:
    brackets, names = "[" * 200_000, "spec.map." + "a." * 100_000 + "a["
    assert parse_path("a]" + brackets) == ("a",)
    path = parse_path(names)
    assert len(resolve_path({"spec": {"map": {"b.a": 1}}}, path)) == len(path) == 100_003


def test_values_are_found_set_and_taken_out_by_path_without_touching_the_object() -> None:
    value = {"spec": {"ports": [{"port": 1, "name": "a"}], "set": ["x", "y"]}}
    before = json.dumps(value)
    assert get(value, ("spec", "ports", 0, "name")) == "a"
    assert get(value, ("spec", "ports", ItemKey((("port", 1),)), "name")) == "a"
    assert get(value, ("spec", "set", ItemKey((("", "y"),)))) == "y"
    assert get(value, ("spec", "ports", 9)) is ABSENT
    assert get(value, ("spec", "set", "name")) is ABSENT
    assert put(value, ("spec", "new", "deep"), 1)["spec"]["new"] == {"deep": 1}
    assert "set" not in put(value, ("spec", "set"), ABSENT)["spec"]
    assert json.dumps(value) == before


def test_numbers_are_the_same_by_value_and_truth_is_no_number() -> None:
    assert same({"a": [1, {"b": 2.0}]}, {"a": [1.0, {"b": 2}]})
    assert not same(True, 1)
    assert not same(0, False)
    assert not same([1], [1, 2])
    assert not same({"a": None}, {})
