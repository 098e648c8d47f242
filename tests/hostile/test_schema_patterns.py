"""Attack: a schema's pattern takes exponential time in a regular expression that backtracks."""

from __future__ import annotations

import pytest

from dashboard.objects.schemas import patterns
from dashboard.objects.schemas.patterns import MAX_MATCH_STEPS, MAX_PATTERN_LENGTH, fits_pattern
from dashboard.objects.schemas.samples.sample import sample_value
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import schema_problems

EXPONENTIAL = ("^(.|.|.|.)+!$", r"^(\w+\s?)*!$", "^(a+)+$", "^(a|aa)+!$", "(x+x+)+y")
UNKNOWN = ("(?=a)b", r"(a)\1b", "(?<!x)b", "(", "a{1001}", "((((a{10}){10}){10}){10})", "a" * (MAX_PATTERN_LENGTH + 1))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_a_pattern_that_backtracks_for_ever_is_decided(pattern: str) -> None:
    schema = Schema({"type": "string", "pattern": pattern})
    assert isinstance(sample_value(schema), str)
    assert len(schema_problems(schema, "a" * 5000 + "b")) == 1


@pytest.mark.parametrize("pattern", UNKNOWN, ids=range(len(UNKNOWN)))
def test_what_re2_does_not_read_is_left_to_the_api_server(pattern: str) -> None:
    schema = Schema({"type": "string", "pattern": pattern})
    assert fits_pattern("x", pattern)
    assert schema_problems(schema, "x") == ()
    assert sample_value(schema) == "example"


def test_a_large_pattern_on_a_long_text_is_not_run() -> None:
    pattern = "([a-c]?){900}!"
    compiled = patterns._compiled(pattern)
    assert compiled is not None
    most = MAX_MATCH_STEPS // compiled.programsize
    assert not fits_pattern("a" * most, pattern)
    assert fits_pattern("a" * (most + 1), pattern)


@pytest.mark.parametrize("pattern", ["a", "\ud800"])
def test_half_a_surrogate_pair_is_left_to_the_api_server(pattern: str) -> None:
    assert fits_pattern("\ud800", pattern)
