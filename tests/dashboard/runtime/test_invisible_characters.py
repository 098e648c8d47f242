"""Tests of visible escapes: of which characters, in texts and in pages, and that what is typed or sent keeps them."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from django.template import engines
from django.utils.safestring import mark_safe

from dashboard.runtime.invisible_characters import (
    INVISIBLE,
    escape_character,
    escape_invisible,
    escape_invisible_in_html,
    escape_to_one_line,
    has_invisible,
)

IGNORABLE = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u180b\u200b\u200d\u202e\u2065\u3164\ufe0f\uffa0\ufff0"
    "\U0001bca0\U000e0041\U000e0fff"
)
"""Some of Default_Ignorable_Code_Point, of every block that has any."""
READABLE = "naïve 日本語 ❤ 😀 – → العربية हिन्दी \u00a0\u2003|"


@pytest.mark.slow
def test_all_that_is_invisible_by_unicode_is_escaped() -> None:
    pattern = re.compile(f"[{INVISIBLE}]")
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    missed = [
        hex(ord(character))
        for character in pattern.sub("", everything)
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ]
    assert missed == ["0x9", "0xa"]
    assert pattern.sub("", IGNORABLE) == ""
    assert pattern.search(READABLE) is None


@pytest.mark.parametrize("character", [*IGNORABLE, "\x00", "\x1b", "\x7f", "\x9b", "\u2028", "\ufeff"])
def test_an_escape_stands_in_the_place_of_the_character(character: str) -> None:
    assert has_invisible(f"a{character}b")
    escaped = escape_invisible(f"a{character}b\n")
    assert escaped == f"a{escape_character(character)}b\n"
    assert escaped.isprintable() is False  # the line break alone
    assert escaped.encode().decode("unicode_escape") == f"a{character}b\n"


def test_a_text_for_one_line_has_no_breaks() -> None:
    assert escape_to_one_line("a\r\nb\tc\u2028d") == r"a\r\nb\tc\u2028d"
    assert escape_to_one_line(READABLE) == READABLE


# --- pages ---


def test_a_page_shows_them_and_sends_what_it_was_given() -> None:
    html = (
        '<title>a\u202eb</title><h1 title="x\u200b" aria-label="y\xad" id="z\u200b">a\u200db</h1>'
        '<input name="q" value="a\u202eb" placeholder="\u200b"><a href="/a\u202eb/" data-copy="a\u202eb">t</a>'
        '<textarea name="yaml" aria-label="\u200b">\na\u202e <b>\u200b</textarea>\u3164'
    )
    assert escape_invisible_in_html(html) == (
        r'<title>a\u202eb</title><h1 title="x\u200b" aria-label="y\xad" '
        'id="z\u200b">a\\u200db</h1>'
        '<input name="q" value="a\u202eb" placeholder="\\u200b"><a href="/a\u202eb/" data-copy="a\u202eb">t</a>'
        '<textarea name="yaml" aria-label="\u200b">\na\u202e <b>\u200b</textarea>\\u3164'
    )
    assert escape_invisible_in_html(f"<p>{READABLE}</p>") == f"<p>{READABLE}</p>"


def test_every_template_shows_them() -> None:
    template = engines["django"].from_string("<b>{{ name }}</b><textarea>{{ name }}</textarea>{{ safe }}")
    html = template.render({"name": "a\u202e<", "safe": mark_safe("<i>\u200b</i>")})
    assert html == "<b>a\\u202e&lt;</b><textarea>a\u202e&lt;</textarea><i>\\u200b</i>"
    assert hasattr(html, "__html__"), "it is put into other templates without being escaped again"


@pytest.mark.slow
def test_a_long_page_of_them_costs_no_more_than_its_length() -> None:
    html = "<p>\u202e" * 100_000
    assert len(escape_invisible_in_html(html)) == 900_000
    assert escape_invisible_in_html("<textarea" * 20_000 + "\u202e").count("<textarea") == 20_000
