"""Tests of the lines that a page of logs has, in Chromium: which are missing is said, and none comes twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.support.program import ROOT

pytestmark = pytest.mark.browser

HOST = "http://deltaboard.test/"
QUIET, BUSY = 0, 1
RUN = """async (steps) => {
  const { Entries } = await import("/entries.js");
  const made = new Entries();
  for (const [name, ...given] of JSON.parse(steps)) {
    if (name === "fill") made.fill(made.all.find(({ gap }) => gap), ...given);
    else if (name === "most") [made.most] = given;
    else if (name === "later") made.loadLater(made.all.find(({ mark }) => mark === "unloaded"), ...given);
    else made[name](...given);
  }
  return [made.all.map(({ gap, mark, content }) => gap ?? mark ?? content), made.oldest];
}"""


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    context = new_context()
    script = (ROOT / "static" / "js" / "logs" / "entries.js").read_text()
    context.route(f"{HOST}entries.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
    context.route(HOST, lambda route: route.fulfill(body="<title>Lines</title>", content_type="text/html"))
    page = context.new_page()
    page.goto(HOST)
    return page


def shown(page: Page, *steps: tuple[object, ...]) -> tuple[list[Any], str]:
    """What the page has after these calls, and since when it has all lines."""
    entries, oldest = page.evaluate(RUN, json.dumps(steps))
    return entries, oldest


def at(second: int) -> str:
    return f"2026-11-28T07:00:{second:02d}.000000000Z"


def line(number: int | None, second: int, source: int = BUSY, text: str = "") -> list[object]:
    return [number, at(second), source, 0, text or f"{'quiet' if source == QUIET else 'busy'} {second}"]


def window(*entries: list[object], since: str = "") -> tuple[object, ...]:
    return "add", {"whole": True, "entries": entries, "next": len(entries), "first": 0, "history": "", "since": since}


def frame(*entries: list[object], end: int, since: str = "") -> tuple[object, ...]:
    return "add", {"entries": entries, "next": end, "first": 0, "history": "", "since": since}


def test_lines_that_the_first_frame_of_an_empty_page_left_out_are_a_gap(page: Page) -> None:
    entries, _ = shown(page, window(), frame(line(2, 8), line(3, 9), end=4))
    assert entries == [[0, 2], "busy 8", "busy 9"]


def test_loaded_lines_stay_when_a_connection_brings_the_lines_that_the_page_came_with(page: Page) -> None:
    rendered = window(line(0, 8), line(1, 9), since=at(7))
    loaded = ("load", [line(None, 6), line(None, 7)], {"begins": False, "problem": ""})
    assert shown(page, rendered, loaded, rendered) == (["busy 6", "busy 7", "busy 8", "busy 9"], at(6))


def mark(number: int, second: int) -> list[object]:
    return [number, at(second), -1, "!", "restarted", "again"]


def test_no_line_comes_twice_when_all_come_anew_behind_a_mark_that_is_later(page: Page) -> None:
    steps = (window(mark(0, 9), line(1, 5), line(2, 6)), window(mark(0, 9), line(1, 5), line(2, 6), line(3, 7)))
    assert shown(page, *steps)[0] == ["busy 5", "busy 6", "busy 7", "restarted"]


def test_no_line_comes_twice_when_all_come_anew_with_a_late_one(page: Page) -> None:
    late = line(4, 6, QUIET)
    steps = (window(line(0, 5), late, line(1, 7)), window(line(2, 7), line(3, 8), late))
    assert shown(page, *steps)[0] == ["busy 5", "quiet 6", "busy 7", "busy 8"]


def test_lines_of_before_stay_when_a_new_connection_brings_later_ones(page: Page) -> None:
    before = (window(line(0, 6), line(1, 7)), frame(line(3, 9), end=4))
    again = "add", {
        "whole": True, "entries": [line(0, 20), line(1, 21)], "next": 2, "first": 0, "history": "", "since": at(20)
    }  # fmt: skip
    there = ["busy 6", "busy 7", "unloaded", "busy 9", "unloaded", "busy 20", "busy 21"]
    assert shown(page, *before, again) == (there, at(6))
    assert shown(page, *before, again, frame(line(2, 22), end=3, since=at(20))) == ([*there, "busy 22"], at(6))
    rest = ("later", [line(None, 8)], {"end": at(9), "is_end": True})
    busier = "add", {**again[1], "entries": [line(0, 15, QUIET), line(1, 21)]}
    assert shown(page, *before, busier, rest, ("later", [line(None, 20)], {"end": at(20), "is_end": True}))[0] == [
        "busy 6", "busy 7", "busy 8", "busy 9", "quiet 15", "busy 20", "busy 21"
    ]  # fmt: skip
    overlapping = window(line(0, 7), line(1, 8), line(2, 9), since=at(7))
    assert shown(page, *before, overlapping) == (["busy 6", "busy 7", "busy 8", "busy 9"], at(6))
    of_two = window(line(0, 7, QUIET), line(1, 8), line(2, 9), since=at(8))
    assert shown(page, *before, of_two) == (["busy 6", "busy 7", "quiet 7", "busy 8", "busy 9"], at(6))


def test_a_late_line_that_stayed_from_before_comes_once(page: Page) -> None:
    steps = (window(line(0, 6), line(1, 7), line(2, 8)), window(line(0, 8), line(1, 9)))
    assert shown(page, *steps, frame(line(2, 7), line(3, 10), end=4))[0] == [
        "busy 6", "busy 7", "busy 8", "busy 9", "busy 10"
    ]  # fmt: skip


def test_lines_keep_their_containers_when_these_get_new_numbers(page: Page) -> None:
    steps = (window(line(0, 6, QUIET), line(1, 7, BUSY)), ("renumber", [None, 0]))
    assert shown(page, *steps)[0] == ["busy 7"]


def test_where_lines_of_a_busy_log_are_not_there_a_mark_stands_until_they_are_loaded(page: Page) -> None:
    steps = (window(line(0, 1, QUIET), line(1, 2, QUIET)), frame(line(4, 8), end=5, since=at(6)))
    assert shown(page, *steps) == (["quiet 1", "quiet 2", "older", [2, 4], "busy 8"], at(6))
    newest = [line(None, 4), line(None, 5)]
    some = ("load", newest, {"begins": False, "problem": ""})
    assert shown(page, *steps, some) == (
        ["quiet 1", "quiet 2", "older", "busy 4", "busy 5", [2, 4], "busy 8"], at(4)
    )  # fmt: skip
    rest = ("load", [line(None, 1, QUIET), line(None, 2, QUIET), line(None, 3)], {"begins": True, "problem": ""})
    assert shown(page, *steps, some, rest) == (
        ["quiet 1", "quiet 2", "busy 3", "busy 4", "busy 5", [2, 4], "busy 8"], at(1)
    )  # fmt: skip


def test_equal_lines_are_told_apart_by_their_number_and_none_comes_twice(page: Page) -> None:
    steps = (window(line(0, 1, QUIET)), frame(line(3, 8, text="again"), end=4, since=at(9)))
    loaded = ("load", [line(None, 8, text="again"), line(None, 8, text="again")], {"begins": True, "problem": ""})
    entries, _ = shown(page, *steps, loaded)
    assert entries.count("again") == 2
    entries, _ = shown(page, *steps, loaded, ("fill", [line(1, 8, text="again"), line(2, 8, text="other")]))
    assert sorted(entries) == ["again", "again", "other", "quiet 1"]


def test_lines_that_could_not_be_loaded_leave_a_mark(page: Page) -> None:
    loaded = ("load", [line(None, 3)], {"begins": False, "problem": "Not all could be read"})
    entries, oldest = shown(page, window(line(0, 8)), loaded)
    assert (entries, oldest) == (["busy 3", "gap", "busy 8"], at(3))


def around(*entries: list[object], is_end: bool = False) -> tuple[object, ...]:
    begin, end = entries[0][1], entries[-1][1]
    return "jump", entries[1][1], entries, {"begin": begin, "end": end, "is_end": is_end}


def test_lines_around_a_moment_come_with_a_mark_before_those_that_were_there(page: Page) -> None:
    steps = (window(line(0, 1, QUIET), line(1, 40), since=at(40)), around(*(line(None, each) for each in (10, 11, 12))))
    assert shown(page, *steps) == (["quiet 1", "older", "busy 10", "busy 11", "busy 12", "unloaded", "busy 40"], at(10))
    some = ("later", [line(None, 12), line(None, 13)], {"end": at(13), "is_end": False})
    entries, _ = shown(page, *steps, some)
    assert entries == ["quiet 1", "older", *(f"busy {each}" for each in (10, 11, 12, 13)), "unloaded", "busy 40"]
    rest = ("later", [line(None, 13), line(None, 14), line(None, 40)], {"end": at(40), "is_end": True})
    entries, _ = shown(page, *steps, some, rest)
    assert entries == ["quiet 1", "older", *(f"busy {each}" for each in (10, 11, 12, 13, 14, 40))]


def test_a_moment_near_the_newest_lines_needs_no_mark_and_one_without_its_line_has_one(page: Page) -> None:
    steps = (window(line(0, 8), line(1, 9), since=at(8)), around(line(None, 6), line(None, 7), line(None, 8)))
    assert shown(page, *steps) == (["busy 6", "busy 7", "busy 8", "busy 9"], at(6))
    nothing: tuple[object, ...] = ("jump", at(5), [], {"begin": at(4), "end": "", "is_end": True})
    assert shown(page, window(line(0, 8)), nothing)[0] == ["gap", "busy 8"]


def test_of_too_many_lines_the_oldest_go_while_the_end_is_followed_and_marks_stay(page: Page) -> None:
    steps = (("most", 20), window(*(line(each, each) for each in range(15))), ("add", {
        "entries": [mark(15, 1), *(line(each, each) for each in range(16, 30))], "next": 30, "first": 0,
    }), ("trim",))  # fmt: skip
    entries, oldest = shown(page, *steps)
    assert entries == ["restarted", *(f"busy {each}" for each in range(10, 30) if each != 15)]
    assert oldest == at(10)


def test_of_too_many_lines_those_far_from_what_is_in_sight_become_a_mark_that_loads_them(page: Page) -> None:
    most = ("most", 20)
    first = window(*(line(each, each) for each in range(30)))
    entries, oldest = shown(page, most, first, ("trim", 1))
    assert entries == [*(f"busy {each}" for each in range(17)), "unloaded", "busy 28", "busy 29"]
    assert oldest == at(0)
    more = frame(*(line(each, each) for each in range(30, 36)), end=36)
    entries, _ = shown(page, most, first, ("trim", 1), more, ("trim", 1))
    assert [each for each in entries if each == "unloaded"] == ["unloaded"]
    assert entries[-3:] == ["unloaded", "busy 34", "busy 35"]
    assert len(entries) <= 20
    back = ("later", [line(None, each) for each in range(15, 34)], {"end": at(33), "is_end": True})
    assert shown(page, most, first, ("trim", 1), more, ("trim", 1), back)[0] == [f"busy {each}" for each in range(36)]
