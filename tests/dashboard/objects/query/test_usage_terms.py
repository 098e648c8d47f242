"""Tests of filters by usage: amounts, shares of what may be used, and what is not known."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, Values
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import read_field
from dashboard.objects.usage.usage_field import UsageField
from tests.support.live.fake_usage import usage
from tests.support.live.replica_feeder import pod

USED = {
    "default/low": usage("default/low", 0.05, 64, of_mebibytes=512),
    "default/high": usage("default/high", 1.2, 480, of_mebibytes=512),
    "default/unlimited": usage("default/unlimited", 0.3, 900),
}
ROWS = [pod("low"), pod("high"), pod("unlimited"), pod("unknown")]


def fields(field: FieldPath | UsageField, row: Row) -> Values:
    if isinstance(field, FieldPath):
        return read_field(field, row)
    used = USED.get(row.key)
    value = field.value(used) if used is not None else None
    return () if value is None else (value,)


def query(**params: str) -> Query:
    parsed = QueryDict(mutable=True)
    parsed.update(params)
    return Query.parse(parsed, "pods")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("cpu>100m", ["high", "unlimited"]),
        ("cpu>=0.3 cpu<1", ["unlimited"]),
        ("memory>80%", ["high"]),
        ("memory<=80%", ["low"]),
        ("-memory>80%", ["low", "unlimited", "unknown"]),
        ("memory>500Mi", ["unlimited"]),
        ("cpu=", ["unknown"]),
        ("-cpu=", ["low", "high", "unlimited"]),
        ("memory-share>10%", ["low", "high"]),
        ("memory-share>0.9", ["high"]),
        ("memory-share=", ["unlimited", "unknown"]),
    ],
)
def test_what_is_known_is_compared_and_what_is_not_is_in_no_comparison(text: str, names: list[str]) -> None:
    asked = query(q=text)
    assert not asked.problems
    assert asked.filters_by_usage
    assert [row.name for row in ROWS if asked.matches(row, 1.8e9, fields)] == names
    assert Query.parse(QueryDict(asked.query_string()), "pods") == asked


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cpu=100m", "Compare cpu with <, <=, > or >=, as in cpu>500m or 80%"),
        ("memory>much", "as in memory>1Gi or 80%"),
        ("memory-share>x", "as in memory-share>80%"),
        ("cpu>", "Compare cpu"),
        ("cpu>1,2", "Compare cpu"),
    ],
)
def test_what_cannot_be_compared_is_a_problem_that_says_what_can(text: str, words: str) -> None:
    (problem,) = query(q=text).problems
    assert words in problem.message


def test_the_order_by_usage_has_what_is_not_known_last_in_both_directions() -> None:
    for sort, names in (
        ("cpu", ["low", "unlimited", "high", "unknown"]),
        ("-cpu", ["high", "unlimited", "low", "unknown"]),
        ("-memory-share", ["high", "low", "unknown", "unlimited"]),
    ):
        asked = query(sort=sort)
        assert asked.sorts_by_usage
        assert [row.name for row in sorted(ROWS, key=asked.sort_key_by(fields))] == names


def test_kinds_that_use_nothing_have_no_such_columns() -> None:
    config_maps = Query.parse(QueryDict("q=cpu>1"), "configmaps")
    assert "no column 'cpu'" in config_maps.problems[0].message
