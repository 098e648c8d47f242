"""Order of values at paths: numbers, quantities, durations and addresses by value, texts naturally."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.paths.field_path import FieldPath, Value, Values, format_value
from dashboard.objects.query.value_order import SortValue, address_key, natural_key
from dashboard.objects.query.value_parser import parse_duration

_AMOUNTS = re.compile(
    r"cpu|memory|storage|requests|limits|capacity|allocatable|allocated|quota|hard|used|quantity", re.IGNORECASE
)
"""Names in a path below which there are quantities, so that 5m means five thousandths and not five minutes."""
_MINUTES_OR_THOUSANDTHS = re.compile(r"\d+(?:\.\d+)?m")
_ADDRESS = re.compile(r"[0-9a-fA-F]*[.:][0-9a-fA-F.:]*[.:][0-9a-fA-F.:]*(?:/\d+)?")
_PLAIN = re.compile(r"[g-zG-Z/]|[a-fA-F][^:]*\Z")
"""Beginnings of texts that are no number, address or duration: most texts."""
_LONGEST_ADDRESS = 64
"""Characters; an IPv6 address with an IPv4 one in it and a prefix length has 49."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d")

_LARGEST = 1e300
"""Larger numbers count as infinite: they do not fit a float."""

NUMBER, ADDRESS, TEXT = 0, 1, 2
"""First part of a value's key, in the order of the three types."""


def values_key(path: FieldPath, values: Values) -> tuple[SortValue, ...]:
    """A sort key for the values of an object at `path`."""
    amounts = has_amounts(path.text)
    return tuple([value_key(value, amounts) for value in values])


@lru_cache(maxsize=512)
def has_amounts(path: str) -> bool:
    """Whether values at the path are quantities rather than durations, where they could be both."""
    return _AMOUNTS.search(path) is not None


def value_key(value: Value, amounts: bool) -> SortValue:
    """A sort key of one value. Keys of numbers, addresses and texts compare with each other, in this order."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (NUMBER, value if -_LARGEST < value < _LARGEST else math.inf if value > 0 else -math.inf)
    return _text_key(format_value(value), amounts)


def operand_key(text: str, amounts: bool) -> SortValue | None:
    """The key of what < and > compare with: a number, quantity, duration, address or date. None for anything else."""
    key = _text_key(text, amounts)
    return key if key[0] != TEXT or _DATE.match(text) else None


def comparable_with(key: SortValue, operand: SortValue, value: Value) -> bool:
    """Whether < and > apply to a value and an operand: both numbers, both addresses or both dates."""
    return key[0] == operand[0] and (key[0] != TEXT or _DATE.match(format_value(value)) is not None)


@lru_cache(maxsize=8192)
def _text_key(text: str, amounts: bool) -> SortValue:
    if _PLAIN.match(text):
        return (TEXT, natural_key(text))
    number = _number(text, amounts)
    if number is not None:
        return (NUMBER, number)
    if len(text) <= _LONGEST_ADDRESS and _ADDRESS.fullmatch(text) and (address := address_key(text)) is not None:
        return (ADDRESS, *address)
    return (TEXT, natural_key(text))


def _number(text: str, amounts: bool) -> float | None:
    if not amounts and _MINUTES_OR_THOUSANDTHS.fullmatch(text):
        return parse_duration(text)
    quantity = parse_quantity(text)
    return quantity if quantity is not None else parse_duration(text)
