"""Patterns of schemas in words: ``a duration, such as 1h30m`` instead of ``^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$``.

A pattern is recognized by the texts that it matches, however it is spelled. One that is not recognized is told by an
example. Texts are matched by RE2, within limits (see `patterns`).
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from dashboard.objects.schemas.patterns import fits_pattern, pattern_size
from dashboard.objects.schemas.samples.pattern_text import pattern_texts

MAX_SIZE = 600
"""Maximum instructions of a pattern: it is matched 200 times, against texts of 40 characters at most."""
MAX_EXAMPLE_LENGTH = 60
"""Maximum characters of an example."""
MAX_CHOICES = 8
"""Maximum texts that are listed, where a pattern is a choice."""
_CHOICES = re.compile(r"[\w ./:+@%-]{0,40}(\|[\w ./:+@%-]{0,40})*")
_NEEDLESS_ESCAPE = re.compile(r"\\([./:+@%-])")
_OPERATOR = re.compile(r"(?<!\0)[.+]")
_WIDE_CLASS = re.compile(r"\[\^|\\[SWDP]|\.|\[:|[!-/]-")
"""Classes that may have characters that the pattern does not name."""
_RANDOM_TEXTS = 21
SUCH_AS = "such as "
"""How words begin that are nothing but an example."""
_EXAMPLES = ("my-name", "example", "my_name", "Example", "EXAMPLE", "10", "/example")

_LOWER, _UPPER, _DIGITS = map(frozenset, (string.ascii_lowercase, string.ascii_uppercase, string.digits))
_LETTERS, _HEX = _LOWER | _UPPER, frozenset("abcdef")
_PUNCTUATION = string.punctuation + " "
_VISIBLE = _LETTERS | _DIGITS | frozenset(_PUNCTUATION)
_RANGES = tuple(map(frozenset, (_DIGITS - {"0"}, {"0"}, _HEX, _LOWER - _HEX, "ABCDEF", _UPPER - frozenset("ABCDEF"))))
"""Letters and digits that patterns tell apart: where its first and its last one may stand, all of them may."""
_SETS: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("a letter", "letters", _LETTERS), ("a lower-case letter", "lower-case letters", _LOWER),
    ("an upper-case letter", "upper-case letters", _UPPER), ("a digit", "digits", _DIGITS),
    ("a digit from 1 to 9", "digits from 1 to 9", _DIGITS - {"0"}),
    ("a letter from a to f", "letters from a to f", _HEX),
    ("a letter from A to F", "letters from A to F", frozenset("ABCDEF")),
)  # fmt: skip
_NAMES = {
    "-": ("a dash", "dashes"), "_": ("an underscore", "underscores"), ".": ("a dot", "dots"),
    "/": ("a slash", "slashes"), ":": ("a colon", "colons"), ",": ("a comma", "commas"), " ": ("a space", "spaces"),
    "+": ("a plus sign", "plus signs"), "=": ("an equals sign", "equals signs"), "@": ("an at sign", "at signs"),
    "%": ("a percent sign", "percent signs"), "*": ("an asterisk", "asterisks"), "~": ("a tilde", "tildes"),
}  # fmt: skip
"""Characters in words; others are written as they are."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A form of text: a pattern that matches all of `fits` and none of `fails` is this one. An example follows the
    words: the first of `fits`.
    """

    words: str
    fits: tuple[str, ...]
    fails: tuple[str, ...]


def _known(words: str, fits: str, fails: str) -> _Known:
    """`fits` and `fails` are separated by spaces, ``␣`` stands for one, ``∅`` for the empty text."""
    return _Known(words, *(tuple(map(_probe, texts.split())) for texts in (fits, fails)))


def _probe(text: str) -> str:
    return "" if text == "∅" else text.replace("␣", " ")


_FORMS = (
    _known("a quantity", "500m 2Gi 1.5 1", "∅ x 5␣Gi 1h Gi"),
    _known("a duration", "1h30m 30s", "30 h 1x s30 abc 1␣h"),
    _known("a duration", "30s 5m", "30 1h30m m 1x s30 abc"),
    _known("a duration in the form of ISO 8601", "PT1H P1D", "1h P1H1 abc"),
    _known("a whole number or a percentage", "25% 3", "∅ % x 3x 25%% -"),
    _known("a percentage", "25%", "∅ % x 25 25%% x%"),
    _known("a whole number", "10 1", "∅ a 1.5 1a a1 1␣0 1-0"),
    _known("a number", "1.5 10", "∅ a 1.5.5 1a 1␣0 1-0"),
    _known("an IPv4 address", "10.0.0.1 192.168.10.255", "10 10.0.0 a.b.c.d 10.0.0.0/24 10.0.0.1.1"),
    _known("a network", "10.0.0.0/24", "10 10.0.0.0 a/24 10.0.0.0/ /24 10.0.0.0/x"),
    _known("a UUID", "123e4567-e89b-12d3-a456-426614174000", "123e4567 zzze4567-e89b-12d3-a456-426614174000 a"),
    _known("a date", "2026-11-21", "2026 20261121 2026-11 abcd-ef-gh 2026-11-21T20:30:00Z"),
    _known("a date and time", "2026-11-21T20:30:00Z", "2026 2026-11-21 20:30:00 a"),
    _known("a time of day", "23:59 00:00", "2359 ab:cd 23: :59 23:59:"),
    _known("a version", "v1.2.3", "1 v 1.2.3 a.b.c va.b.c 1.2.3.4.5"),
    _known("a version", "1.2.3", "1 v a.b.c 1.2.3.4.5 1..2"),
    _known("a digest", f"sha256:{'0123456789abcdef' * 4}", "sha256: sha256:xyz x"),
    _known("base64", "ZXhhbXBsZQ== YWJj", "abc a %abc =abc a␣bc"),
    _known("an e-mail address", "someone@example.com", "someone @ someone@ @example.com"),
    _known("a web address", "https://example.com/", "example.com ftp://example.com / a s3://example"),
    _known("an address", "https://example.com/ s3://example", "example.com / a :// ://a"),
    _known("a host and a port", "example.com:8080", "example.com : :8080 example.com: example.com:x"),
    _known("an ARN", "arn:aws:iam::123456789012:role/example", "arn a 123456789012"),
    _known("a schedule", "0␣3␣*␣*␣* */5␣*␣*␣*␣*", "0 0␣3 abc a␣b␣c␣d␣e"),
    _known("a file mode", "0644", "0888 0999 rw a 0644x"),
    _known("a path that begins with a slash", "/data /data/example", "data a/b"),
    _known(
        "lower-case letters, digits and dashes, beginning with a letter",
        "my-name a a1 a-b-c", "A 1a -a a- a.b a_b a␣b a/b",
    ),
    _known("lower-case letters, digits and dashes", "my-name a a1 1a a-b-c", "A -a a- a.b a_b a␣b a/b"),
    _known("a host name, or all below one", "web.example.com *.example.com", "A_b -a *a a..b a␣b a/b *."),
    _known(
        "lower-case letters, digits, dashes and dots",
        "my-name.example.com a a.b a1.b-c", "A -a a- .a a. a..b a_b a␣b a/b *.a",
    ),
    _known("a label's key", "app.kubernetes.io/name app a_B.c-1", "/a a/ a/b/c -a a- a␣b"),
    _known("letters, digits, dashes, underscores and dots, or nothing", "my-name a_B.c-1 A 1 ∅", "-a a- a␣b a/b a:b"),
    _known("letters, digits, dashes, underscores and dots", "my-name a_B.c-1 A 1", "-a a- .a _a a␣b a/b a:b"),
)  # fmt: skip
"""Forms of text that definitions ask for, the narrower ones first."""


@lru_cache(maxsize=1024)
def pattern_words(pattern: str, least: int = 0, most: int | None = None) -> str:
    """What texts the pattern matches, for example ``a duration, such as 1h30m``; ``such as 111-AA`` where only an
    example is known. Empty where nothing is.

    `least` and `most` are the lengths that the schema allows; the example has one of them.
    """
    size = pattern_size(pattern)
    if size is None or size > MAX_SIZE or not pattern.isprintable():
        return ""
    if choices := _choices(pattern):
        return choices
    known = next((form for form in _FORMS if _is(pattern, form)), None)
    words = known.words if known is not None else _characters(pattern)
    if words in _PLAIN:
        return words
    examples = chain(known.fits if known is not None else (), _EXAMPLES, pattern_texts(pattern, max(least, 1)))
    example = next((text for text in examples if text and _is_example(text, pattern, least, most)), "")
    return ", ".join([*([words] if words else []), *([f"{SUCH_AS}{example}"] if example else [])])


def _choices(pattern: str) -> str:
    """``Always, Never or OnFailure``, where the pattern lists all texts."""
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return ""
    inner = pattern[1:-1]
    may_be_empty = inner.startswith("(") and inner.endswith(")?")
    inner = inner.removesuffix("?") if may_be_empty else inner
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1].removeprefix("?:")
    elif "|" in inner:
        return ""  # ^a|b$: begins with a, or ends with b
    inner = _NEEDLESS_ESCAPE.sub("\0\\1", inner)
    if not _CHOICES.fullmatch(inner.replace("\0", "")) or _OPERATOR.search(inner):
        return ""
    texts = inner.replace("\0", "").split("|")
    named = [text for text in texts if text]
    if not named or len(named) > MAX_CHOICES or any(text != text.strip() for text in named):
        return ""
    return _joined([*named, *(["nothing"] if may_be_empty or "" in texts else [])], "or")


def _is(pattern: str, form: _Known) -> bool:
    return all(fits_pattern(text, pattern) for text in form.fits) and not any(
        fits_pattern(text, pattern) for text in form.fails
    )


def _is_example(text: str, pattern: str, least: int, most: int | None) -> bool:
    limit = MAX_EXAMPLE_LENGTH if most is None else min(most, MAX_EXAMPLE_LENGTH)
    is_printable = text.isprintable() and text == text.strip()
    return least <= len(text) <= limit and is_printable and fits_pattern(text, pattern)


# --- patterns of free characters: each of a set, in any order ---

_ANYTHING, _NO_SPACES = "any text, but not empty", "text without spaces"
_PLAIN = frozenset((_ANYTHING, _NO_SPACES, "any text", "digits"))
"""Words that need no example."""


def _characters(pattern: str) -> str:
    """``letters, digits and dashes``, where the pattern asks for nothing but certain characters; else empty."""
    begun = next((text for text in pattern_texts(pattern, 3) if len(text) >= 2 and fits_pattern(text, pattern)), "")
    if not begun or len(begun) > MAX_EXAMPLE_LENGTH:
        return ""
    inside = _matching(pattern, begun[:1], begun[1:])
    first, last = (inside and _matching(pattern, *around) for around in (("", begun), (begun, "")))
    if not (first and last and first | last <= inside and _are_free(pattern, first, inside, last)):
        return ""
    words = _set_words(inside, 1)
    if words == _ANYTHING and fits_pattern("", pattern):
        return "any text"
    ends = _ends_words(first, inside, last)
    return "" if ends is None or not words else f"{words}{ends}"


def _matching(pattern: str, before: str, behind: str) -> frozenset[str]:
    """The characters that may stand between two texts."""
    is_wide = _WIDE_CLASS.search(pattern) is not None
    found = {
        each
        for each in _PUNCTUATION
        if (is_wide or each in pattern or (each == "_" and "\\w" in pattern) or (each == " " and "\\s" in pattern))
        and fits_pattern(f"{before}{each}{behind}", pattern)
    }
    for members in _RANGES:
        low, high = min(members), max(members)
        if all(fits_pattern(f"{before}{each}{behind}", pattern) for each in {low, high}):
            found |= members
    return frozenset(found)


def _are_free(pattern: str, first: frozenset[str], inside: frozenset[str], last: frozenset[str]) -> bool:
    """Whether texts of these characters match, in any order, up to eight of them."""
    chance = random.Random(pattern)  # noqa: S311 - the same for the same pattern; nothing secret
    begins, middles, ends = map(_few_of, (first, inside, last))
    for number in range(_RANDOM_TEXTS):
        middle = "".join(chance.choice(middles) for _ in range(number % 7))
        if not fits_pattern(f"{chance.choice(begins)}{middle}{chance.choice(ends)}", pattern):
            return False
    return True


def _few_of(characters: frozenset[str]) -> list[str]:
    """All that are no letters and digits, and one of each of those that patterns tell apart."""
    ones = [max(members) for members in _RANGES if members <= characters]
    return ones + sorted(each for each in characters if not each.isalnum())


def _set_words(characters: frozenset[str], form: int) -> str:
    """The set in words, as one (`form` 0) or several (1); empty where they would be too many."""
    if characters == _VISIBLE:
        return _ANYTHING
    if characters == _VISIBLE - {" "}:
        return _NO_SPACES
    rest = set(characters)
    parts: list[str] = []
    for *words, members in _SETS:
        if members <= rest:
            parts.append(str(words[form]))
            rest -= members
    if any(each.isalnum() for each in rest) or len(rest) > MAX_CHOICES:
        return ""
    parts += [_NAMES[each][form] for each in _NAMES if each in rest]
    parts += sorted(rest - _NAMES.keys())
    return _joined(parts, "and" if form else "or")


def _ends_words(first: frozenset[str], inside: frozenset[str], last: frozenset[str]) -> str | None:
    """How the text begins and ends, where it may not with each of the characters; None where that has no words."""
    begins = "" if first == inside else _set_words(first, 0)
    ends = "" if last == inside else _set_words(last, 0)
    if (first != inside and not begins) or (last != inside and not ends):
        return None
    if begins and begins == ends:
        return f", beginning and ending with {begins}"
    words = [f"beginning with {begins}" if begins else "", f"ending with {ends}" if ends else ""]
    text = " and ".join(filter(None, words))
    return f", {text}" if text else ""


def _joined(parts: Iterable[str], word: str) -> str:
    *before, last = parts
    return f"{', '.join(before)} {word} {last}" if before else last
