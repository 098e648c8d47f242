"""Quantities ("100m", "1.5Gi") in the canonical form that the server stores.

Source: apimachinery's pkg/api/resource/quantity.go: no fractions, the largest suffix that allows it, and anything finer
than a nano is rounded up.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from types import MappingProxyType

_FORM = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,3}|)")
_KEPT = re.compile(r"[1-9]\d{0,2}([numkMGTP]|[KMGTP]i|)")
"""Matches quantities that are in canonical form already, as most are."""
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = MappingProxyType({-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"})
_POWERS = MappingProxyType({suffix: power for power, suffix in _DECIMAL.items()})
BAD_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def canonical_quantity(text: str) -> str:
    """The quantity in canonical form. Raises ValueError in the words of the Go parser."""
    if _KEPT.fullmatch(text):
        return text
    value, suffix = _parsed(text)
    if suffix.endswith("i"):
        canonical = _binary(abs(value))
    else:
        canonical = _decimal(abs(value), exponent=suffix[0] if len(suffix) > 1 else "")
    return f"-{canonical}" if value < 0 and canonical != "0" else canonical


@lru_cache(maxsize=4096)
def amount(text: str) -> Fraction:
    """The number that a quantity stands for. Raises ValueError."""
    return _parsed(text)[0]


def _parsed(text: str) -> tuple[Fraction, str]:
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(BAD_QUANTITY)
    sign, digits, suffix = match.groups()
    number = Fraction(f"{sign}{digits.rstrip('.')}")
    if suffix.endswith("i"):
        return number * 1024 ** _BINARY.index(suffix), suffix
    if suffix[:1] in ("e", "E") and len(suffix) > 1:
        return number * Fraction(10) ** int(suffix[1:]), suffix
    return number * Fraction(10) ** _POWERS[suffix], suffix


def _binary(value: Fraction) -> str:
    if value < 1024:
        return _decimal(value, exponent="")
    whole, step = ceil(value), 0
    while whole % 1024 == 0 and step < len(_BINARY) - 1:
        whole, step = whole // 1024, step + 1
    return f"{whole}{_BINARY[step]}"


def _decimal(value: Fraction, *, exponent: str) -> str:
    nanos = ceil(value * 10**9)
    if nanos == 0:
        return "0"
    power = -9
    while nanos % 1000 == 0 and (exponent or power < 18):
        nanos, power = nanos // 1000, power + 3
    if exponent:
        return f"{nanos}{exponent}{power}" if power else str(nanos)
    return f"{nanos}{_DECIMAL[power]}"


def from_number(value: float) -> str:
    """A quantity that was written as a bare JSON number."""
    return canonical_quantity(str(floor(value)) if float(value).is_integer() else repr(value))
