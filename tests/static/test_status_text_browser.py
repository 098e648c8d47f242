"""Tests of the sentences that say why a page is not live, in Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
from playwright.sync_api import Browser

from tests.support.program import ROOT

pytestmark = pytest.mark.browser

WordsOf = Callable[[Sequence[Mapping[str, object]], int], str]

DAY = 86_400
NOON = 1_800_014_400
WORDS = """async ([source, problems, kinds, now]) => {
  const { wordsOf } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return wordsOf({}, problems, kinds, now);
}"""
PROBLEMS = """async ([source, problems, shown]) => {
  const { problemsOf } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return problemsOf({ problems }, shown).map((problem) => problem.state);
}"""
SILENT = "The API server has not answered since {since}."


def stale(title: str, since: int = NOON - 60, text: str = "") -> dict[str, object]:
    text = text or f"{title} have not been up to date since {{since}}: no worker ran."
    return {"title": title, "text": text, "since": since, "state": "stale"}


@pytest.fixture
def words_of(chromium: Browser) -> Iterator[WordsOf]:
    source = (ROOT / "static/js/live/status_text.js").read_text()
    context = chromium.new_context(timezone_id="UTC")
    page = context.new_page()
    yield lambda problems, kinds: page.evaluate(WORDS, [source, problems, kinds, NOON])
    context.close()


def test_a_time_of_another_day_is_told_with_its_day(words_of: WordsOf) -> None:
    told = [words_of([stale("Pods", since)], 1) for since in (NOON - 60, NOON - 3 * DAY)]
    assert told == [
        "Pods have not been up to date since 11:59:00: no worker ran.",
        "Pods have not been up to date since 01-12 12:00:00: no worker ran.",
    ]


@pytest.mark.parametrize("kinds", [3, 9])
def test_all_kinds_with_the_same_problem_are_its_subject(words_of: WordsOf, kinds: int) -> None:
    problems = [stale("Pods"), stale("Nodes", NOON - 120), stale("Events")]
    assert words_of(problems, kinds) == "Pods, Nodes and Events have not been up to date since 11:58:00: no worker ran."


def test_many_kinds_are_counted(words_of: WordsOf) -> None:
    names = ["Pods", "Nodes", "Events", *(f"Kind {number}" for number in range(7))]
    named = "Pods, Nodes, Events and 7 other kinds"
    told = f"{named} have not been up to date since 11:59:00: no worker ran."
    assert [words_of([stale(name) for name in names], kinds) for kinds in (10, 11)] == [told, told]
    silent = [stale(name, text=SILENT) for name in names]
    told = "The API server has not answered since 11:59:00."
    assert [words_of(silent, kinds) for kinds in (10, 11)] == [told, f"{named}: {told}"]


def test_kinds_with_other_problems_are_named_after_it(words_of: WordsOf) -> None:
    problems = [stale("Pods"), stale("Nodes", text="Nodes have not been up to date since {since}: too slow.")]
    told = "Pods have not been up to date since 11:59:00: no worker ran. Nodes may not be up to date either."
    assert [words_of(problems, kinds) for kinds in (2, 5)] == [told, told]


def test_of_first_lists_the_progress_of_one_is_told(words_of: WordsOf) -> None:
    problems = [
        {"title": title, "text": f"Reading {title}: {number} so far.", "state": "syncing"}
        for title, number in (("Pods", 5), ("Nodes", 2))
    ]
    assert words_of(problems, 2) == "Reading Pods: 5 so far."


def test_what_may_not_be_listed_is_told_only_where_nothing_else_is_wrong_and_nothing_is_shown(
    chromium: Browser,
) -> None:
    source, context = (ROOT / "static/js/live/status_text.js").read_text(), chromium.new_context()
    page = context.new_page()
    problems = {"secrets": {"state": "forbidden"}, "pods": {"state": "stale"}, "nodes": {"state": "forbidden"}}
    told = [
        page.evaluate(PROBLEMS, [source, problems, shown])
        for shown in (["secrets", "pods"], ["secrets", "nodes"], ["secrets", "services"])
    ]
    assert told == [["stale"], ["forbidden", "forbidden"], []]
    context.close()
