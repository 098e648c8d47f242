"""Tests of the marks of what a filter finds in a line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.objects.logs.ansi import segments
from dashboard.objects.logs.found_text import with_found
from dashboard.objects.logs.line_filter import MAX_SPANS, parse_line_filter
from tests.support.long_tests import examples


@pytest.mark.parametrize(
    ("typed", "text", "found"),
    [
        ("timeout", "a TIMEOUT, then a timeout", ["TIMEOUT", "timeout"]),
        ('"two words"', "one, Two Words", ["Two Words"]),
        ("größe", "die GRÖßE é 日本", ["GRÖßE"]),
        ("/ti.e/", "é time, tide and Time", ["time", "tide"]),
        ("/ti.e/i a.c", "abc a.c Time", ["a.c", "Time"]),
        ("/^one/", "one one", ["one"]),
        ("/x*/", "none of it", []),
        ("over verlap", "an overlap", ["overlap"]),
        ("status>=500", "ms=700 status=503 other=503", ["status=503"]),
        ("status>=500", "status=200", []),
        ('msg="cannot *"', 'msg="cannot connect" x=1', ['msg="cannot connect"']),
        ("status=503", '{"ms":503,"status":503}', ['"status":503']),
        ("http.status=5*", '{"status":"200","http":{"status": "502"}}', ['"status": "502"']),
        ("host!=db -healthz severity=error", "error host=web healthz", []),
    ],
)
def test_what_the_filter_finds_is_marked(typed: str, text: str, found: list[str]) -> None:
    parts = with_found(segments(text), parse_line_filter(typed))
    assert [part for classes, part in parts if classes == "found"] == found
    assert "".join(part for _, part in parts) == text


def test_colours_stay_where_something_is_found_across_them() -> None:
    parts = with_found(segments("a \x1b[31mred \x1b[1mbold\x1b[0m end"), parse_line_filter('"d b" end'))
    assert parts == [
        ("", "a "), ("a-31", "re"), ("a-31 found", "d "), ("a-31 a-b found", "b"), ("a-31 a-b", "old"), ("", " "),
        ("found", "end"),
    ]  # fmt: skip


def test_the_number_of_marks_in_a_line_is_bounded() -> None:
    parts = with_found(segments("x." * 5000), parse_line_filter("x"))
    assert len([part for classes, part in parts if classes]) == MAX_SPANS


@settings(max_examples=examples(60))
@given(st.text(), st.text(min_size=1, max_size=3), st.text(min_size=1, max_size=3))
def test_a_line_keeps_its_text_whatever_is_found(text: str, one: str, other: str) -> None:
    parts = segments(text)
    typed = " ".join(f'"{each.translate({34: None, 92: None})}"' for each in (one, other))
    assert "".join(part for _, part in with_found(parts, parse_line_filter(typed))) == "".join(p for _, p in parts)
