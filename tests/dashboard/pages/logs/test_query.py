"""Tests of the state of a page of logs in its address."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.pages.logs.query import MAX_NAMES, LogsQuery


@pytest.mark.parametrize(
    ("address", "canonical"),
    [
        ("", ""),
        ("container=b&container=a", "container=a,b"),
        ("container=a,b&pod=web-1&previous=1", "container=a,b&pod=web-1&previous=1"),
        ("q=b+a", "q=a+b"),
        ("since=15m", "since=15m"),
        ("since=900s", "since=15m"),
        ("from=2026-11-28T07:00:00Z&to=2026-11-28T08:00:00Z", "from=2026-11-28T07:00:00Z&to=2026-11-28T08:00:00Z"),
        ("previous=0&wrap=1&unknown=x", ""),
    ],
)
def test_equal_states_have_one_address(address: str, canonical: str) -> None:
    query = LogsQuery.parse(QueryDict(address))
    assert query.problems == ()
    assert query.query_string() == canonical
    assert LogsQuery.parse(QueryDict(canonical)) == query


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("q=/(/", "missing )"),
        ("since=yesterday", "not a length of time"),
        ("from=later", "is not a time"),
        ("container=" + ",".join(f"c{number}" for number in range(MAX_NAMES + 1)), f"first {MAX_NAMES}"),
    ],
)
def test_a_mistake_is_told_and_ignored(address: str, word: str) -> None:
    query = LogsQuery.parse(QueryDict(address))
    (problem,) = query.problems
    assert word in problem.message


def test_what_is_more_than_the_newest_lines_reads_history_and_what_has_ended_is_not_followed() -> None:
    def query(address: str) -> tuple[bool, bool]:
        parsed = LogsQuery.parse(QueryDict(address))
        return parsed.reads_history, parsed.is_live

    assert query("") == (False, True)
    assert query("container=a") == (False, True)
    assert query("q=a") == (True, True)
    assert query("since=5m") == (True, True)
    assert query("from=2026-11-28T07:00:00Z") == (True, True)
    assert query("to=2026-11-28T07:00:00Z") == (True, False)
    assert query("previous=1") == (True, False)


def test_the_filter_of_a_lists_logs_has_another_name() -> None:
    query = LogsQuery.parse(QueryDict("q=app&find=timeout"), "find")
    assert query.query_string() == "find=timeout"
    assert query.hidden_inputs == ()
