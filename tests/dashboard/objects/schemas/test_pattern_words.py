"""Tests of patterns in words: however a pattern is spelled, its words are true, and its example fits it."""

from __future__ import annotations

import re

import pytest

from dashboard.objects.schemas.pattern_words import SUCH_AS, pattern_words
from dashboard.objects.schemas.patterns import fits_pattern

LABEL = "lower-case letters, digits and dashes, such as my-name"

LOWER, ONE, EXAMPLE = "lower-case letters", "a lower-case letter", "such as example"


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", LABEL),
        (r"^([a-z0-9]|[a-z0-9][a-z0-9\-]{0,61}[a-z0-9])$", LABEL),
        (
            r"^[a-z]([-a-z0-9]*[a-z0-9])?$",
            "lower-case letters, digits and dashes, beginning with a letter, such as my-name",
        ),
        (
            r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            "lower-case letters, digits, dashes and dots, such as my-name.example.com",
        ),
        (r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$", "a duration, such as 1h30m"),
        (r"^(0|(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?)$", "a duration, such as 1h30m"),
        (r"^[0-9]+(s|m|h)$", "a duration, such as 30s"),
        (r"^[0-9]+(\.[0-9]+)?(m|k|Ki|Mi|Gi)?$", "a quantity, such as 500m"),
        (r"^((100|[0-9]{1,2})%|[0-9]+)$", "a whole number or a percentage, such as 25%"),
        (r"^https?://.+$", "a web address, such as https://example.com/"),
        (r"^(\d{1,3}\.){3}\d{1,3}$", "an IPv4 address, such as 10.0.0.1"),
        (r"^(Always|Never|IfNotPresent)$", "Always, Never or IfNotPresent"),
        (r"^(?:v1\.2|v1\.3)?$", "v1.2, v1.3 or nothing"),
        (r"^\S+$", "text without spaces"),
        (r"^[A-Z][A-Za-z]*$", "letters, beginning with an upper-case letter, such as Example"),
        (
            r"^[a-z]([a-z_,:]*[a-z])?$",
            f"{LOWER}, underscores, colons and commas, beginning and ending with {ONE}, {EXAMPLE}",
        ),
        (r"^(\d{3}-){2}[A-F]{2}$", "such as 111-111-AA"),
        (r"^(a|b+)$", "such as a"),
        (r"^a|b$", "such as a"),
    ],
)
def test_a_pattern_is_told_in_words(pattern: str, words: str) -> None:
    assert pattern_words(pattern) == words
    example = words.partition(SUCH_AS)[2]
    assert not example or fits_pattern(example, pattern)


@pytest.mark.parametrize("pattern", ["[", "(" * 500, "^" + "(a|b)" * 2000 + "$", "^x\x00$"])
def test_a_pattern_that_cannot_be_read_has_no_words_that_claim_anything(pattern: str) -> None:
    assert pattern_words(pattern) == ""


def test_a_pattern_that_matches_everything_says_so() -> None:
    assert pattern_words(".*") == "any text"


def test_the_example_has_a_length_that_the_schema_allows() -> None:
    assert pattern_words("^[a-z]+$", least=0, most=3) == "lower-case letters, such as a"
    assert re.fullmatch(r"lower-case letters, such as [a-z]{20,}", pattern_words("^[a-z]+$", least=20))


def test_words_of_free_characters_are_not_given_to_a_pattern_with_an_order() -> None:
    assert pattern_words(r"^[a-z]+-[a-z]+$") == "such as my-name"
    assert pattern_words(r"^([a-z]+\.)*[a-z]+$") == "such as example"
