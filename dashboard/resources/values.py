"""Values as filters and sorts see them: durations, quantities, addresses, fractions, names with numbers in them."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from functools import lru_cache
from typing import Any

from dashboard.live.messages import Cell
from dashboard.resources.rows.column import Order

_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[ywdhms]))+")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[ywdhms])")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "y": 31536000.0}
_QUANTITY = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?)(n|u|m|k|[KMGTPE]i?)?", re.IGNORECASE)
_SUFFIXES = {
    "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60,
}  # fmt: skip
_DIGITS = re.compile(r"(\d+)")

SortValue = tuple[object, ...]


def parse_duration(text: str) -> float | None:
    """Seconds of ``90s``, ``1h30m``, ``2d``; None where it is no duration. A bare 0 is one, other numbers are not."""
    lowered = text.strip().lower()
    if lowered == "0":
        return 0.0
    if not _DURATION.fullmatch(lowered):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION_PART.findall(lowered))


def parse_quantity(text: str) -> float | None:
    """The number that ``3``, ``500m``, ``1.5Gi`` or ``1e3`` stands for (Kubernetes' quantities); None otherwise."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None or (match[2] or "") not in _SUFFIXES:
        return None
    return float(match[1]) * _SUFFIXES[match[2] or ""]


def parse_fraction(text: str) -> float | None:
    """The ratio of ``1/2``, ``50%`` or ``0.5``; 0/0 counts as whole. None where it is none of these."""
    top, slash, bottom = text.strip().partition("/")
    if slash:
        above, below = parse_quantity(top), parse_quantity(bottom.partition(" ")[0])
        if above is None or below is None:
            return None
        return above / below if below else 1.0
    if top.endswith("%"):
        percent = parse_quantity(top[:-1])
        return None if percent is None else percent / 100
    return parse_quantity(top)


def comparable(order: Order, value: Cell) -> SortValue:
    """A key by which the values of a column compare; keys of one order always compare with each other.

    For ages smaller means younger, so the key of a moment (Unix seconds) is its negative.
    """
    if order == "age" and isinstance(value, int | float):
        return (0, -value)
    if isinstance(value, int | float):
        return (0, value)
    text = "" if value is None else value
    if order == "natural":
        return (1, natural(text))
    if order == "ip":
        return (1, *_address(text))
    if order == "fraction":
        ratio = parse_fraction(text)
        return (2, text) if ratio is None else (1, ratio, _total(text))
    return (1, text)


@lru_cache(maxsize=65536)
def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that puts node-10 behind node-9.

    Numbers are compared as texts, the longer the greater: names in events may hold more digits than int() takes.
    """
    return tuple(_number(part) if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(text) if part)


def _number(digits: str) -> tuple[int, int, str]:
    if not digits.isascii():  # as 0 to 9, so that ٣ is 3 still
        digits = "".join(str(unicodedata.decimal(digit)) for digit in digits)
    significant = digits.lstrip("0")
    return (0, len(significant), significant)


@lru_cache(maxsize=65536)
def _address(text: str) -> tuple[int, int, str]:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return (9, 0, text)
    return (address.version, int(address), "")


def _total(text: str) -> float:
    return parse_quantity(text.partition("/")[2].partition(" ")[0]) or 0.0


class _Opposites(dict[int, str]):
    """By a character's code the character as far from the other end of Unicode."""

    def __missing__(self, code: int) -> str:
        found = self[code] = chr(max(0, _LAST - 1 - code))
        return found


_LAST = 0x10FFFF
_OPPOSITES = _Opposites()


@lru_cache(maxsize=65536)
def descending(key: SortValue) -> SortValue:
    """A key that sorts the other way round among others made by this function.

    It has numbers, texts and tuples only, so that comparing two calls no Python: that halves the time of sorting.
    """
    found = tuple([_opposite(part) for part in key])
    several = not key or isinstance(key[0], tuple)  # as many as there are: what has more of them comes first
    return (*found, (1,)) if several else found


def _opposite(part: Any) -> object:
    if isinstance(part, str):
        return part.translate(_OPPOSITES) + chr(_LAST)  # the longer first
    return descending(part) if isinstance(part, tuple) else -part
