"""Tests of colours in log lines, and of what would give orders to a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.objects.logs.ansi import MAX_SEGMENTS, segments
from dashboard.runtime.invisible_characters import has_invisible


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("plain", [("", "plain")]),
        ("", [("", "")]),
        ("a \x1b[1;31mred\x1b[0m b", [("", "a "), ("a-31 a-b", "red"), ("", " b")]),
        ("\x1b[33mwarn\x1b[39m on", [("a-33", "warn"), ("", " on")]),
        ("\x1b[38;5;196mx\x1b[38;2;10;200;30my\x1b[m.", [("a-91", "x"), ("a-32", "y"), ("", ".")]),
        ("\x1b[44;97mon blue\x1b[49m not", [("a-97 a-bg34", "on blue"), ("a-97", " not")]),
        ("\x1b[1mbold\x1b[22m\x1b[3;4mboth\x1b[23;24m", [("a-b", "bold"), ("a-i a-u", "both")]),
        ("clear \x1b[2Jscreen \x1b[10;10Hmove", [("", "clear screen move")]),
        ("title \x1b]0;owned\x07stays", [("", "title stays")]),
        ("link \x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", [("", "link text")]),
        ("\x1b]52;c;ZXZpbA==\x07", [("", "")]),
        ("unfinished \x1b]0;title", [("", "unfinished ")]),
        ("a\x00b\x07c", [("", "a\\x00b\\x07c")]),
        ("right \u202eleft", [("", "right \\u202eleft")]),
        ("old\rnew", [("", "old\\rnew")]),
        ("\x1b", [("", "\\x1b")]),
    ],
)
def test_colours_become_classes_and_everything_else_is_left_out_or_shown(
    text: str, parts: list[tuple[str, str]]
) -> None:
    assert segments(text) == parts


@given(st.text(st.sampled_from("\x1b[]0123456789;:mJHKPX^_\\\x07\x00\u202eab \t"), max_size=60))
def test_no_line_has_a_character_that_a_terminal_obeys(text: str) -> None:
    for classes, part in segments(text):
        assert not has_invisible(part)
        assert all(each.startswith("a-") for each in classes.split())


def test_a_line_of_a_thousand_colours_has_few_parts() -> None:
    parts = segments("".join(f"\x1b[{31 + number % 6}m{number}" for number in range(1000)))
    assert len(parts) == MAX_SEGMENTS
    assert "".join(part for _, part in parts) == "".join(map(str, range(1000)))
