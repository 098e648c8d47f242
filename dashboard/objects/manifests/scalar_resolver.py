"""Resolver of plain YAML words with kubectl's rules, so that a manifest means the same in both.

kubectl reads YAML 1.1 with Go's number syntax (sigs.k8s.io/yaml, its goyaml.v2, resolve.go): ``yes``, ``on`` and ``y``
are true, ``0644`` is octal, dates and ``12:30:45`` stay text, 1.0 is written as 1.
"""

from __future__ import annotations

import math
import re
from types import MappingProxyType

Scalar = str | int | float | bool | None

_WORDS: MappingProxyType[str, bool | None] = MappingProxyType(
    {"": None, "~": None, "null": None, "Null": None, "NULL": None}
    | dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True)
    | dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False)
)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGERS = (
    (re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (re.compile(r"[-+]?0[bB][01]+"), 2),
    (re.compile(r"[-+]?0[oO]?[0-7]+"), 8),
    (re.compile(r"[-+]?(0|[1-9][0-9]*)"), 10),
)
_NOT_NUMBERS = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_INT64_MIN, _UINT64_MAX = -(2**63), 2**64 - 1
_MOST_DIGITS = 20
"""Decimal digits of 2**64; longer numbers are no integers to kubectl, and Python refuses very long ones."""


class NotJson(ValueError):
    """The word is a number that JSON cannot hold: infinity or not-a-number."""


def resolve(word: str) -> Scalar:
    """The value of a plain (unquoted) word. Raises NotJson for infinity and not-a-number."""
    if word in _WORDS:
        return _WORDS[word]
    if word[0] not in "+-.0123456789":
        return word
    if _NOT_NUMBERS.fullmatch(word):
        raise NotJson(word)
    number = _number(word.replace("_", ""))
    return word if number is None else number


def _number(digits: str) -> int | float | None:
    for pattern, base in _INTEGERS:
        if pattern.fullmatch(digits) and (base != 10 or len(digits) <= 1 + _MOST_DIGITS):
            integer = _integer(digits, base)
            if _INT64_MIN <= integer <= _UINT64_MAX:
                return integer
    if not _FLOAT.fullmatch(digits):
        return None
    number = float(digits)
    if math.isinf(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**63 else number


def _integer(digits: str, base: int) -> int:
    sign = -1 if digits[0] == "-" else 1
    bare = digits.lstrip("+-")
    return sign * int(bare[2:] if bare[1:2] in tuple("xXbBoO") else bare, base)
