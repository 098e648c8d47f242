"""Tests of merge patches of the changes to an object."""

from __future__ import annotations

import pytest

from informerd.controller_util.manifest_and_identity import Head
from informerd.controller_util.merge_patch import patch_to, with_preconditions
from informerd.errors import InvalidCall
from informerd.unstructured import Json


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {}, {"a": None}),
        ({"a": 1}, {"a": None}, {"a": None}),
        ({}, {"a": None}, {}),
        ({"a": None}, {}, {}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, {"a": {"c": 3}}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": None}}),
        ({"a": [1, 2]}, {"a": [1]}, {"a": [1]}),
        ({"a": [1]}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({}, {"a": {"b": None, "c": {}}}, {"a": {"c": {}}}),
        ({"a": 1}, {"a": True}, {"a": True}),
        ({"a": {"b": [0]}}, {"a": {"b": [False]}}, {"a": {"b": [False]}}),
    ],
)
def test_a_patch_names_what_is_different_and_nothing_else(before: Json, after: Json, patch: Json) -> None:
    assert patch_to(before, after) == patch
    assert repr(patch_to(before, after)) == repr(patch)  # 1 == True


def test_a_patch_is_for_one_version_of_one_object() -> None:
    head = Head(name="a", uid="u1", resource_version="7")
    patch = with_preconditions({"metadata": {"labels": {"a": "b"}}, "spec": {}}, head)
    assert patch == {"metadata": {"labels": {"a": "b"}, "resourceVersion": "7", "uid": "u1"}, "spec": {}}


def test_what_was_never_read_is_not_patched() -> None:
    with pytest.raises(InvalidCall, match="no resourceVersion"):
        with_preconditions({}, Head(name="a"))
