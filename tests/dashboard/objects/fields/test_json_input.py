"""Tests of JSON that is posted back with a form."""

from __future__ import annotations

import pytest

from dashboard.objects.fields.json_input import MAX_DEPTH, read_json


@pytest.mark.parametrize(
    ("text", "value"), [("null", None), ('{"a": [1, "\\u00e9"]}', {"a": [1, "é"]}), ('"\\ud83d\\ude00"', "😀")]
)
def test_what_an_object_could_hold_is_read(text: str, value: object) -> None:
    assert read_json(text) == (value,)


@pytest.mark.parametrize(
    "text",
    ["", "words", '{"a":', '"\\ud800"', '{"\\udfff": 1}', "NaN", "[-Infinity]", "1e999", "9" * 5000, "[" * 10_000,
     "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)],
)  # fmt: skip
def test_what_no_object_could_hold_is_none(text: str) -> None:
    assert read_json(text) is None
