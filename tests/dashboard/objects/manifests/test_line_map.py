"""Tests of the line map: the field of each line of an object's YAML, and the reuse of unchanged lines."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.objects.manifests.line_map import LineMap, managed_fields_line_map, yaml_line_map
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.pages.details.yaml_by_manager import yaml_by_manager

SCALARS: st.SearchStrategy[Any] = st.sampled_from([None, True, 1, 1.0, 0, False, "", "x", "a\nb\n", "<b>", "1", {}, []])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["kind", "metadata", "spec", "status"]), VALUES, max_size=4)


def test_each_line_knows_the_field_that_it_shows() -> None:
    found = yaml_line_map({"kind": "X", "a": {"b": [{"c": 1, "d": "x\ny\n"}], "e": {}}})
    assert list(zip(found.lines, found.paths, strict=True)) == [
        ("kind: X", ("kind",)),
        ("a:", ("a",)),
        ("  b:", ("a", "b")),
        ("  - c: 1", ("a", "b", 0, "c")),
        ("    d: |", ("a", "b", 0, "d")),
        ("      x", ("a", "b", 0, "d")),
        ("      y", ("a", "b", 0, "d")),
        ("  e: {}", ("a", "e")),
    ]


def test_managed_fields_are_written_apart() -> None:
    found = managed_fields_line_map({"metadata": {"managedFields": [{"manager": "kubectl", "operation": "Apply"}]}})
    assert found.lines == ["- manager: kubectl", "  operation: Apply"]
    assert found.paths == [(0, "manager"), (0, "operation")]
    assert managed_fields_line_map({"metadata": {"name": "x"}}) == LineMap([], [], {})


@pytest.mark.slow
@given(OBJECTS, OBJECTS)
def test_what_is_taken_from_another_version_is_what_would_be_written(old: dict[str, Any], new: dict[str, Any]) -> None:
    found = yaml_line_map(new, yaml_line_map(old))
    assert found == yaml_line_map(new)
    assert "".join(f"{line}\n" for line in found.lines) == (to_yaml(new) if new else "{}\n")
    assert yaml_by_manager(new, yaml_by_manager(old)) == yaml_by_manager(new)


def test_what_python_takes_for_equal_is_written_as_it_is() -> None:
    def of(value: Any) -> dict[str, Any]:
        return {"spec": {"a": {"b": value}, "c": [[value]]}}

    before = yaml_line_map(of(1))
    for value in (True, 1.0, "1"):
        assert yaml_line_map(of(value), before) == yaml_line_map(of(value))


def test_of_many_items_only_those_that_changed_are_written_again() -> None:
    def of(*images: str) -> dict[str, Any]:
        return {"spec": {"containers": [{"name": f"c{number}", "image": each} for number, each in enumerate(images)]}}

    before = yaml_line_map(of("a", "b", "c"))
    now = yaml_line_map(of("a", "x", "c"), before)
    place = ("spec", "containers")
    assert [now.pieces[*place, number] is before.pieces[*place, number] for number in range(3)] == [True, False, True]
