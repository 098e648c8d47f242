"""The lines of an object's YAML, each with its field, and what of them is not written again for another version."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dashboard.resources.set_by import set_by
from dashboard.resources.yaml_places import PlacedLines, managed_fields_lines, placed_lines
from dashboard.resources.yaml_text import to_yaml

SCALARS: st.SearchStrategy[Any] = st.sampled_from([None, True, 1, 1.0, 0, False, "", "x", "a\nb\n", "<b>", "1", {}, []])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["kind", "metadata", "spec", "status"]), VALUES, max_size=4)


def test_each_line_knows_the_field_that_it_shows() -> None:
    found = placed_lines({"kind": "X", "a": {"b": [{"c": 1, "d": "x\ny\n"}], "e": {}}})
    assert list(zip(found.lines, found.places, strict=True)) == [
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
    found = managed_fields_lines({"metadata": {"managedFields": [{"manager": "kubectl", "operation": "Apply"}]}})
    assert found.lines == ["- manager: kubectl", "  operation: Apply"]
    assert found.places == [(0, "manager"), (0, "operation")]
    assert managed_fields_lines({"metadata": {"name": "x"}}) == PlacedLines([], [], {})


@given(OBJECTS, OBJECTS)
def test_what_is_taken_from_another_version_is_what_would_be_written(old: dict[str, Any], new: dict[str, Any]) -> None:
    found = placed_lines(new, placed_lines(old))
    assert found == placed_lines(new)
    assert "".join(f"{line}\n" for line in found.lines) == (to_yaml(new) if new else "{}\n")
    assert set_by(new, set_by(old)) == set_by(new)


def test_what_python_takes_for_equal_is_written_as_it_is() -> None:
    def of(value: Any) -> dict[str, Any]:
        return {"spec": {"a": {"b": value}, "c": [[value]]}}

    before = placed_lines(of(1))
    for value in (True, 1.0, "1"):
        assert placed_lines(of(value), before) == placed_lines(of(value))


def test_of_many_items_only_those_that_changed_are_written_again() -> None:
    def of(*images: str) -> dict[str, Any]:
        return {"spec": {"containers": [{"name": f"c{number}", "image": each} for number, each in enumerate(images)]}}

    before = placed_lines(of("a", "b", "c"))
    now = placed_lines(of("a", "x", "c"), before)
    place = ("spec", "containers")
    assert [now.pieces[*place, number] is before.pieces[*place, number] for number in range(3)] == [True, False, True]
