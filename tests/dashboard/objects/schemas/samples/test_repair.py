"""Tests of repairs whose work ends before they do. With a real API server: tests/custom/test_example_objects.py."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.samples.repair import repairs
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import schema_problems

LIST: dict[str, Any] = {"type": "array", "minItems": 10, "items": {"type": "array", "minItems": 10, "items": {}}}
LARGE = {**LIST, "minItems": 0, "items": {**LIST, "items": {**LIST, "items": {"type": "string"}}}}
"""Its items have more values than a sample."""
MAP = {"type": "object", "additionalProperties": LARGE["items"]}


@pytest.mark.parametrize(
    ("node", "empty", "what"), [(LARGE, [], "items"), (MAP, {}, "properties")], ids=["a list", "a map"]
)
def test_what_fits_into_the_limits_is_kept(node: dict[str, Any], empty: Any, what: str) -> None:
    schema = Schema({"properties": {"spec": {"type": "object", "properties": {"many": node}}}})
    problem = Problem("", f"Invalid value: 0: in body should have at least 10 {what}", ("spec", "many"))
    (repaired,) = repairs(schema, {"spec": {"many": empty}}, [problem])
    assert 0 < len(repaired["spec"]["many"]) < 10


def test_a_list_that_is_large_enough_for_its_schema_gets_all_its_items() -> None:
    schema = Schema({"properties": {"many": {**LIST, "items": {"type": "string", "minLength": 3}}}})
    problem = Problem("", "Invalid value: 1: in body should have at least 10 items", ("many",))
    (repaired,) = repairs(schema, {"many": ["abc"]}, [problem])
    assert len(repaired["many"]) == 10
    assert not [*schema_problems(schema, repaired)]
