"""Texts and numbers for a sample: by format, by the name of the field, by what patterns and rules have in them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dashboard.objects.fields.field_access import Value
from dashboard.objects.schemas.samples.pattern_text import pattern_texts

NAME = "example"
FORMATS = {
    "bsonobjectid": "507f1f77bcf86cd799439011",
    "byte": "ZXhhbXBsZQ==",
    "cidr": "10.0.0.0/24",
    "creditcard": "4111111111111111",
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "datetime": "2026-01-31T12:00:00Z",
    "duration": "1h",
    "email": "someone@example.com",
    "hexcolor": "#1f6feb",
    "hostname": "example.com",
    "ip": "10.0.0.1",
    "ipv4": "10.0.0.1",
    "ipv6": "2001:db8::1",
    "isbn": "978-0321751041",
    "isbn10": "0321751043",
    "isbn13": "978-0321751041",
    "k8s-long-name": NAME,
    "k8s-short-name": NAME,
    "mac": "00:00:5e:00:53:01",
    "password": "change-me",
    "quantity": "1",
    "rgbcolor": "rgb(31,111,235)",
    "ssn": "111-11-1111",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uuid3": "00000000-0000-3000-8000-000000000000",
    "uuid4": "00000000-0000-4000-8000-000000000000",
    "uuid5": "00000000-0000-5000-8000-000000000000",
}
"""OpenAPI's and apiextensions' formats (k8s.io/kube-openapi/pkg/validation/strfmt), each with a value."""
_BY_NAME = (
    (re.compile(r"(?i)cidr$"), "10.0.0.0/24"),
    (re.compile(r"(?i)(^|_)ip$|[a-z]IP$|address$"), "10.0.0.1"),
    (re.compile(r"(?i)(url|uri|endpoint)$"), "https://example.com/"),
    (re.compile(r"(?i)(host|hostname|domain)$"), "example.com"),
    (re.compile(r"(?i)image$"), "nginx:1.29"),
    (re.compile(r"(?i)(duration|interval|timeout|period)$"), "30s"),
    (re.compile(r"(?i)(storage|memory|size)$"), "1Gi"),
    (re.compile(r"(?i)schedule$"), "0 3 * * *"),
    (re.compile(r"(?i)path$"), "/"),
)
_WORDS = (
    NAME,
    "Example",
    "EXAMPLE",
    "a",
    "A",
    "1",
    "10",
    "0",
    "v1",
    "1Gi",
    "100m",
    "30s",
    "1h",
    "/",
    "/example",
    "a=b",
)
_OF_PARTS = ("a.b", "a/b")
_BY_FUNCTION: Mapping[str, tuple[str, ...]] = {
    "isURL": ("https://example.com/",), "url": ("https://example.com/",), "isIP": ("10.0.0.1", "2001:db8::1"),
    "ip": ("10.0.0.1", "2001:db8::1"), "isCIDR": ("10.0.0.0/24",), "cidr": ("10.0.0.0/24",), "duration": ("30s", "1h"),
    "isQuantity": ("1",), "quantity": ("1", "1Gi"), "timestamp": ("2026-01-31T12:00:00Z",), "isSemver": ("1.0.0",),
    "semver": ("1.0.0",),
}  # fmt: skip
"""Values for a text that a rule gives to a function of CEL."""
_PORT = re.compile(r"(?i)port$")
_MAX_LENGTHENED = 256


def texts(node: Mapping[str, Any], name: str, literals: Iterable[Value], functions: Iterable[str]) -> Iterator[str]:
    """Texts that may fit, the most telling first, each within minLength and maxLength where that is possible.

    `literals` and `functions` are those of the value's rules.
    """
    literal_texts = [each for each in literals if isinstance(each, str)]
    by_format = FORMATS.get(str(node.get("format")))
    words = [by_format] if by_format is not None else []
    words += [word for function in functions for word in _BY_FUNCTION.get(function, ())]
    words += [word for ends, word in _BY_NAME if ends.search(name)]
    words += [*_WORDS, *literal_texts, *_OF_PARTS]
    words += [text for word in literal_texts for text in (f"{word}{NAME}", f"{NAME}{word}", f"{NAME}{word}{NAME}")]
    yield from (_sized(word, node) for word in (*words, *FORMATS.values()))
    for pattern in filter(None, (str(node.get("pattern", "")), *literal_texts)):
        yield from pattern_texts(pattern, int(node.get("minLength", 0)))


def _sized(word: str, node: Mapping[str, Any]) -> str:
    least, most = int(node.get("minLength", 0)), node.get("maxLength")
    if len(word) < least <= _MAX_LENGTHENED:
        word = (word * least)[:least]
    return word[: int(most)] if most is not None and len(word) > most >= 0 else word


def numbers(node: Mapping[str, Any], name: str, literals: Iterable[Value]) -> Iterator[int | float]:
    """Numbers that may fit, the most telling first. `literals` are those of the value's rules."""
    low, high, step = node.get("minimum"), node.get("maximum"), node.get("multipleOf")
    whole = node.get("type") == "integer"
    wanted: list[int | float] = [8080] if _PORT.search(name) else []
    wanted += [1]
    wanted += [each for bound in (low, high) if bound is not None for each in (bound, bound + 1, bound - 1)]
    wanted += [(low + high) / 2] if low is not None and high is not None else []
    wanted += [each for bound in (low, high) if bound is not None for each in (bound + 0.5, bound - 0.5)]
    for literal in literals:
        if isinstance(literal, int | float) and not isinstance(literal, bool):
            wanted += [literal, literal + 1, literal - 1]
    wanted.append(0)
    for each in wanted:
        for multiple in _multiples(each, step) if step else (each,):
            if math.isfinite(multiple):
                yield int(multiple) if whole else multiple


def _multiples(number: float, step: float) -> Iterator[int | float]:
    """The multiple of `step` from `number` on, and the one before it."""
    try:
        count = -(-number // step)
    except (OverflowError, ValueError, ZeroDivisionError):
        return
    if not math.isfinite(count):
        return
    yield count * step
    yield (count - 1) * step
