"""Tests of what pages show of objects that are too large or too deep: bounded, and marked where parts are missing."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest

from dashboard.objects.fields.object_limit import LINE_LENGTH, MAX_DEPTH, MAX_LINES, MORE, TOO_DEEP_TEXT, limit_object
from dashboard.objects.manifests.writer import to_yaml


def thing(spec: Any, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", **metadata}, "spec": spec}


def nested(levels: int, innermost: Any) -> Any:
    for _ in range(levels):
        innermost = {"a": innermost}
    return innermost


@pytest.mark.parametrize(
    "spec",
    [
        None,
        "text",
        {"ports": [1, 2], "empty": {}, "text": "a\nb"},
        [0] * (MAX_LINES - 10),
        "x" * LINE_LENGTH * (MAX_LINES - 10),
        nested(MAX_DEPTH - 2, 1),
    ],
    ids=str,
)
def test_what_fits_stays_as_it_is(spec: Any) -> None:
    obj = thing(spec, managedFields=[{"manager": "kubectl"}])
    before = copy.deepcopy(obj)
    assert limit_object(obj) is False
    assert obj == before


LARGE = {
    "a list": [0] * 100_000,
    "a list of maps": [{"name": str(n), "value": n} for n in range(30_000)],
    "a map": {str(n): n for n in range(50_000)},
    "a long text": "x" * 1_400_000,
    "a text of many lines": "\n" * 700_000,
    "long texts": {str(n): "x" * 100_000 for n in range(14)},
    "long names": {f"{n}" + "x" * 100_000: n for n in range(14)},
    "lists of lists": [[[0] * 50] * 50] * 50,
    "empty lists": [[]] * 400_000,
    "deep": nested(900, 1),
    "deep and wide": nested(150, {str(n): n for n in range(50_000)}),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_does_not_fit_is_bounded_and_marked(name: str) -> None:
    obj = thing({"first": 1, "large": msgspec.json.decode(msgspec.json.encode(LARGE[name])), "last": 2})
    assert limit_object(obj) is True
    text = to_yaml(obj)
    assert text.count("\n") <= 2 * MAX_LINES
    assert len(text) <= 3 * MAX_LINES * LINE_LENGTH + 2 * MAX_DEPTH * text.count("\n")
    assert MORE in text
    assert (obj["metadata"]["name"], obj["spec"]["first"], obj["spec"]["last"]) == ("a", 1, 2)


def test_each_mark_says_how_much_is_missing() -> None:
    obj = thing({"items": list(range(20_000)), "data": {str(n): n for n in range(20_000)}, "text": "word " * 200_000})
    assert limit_object(obj)
    items, data, text = obj["spec"]["items"], obj["spec"]["data"], obj["spec"]["text"]
    assert items[-1] == f"{MORE} {20_000 - len(items) + 1:,} more"
    assert items[:-1] == list(range(len(items) - 1))
    assert data[MORE] == f"{20_000 - len(data) + 1:,} more"
    assert text.startswith("word word")
    assert text.endswith(MORE)
    assert min(len(items), len(data), len(text) // LINE_LENGTH) > MAX_LINES / 10


def test_what_is_too_deep_is_a_note() -> None:
    obj = thing(nested(MAX_DEPTH, 1))
    assert limit_object(obj)
    assert TOO_DEEP_TEXT in to_yaml(obj)


def test_managed_fields_go_first() -> None:
    obj = thing({"port": 80}, managedFields=[{"fieldsV1": {str(n): {} for n in range(20_000)}}])
    assert limit_object(obj)
    assert obj == thing({"port": 80})
