"""Attack: one GET of the page that creates an object, of a kind whose schema asks for 10^12 values."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.samples.repair import repairs
from dashboard.objects.schemas.samples.sample import MAX_VALUES, sample, sample_value
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import schema_problems
from informerd.resource import MYDEMOS
from tests.support.call_count import calls_of

pytestmark = pytest.mark.timeout(60)


def nested(levels: int, node: dict[str, Any], **around: Any) -> dict[str, Any]:
    for _ in range(levels):
        node = {"type": "array", "minItems": 10, "items": node, **around}
    return node


def size(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(size, inside))


def test_a_schema_that_asks_for_ten_to_the_twelfth_items_gets_few() -> None:
    schema = Schema({"properties": {"spec": nested(12, {"type": "string"})}})
    assert 100 < size(sample(MYDEMOS, schema, "ns")) <= MAX_VALUES + 10


@pytest.mark.slow
def test_the_work_does_not_grow_with_what_is_asked_for() -> None:
    works = [calls_of(lambda levels=levels: sample_value(Schema(nested(levels, {})))) for levels in (6, 12)]  # type: ignore[misc]
    assert works[1] < 2 * works[0]


@pytest.mark.slow
def test_the_work_of_repairs_does_not_grow_with_the_fields_that_are_refused() -> None:
    def repair(number: int) -> None:
        names = [f"list{each}" for each in range(number)]
        spec = {"type": "object", "properties": {name: nested(2, {"type": "string"}) for name in names}}
        message = "Invalid value: 0: in body should have at least 10 items"
        problems = [Problem("", message, ("spec", name)) for name in names]
        empty: dict[str, Any] = {"spec": {name: [] for name in names}}
        assert next(repairs(Schema({"properties": {"spec": spec}}), empty, problems))["spec"]["list0"] != []

    works = [calls_of(lambda number=number: repair(number)) for number in (40, 400)]  # type: ignore[misc]
    assert works[1] < 3 * works[0]


@pytest.mark.slow
def test_a_large_default_that_is_repeated_is_counted() -> None:
    default = {f"key-{number}": "x" * 100 for number in range(500)}
    assert size(sample_value(Schema(nested(6, {"type": "object", "default": default})))) <= 2 * MAX_VALUES


def test_a_schema_that_requires_itself_several_times_gets_few_fields() -> None:
    node = {"type": "object", "required": list("abcdefgh"), "additionalProperties": {"$ref": "#/components/schemas/N"}}
    assert size(sample_value(Schema(node, {"N": node}))) <= MAX_VALUES + 10


@pytest.mark.parametrize(
    "node",
    [
        {"type": "integer", "multipleOf": 1e-320, "minimum": 5},
        {"type": "integer", "minimum": 1e308, "multipleOf": 1e300},
        {"type": "number", "minimum": float("inf")},
        {"type": "array", "minItems": 10**30},
    ],
)
def test_numbers_beyond_all_bounds_end_no_page(node: dict[str, Any]) -> None:
    sample_value(Schema(node))


def test_alternatives_that_refer_to_themselves_are_not_followed_for_ever() -> None:
    part = {"$ref": "#/components/schemas/N"}
    node = {"type": "object", "properties": {"a": part}, "allOf": [{"anyOf": [part, part]}, {"anyOf": [part, part]}]}
    value: dict[str, Any] = {}
    for _ in range(40):
        value = {"a": value}
    assert schema_problems(Schema(node, {"N": node}), value) == ()


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_alternatives_that_each_look_at_what_is_inside_are_not_all_tried() -> None:
    """Each level is looked at twice, so the value in the 40th level would be looked at 2^40 times."""
    part = {"$ref": "#/components/schemas/N"}
    alternative = {"properties": {"a": part}}
    node = {"type": "object", "anyOf": [alternative, alternative]}
    value: Any = "no map"
    for _ in range(40):
        value = {"a": value}
    assert schema_problems(Schema(node, {"N": node}), value) == ()


def test_a_schema_nested_too_deep_is_left_to_the_api_server() -> None:
    node: dict[str, Any] = {"type": "integer"}
    value: Any = "no number"
    for _ in range(2000):
        node, value = {"properties": {"a": node}}, {"a": value}
    assert schema_problems(Schema(node), value) == ()
