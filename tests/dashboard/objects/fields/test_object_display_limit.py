"""Tests of what pages show of objects that are too large or too deep: bounded, and marked where parts are missing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dashboard.objects.fields.object_display_limit import (
    LINE_LENGTH,
    MAX_DEPTH,
    MAX_LINES,
    MORE,
    TOO_DEEP_TEXT,
    LimitedObject,
    is_too_deep,
    limit_object,
)
from dashboard.objects.manifests.yaml_writer import to_yaml


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
        nested(MAX_DEPTH - 1, {}),
        nested(MAX_DEPTH - 1, []),
    ],
    ids=str,
)
def test_what_fits_stays_as_it_is(spec: Any) -> None:
    obj = thing(spec, managedFields=[{"manager": "kubectl"}])
    assert limit_object(obj) == LimitedObject(obj)
    assert not is_too_deep(obj)


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
    "as deep as can be and wide": nested(MAX_DEPTH - 3, {str(n): n for n in range(50_000)}),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_does_not_fit_is_bounded_and_marked(name: str) -> None:
    raw = msgspec.json.encode(thing({"first": 1, "large": LARGE[name], "last": 2}))
    whole = msgspec.json.decode(raw)
    shown = limit_object(whole)
    assert msgspec.json.encode(whole) == raw
    assert shown.is_cut
    obj = shown.value
    text = to_yaml(obj)
    assert text.count("\n") <= 2 * MAX_LINES
    assert len(text) <= 3 * MAX_LINES * LINE_LENGTH + 2 * MAX_DEPTH * text.count("\n")
    assert MORE in text
    assert (obj["metadata"]["name"], obj["spec"]["first"], obj["spec"]["last"]) == ("a", 1, 2)


def test_each_mark_says_how_much_is_missing() -> None:
    obj = thing({"items": list(range(20_000)), "data": {str(n): n for n in range(20_000)}, "text": "word " * 200_000})
    spec = limit_object(obj).value["spec"]
    items, data, text = spec["items"], spec["data"], spec["text"]
    assert items[-1] == f"{MORE} {20_000 - len(items) + 1:,} more"
    assert items[:-1] == list(range(len(items) - 1))
    assert data[MORE] == f"{20_000 - len(data) + 1:,} more"
    assert text.startswith("word word")
    assert text.endswith(MORE)
    assert min(len(items), len(data), len(text) // LINE_LENGTH) > MAX_LINES / 10


def test_what_is_too_deep_is_a_note() -> None:
    obj = thing(nested(MAX_DEPTH, 1))
    assert TOO_DEEP_TEXT in to_yaml(limit_object(obj).value)
    assert is_too_deep(obj)


@pytest.mark.parametrize(("ports", "managed"), [(1, 20_000), (MAX_LINES - 10, 11)])
def test_managed_fields_go_first_and_without_them_all_is_there(ports: int, managed: int) -> None:
    spec = {"ports": [80] * ports}
    obj = thing(spec, managedFields=[{"fieldsV1": {str(n): {} for n in range(managed)}}])
    assert limit_object(obj) == LimitedObject(thing(spec), lacks_managers=True)


@pytest.mark.parametrize("value", [0, {}, {"a": 1}, "x" * 5000], ids=str)
def test_what_every_object_has_is_there_behind_any_number_of_fields(value: Any) -> None:
    metadata = {
        "name": "a",
        "ownerReferences": [{"name": "b", "uid": "1"}],
        "deletionTimestamp": "2026-11-01T08:00:00Z",
    }
    obj = {f"a{number:05}": value for number in range(9_000)} | thing({"port": 80}, **metadata)
    shown = limit_object(obj).value
    assert (shown["apiVersion"], shown["kind"], shown["metadata"]) == ("example.com/v1", "Thing", metadata)
    assert shown[MORE].endswith(" more")


def test_metadata_has_a_share_of_its_own() -> None:
    annotations = {str(number): "x" for number in range(20_000)}
    shown = limit_object(thing({"ports": list(range(20_000))}, annotations=annotations, uid="1")).value
    assert (shown["kind"], shown["metadata"]["name"], shown["metadata"]["uid"]) == ("Thing", "a", "1")
    assert MAX_LINES / 10 < len(shown["metadata"]["annotations"]) < MAX_LINES / 4
    assert len(shown["spec"]["ports"]) > MAX_LINES / 2
