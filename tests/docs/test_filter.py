"""Tests of docs/filter.md: each example is read as a filter, and the limits are the code's."""

from __future__ import annotations

import re

import pytest

from dashboard.objects.printers import list_columns
from dashboard.objects.query.list_query import MOST_PATHS
from dashboard.objects.query.parser import MAX_FILTER_LENGTH, MOST_TERMS, parse_filter
from dashboard.objects.query.tokenizer import QueryProblem, tokenize
from dashboard.pages.feed.terms import read_term
from tests.support.program import ROOT

PAGE = (ROOT / "docs" / "filter.md").read_text()


def examples(heading: str) -> list[str]:
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert section is not None
    table = re.search(r"^\| you type .*?(?=\n\n)", section[1] + "\n\n", re.DOTALL | re.MULTILINE)
    assert table is not None
    return [each for row in table[0].splitlines()[2:] for each in re.findall(r"`([^`]+)`", row.split(" | ")[0])]


@pytest.mark.parametrize("example", examples("Lists"))
def test_a_list_reads_it(example: str) -> None:
    parsed = parse_filter(example, list_columns("pods"), "Pods")
    assert parsed.problems == ()
    assert parsed.terms or parsed.namespaces


@pytest.mark.parametrize("example", examples("The feed"))
def test_the_feed_reads_it(example: str) -> None:
    problems: list[QueryProblem] = []
    [token] = tokenize(example, problems)
    read_term(token)
    assert problems == []


def test_the_limits_are_those_of_the_code() -> None:
    assert f"At most {MOST_TERMS} terms and {MAX_FILTER_LENGTH:,} characters are read" in PAGE
    assert f"{MOST_PATHS} different fields" in PAGE
