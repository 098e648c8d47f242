"""Tests of fields that are put back as they were in an older version of an object."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.paths.field_changes import field_changes, put_back

NOW: Any = {
    "a": 1,
    "b": {"x": 1, "new": True},
    "env": [{"name": "A", "value": "2"}, {"name": "C", "value": "3"}, {"name": "D", "value": "4"}],
    "args": ["x", "z", "y"],
}
THEN: Any = {
    "a": 0,
    "b": {"x": 1},
    "gone": {"deep": {"er": 5, "other": 6}},
    "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "0"}, {"name": "C", "value": "3"}],
    "args": ["x", "y"],
}


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        pytest.param("a", {"a": 0}, id="value"),
        pytest.param("b.new", {"b": {"x": 1}}, id="did not exist"),
        pytest.param("gone", {"gone": THEN["gone"]}, id="removed since"),
        pytest.param("gone.deep.er", {"gone": {"deep": {"er": 5}}}, id="with what contains it"),
        pytest.param("env[A].value", {"env": [{"name": "A", "value": "1"}, *NOW["env"][1:]]}, id="in an entry"),
        pytest.param(
            "env[B]", {"env": [NOW["env"][0], {"name": "B", "value": "0"}, *NOW["env"][1:]]}, id="entry in its place"
        ),
        pytest.param("env[D]", {"env": NOW["env"][:2]}, id="entry that did not exist"),
        pytest.param("args[1]", {"args": ["x", "y"]}, id="list without names as a whole"),
    ],
)
def test_only_the_chosen_field_is_put_back(path: str, changed: dict[str, Any]) -> None:
    value, missing = put_back(NOW, THEN, frozenset({path}))
    assert value == {**NOW, **changed}
    assert not missing


@pytest.mark.parametrize("path", ["nothing", "a.below", "env[B].value", "env[D].value", "env[A", ""])
def test_what_neither_has_to_put_back_is_said(path: str) -> None:
    value, missing = put_back(NOW, THEN, frozenset({path}))
    assert value == NOW
    assert missing == {path}


def test_all_that_differs_makes_it_as_it_was() -> None:
    paths = frozenset(change.path for change in field_changes(NOW, THEN).changes)
    value, missing = put_back(NOW, THEN, paths)
    assert value == THEN
    assert not missing


def test_names_with_dots_are_told_from_fields() -> None:
    now, then = {"labels": {"a.b": "2", "a": {"b": "2"}}}, {"labels": {"a.b": "1", "a": {"b": "1"}}}
    paths = {change.path for change in field_changes(now, then).changes}
    assert paths == {'labels["a.b"]', "labels.a.b"}
    assert put_back(now, then, frozenset({"labels.a.b"}))[0] == {"labels": {"a.b": "2", "a": {"b": "1"}}}


def test_of_a_list_that_has_names_no_more_no_entry_is_put_back_by_its_name() -> None:
    now: Any = {"env": [{"name": "A", "value": "2"}, {"name": "A"}]}
    then: Any = {"env": [{"name": "A", "value": "1"}]}
    by_name = frozenset({"env[A].value"})
    assert put_back(now, then, by_name) == (now, by_name)
    assert put_back(now, then, frozenset({"env[0].value"})) == (then, frozenset())
