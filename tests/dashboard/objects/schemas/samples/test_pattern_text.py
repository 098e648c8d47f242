"""Tests of the texts made for a pattern: RE2 matches them."""

from __future__ import annotations

import pytest

from dashboard.objects.schemas.patterns import fits_pattern
from dashboard.objects.schemas.samples.pattern_text import MAX_PATTERN_LENGTH, MAX_TEXT_LENGTH, pattern_texts

READABLE = [
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
    r"^(?:GET|POST)$",
    r"^(?i)abc$",
    r"^(?P<year>\d{4})-(?<month>\d{2})$",
    r"^[[:alpha:]_][[:alnum:]_]*$",
    r"^[[:upper:][:digit:]]{3,5}$",
    r"^[^a-zA-Z0-9]+$",
    r"^[]a]+$",
    r"^[\d\-x]{2}$",
    r"^[\W]{2}\D\S$",
    r"^\t\n$",
    r"^[\t]$",
    r"^a\.b\/c\\d$",
    r"^.{3}$",
    r"^x*y+z?$",
    r"^x{2,}$",
    r"^x*?y+?$",
    r"\bword\b",
    r"^(a|b|c)(d|e)$",
    r"",
]
UNREADABLE = [
    r"[a",
    r"(a",
    r"a)",
    r"*a",
    r"\pL",
    r"[[:nothing:]]",
    r"[[:alpha",
    r"[\q]",
    r"a{x}",
    r"a{1",
    r"(?#x)",
    r"[^\s\S]",
    "\\",
]


@pytest.mark.parametrize("pattern", READABLE)
def test_a_text_is_made_that_re2_matches(pattern: str) -> None:
    assert any(fits_pattern(text, pattern) for text in pattern_texts(pattern))


def test_each_branch_is_taken_and_repetitions_are_taken_more_often() -> None:
    texts = set(pattern_texts(r"^(a|b|c)x*$", 4))
    assert {"a", "ax", "b", "c", "axxxx", "bxxxx"} <= texts


@pytest.mark.parametrize("pattern", [*UNREADABLE, "a" * (MAX_PATTERN_LENGTH + 1), "(" * 1_500 + ")" * 1_500])
def test_what_cannot_be_read_has_no_text(pattern: str) -> None:
    assert list(pattern_texts(pattern)) == []


def test_no_text_is_longer_than_the_limit() -> None:
    assert all(len(text) <= MAX_TEXT_LENGTH for text in pattern_texts(r"^(a{1,200}){1,200}$", 10_000))
