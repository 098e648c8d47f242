"""Sort keys of values: natural order of texts, addresses, and any key reversed."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from functools import lru_cache
from typing import Any

from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.kinds.row import Cell
from dashboard.objects.printers.printer import Order
from dashboard.objects.query.value_parser import parse_fraction

_IPV4 = re.compile(r"(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})")
_DIGITS = re.compile(r"\d+")
_CONTROLS = re.compile(r"[\0-\2]")
"""Characters with a special meaning for `natural_key`."""
MAX_SORTED_LENGTH = 1_000
"""Characters of a text that count in an order: keys of longer ones would take time and memory."""
_LONG = 1000
"""Number of digits from which on the length is written in another form."""

SortValue = tuple[object, ...]


def sort_value(order: Order, value: Cell) -> SortValue:
    """A key by which the values of a column compare; keys of one order always compare with each other.

    For ages smaller means younger, so the key of a moment (Unix seconds) is its negative.
    """
    if order == "age" and isinstance(value, int | float):
        return (0, -value)
    if isinstance(value, int | float):
        return (0, value)
    text = "" if value is None else value[:MAX_SORTED_LENGTH]
    if order == "natural":
        return (1, natural_key(text))
    if order == "ip":
        return (1, _address(text))
    if order == "number" and (amount := parse_quantity(text)) is not None:
        return (0, amount)
    if order == "fraction":
        ratio = parse_fraction(text)
        return (2, text) if ratio is None else (1, ratio, _total(text))
    return (1, text)


@lru_cache(maxsize=8192)
def natural_key(text: str) -> str:
    """A text in natural sort order: node-10 after node-9, and numbers before letters.

    Each run of digits becomes its length and what it has behind leading zeros, behind a mark that is below all letters:
    compared as texts, since names in events may hold more digits than int() takes.
    """
    if not text.isprintable():
        text = _CONTROLS.sub(lambda found: "\2" + found[0], text)
    return _DIGITS.sub(_number, text)


def _number(match: re.Match[str]) -> str:
    digits = match[0]
    if not digits.isascii():  # as 0 to 9, so that ٣ is 3 still
        digits = "".join(str(unicodedata.decimal(digit)) for digit in digits)
    significant = digits.lstrip("0")
    length = len(significant)
    return f"\1{chr(length)}{significant}" if length < _LONG else f"\1{chr(_LONG)}{length:020}{significant}"


def address_key(text: str) -> tuple[int, int, int] | None:
    """A key of an address, with or without a prefix length after a slash; None for other texts."""
    if (match := _IPV4.fullmatch(text)) is not None:  # ipaddress takes ten times as long
        parts = [int(part) for part in match.groups()]
        return (4, int.from_bytes(parts), 32) if max(parts) < 256 else None
    try:
        interface = ipaddress.ip_interface(text)
    except ValueError:
        return None
    return (interface.version, int(interface.ip), interface.network.prefixlen)


@lru_cache(maxsize=8192)
def _address(text: str) -> str:
    """A text in the order of addresses: version 4, then 6, then other texts."""
    if (match := _IPV4.fullmatch(text)) is not None:
        one, two, three, four = map(int, match.groups())
        if max(one, two, three, four) < 256:
            return f"4{one:02x}{two:02x}{three:02x}{four:02x}"
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return f"9{text}"
    return f"{address.version}{int(address):032x}"


def _total(text: str) -> float:
    return parse_quantity(text.partition("/")[2].partition(" ")[0]) or 0.0


class _Opposites(dict[int, str]):
    """For a character's code the character at the same distance from the other end of Unicode."""

    def __missing__(self, code: int) -> str:
        opposite = self[code] = chr(max(0, _LAST - 1 - code))
        return opposite


_LAST = 0x10FFFF
_OPPOSITES = _Opposites()


def descending_key(key: SortValue) -> SortValue:
    """A key in reverse order among others made by this function.

    It has numbers, texts and tuples only, so that comparing two calls no Python: that halves the time of sorting.
    """
    if len(key) == 2 and isinstance(first := key[0], int):  # ages and names: they would push all else out of the cache
        second = key[1]
        if isinstance(second, str):
            return (-first, _opposite(second))
        if isinstance(second, int | float):
            return (-first, -second)
    return _turned(key)


@lru_cache(maxsize=8192)
def _turned(key: SortValue) -> SortValue:
    parts = tuple([_opposite(part) for part in key])
    several = not key or isinstance(key[0], tuple)  # as many as there are: what has more of them comes first
    return (*parts, (1,)) if several else parts


def _opposite(part: Any) -> object:
    if isinstance(part, str):
        return part.translate(_OPPOSITES) + chr(_LAST)  # the longer first
    return descending_key(part) if isinstance(part, tuple) else -part
