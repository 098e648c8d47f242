"""Label requirement: one condition on labels, with the rules for label keys and values.

The rules are apimachinery's: labels.NewRequirement and api/validate/content (a key is an optional DNS subdomain of up
to 253 characters, a slash, and a name of up to 63; a value has up to 63 characters and may be empty).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from informerd.errors import MalformedSelector

Operator = Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
"""apimachinery's names. In with one value is equality, NotIn also holds where the label is missing."""

LONGEST = 63
"""Characters of a key's name and of a value."""

LONGEST_PREFIX = 253

_NAME = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9_.-]*)?[A-Za-z0-9]")
_SUBDOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_LETTERS = "letters, digits, '-', '_' and '.', with a letter or digit at both ends"


def label_key_problem(key: str) -> str:
    """The reason why `key` is not a label key, or ""."""
    prefix, slash, name = key.rpartition("/")
    if slash and not prefix:
        return f"the label key {key!r} has an empty prefix"
    if len(prefix) > LONGEST_PREFIX:
        return f"the prefix of a label key has at most {LONGEST_PREFIX} characters"
    if slash and not _SUBDOMAIN.fullmatch(prefix):
        return f"the prefix of the label key {key!r} is not a DNS subdomain"
    if len(name) > LONGEST:
        return f"the name in a label key has at most {LONGEST} characters"
    if not _NAME.fullmatch(name):
        return f"the label key {key!r} must have a name of {_LETTERS}"
    return ""


def label_value_problem(value: str) -> str:
    """The reason why `value` is not a label value, or ""."""
    if len(value) > LONGEST:
        return f"a label value has at most {LONGEST} characters"
    if value and not _NAME.fullmatch(value):
        return f"the label value {value!r} must be empty or consist of {_LETTERS}"
    return ""


class Requirement(msgspec.Struct, frozen=True):
    """One condition on one label. Raises MalformedSelector where it makes no sense."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        problem = label_key_problem(self.key) or values_problem(self.operator, self.values)
        if problem:
            raise MalformedSelector(self.key, problem)

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels meets the requirement."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        return self._compares(value)

    def _compares(self, value: str | None) -> bool:
        number, (bound,) = _integer(value or ""), map(_integer, self.values)
        if number is None or bound is None:
            return False
        return number > bound if self.operator == "Gt" else number < bound

    def __str__(self) -> str:
        """The requirement as in a selector; equal requirements have equal text."""
        match self.operator, sorted(self.values):
            case "Exists", _:
                return self.key
            case "DoesNotExist", _:
                return f"!{self.key}"
            case operator, [value]:
                return f"{self.key}{_SIGNS[operator]}{value}"
            case operator, values:
                return f"{self.key} {operator.lower()} ({','.join(values)})"


_SIGNS = {"In": "=", "NotIn": "!=", "Gt": ">", "Lt": "<"}


def values_problem(operator: str, values: frozenset[str]) -> str:
    """The reason why `operator` cannot have these values, or ""."""
    if operator in ("In", "NotIn") and not values:
        return f"{operator} needs at least one value"
    if operator in ("Exists", "DoesNotExist") and values:
        return f"{operator} takes no values"
    if operator in ("Gt", "Lt") and (len(values) != 1 or _integer(next(iter(values))) is None):
        return f"{operator} needs one integer of at most 64 bits"
    return next(filter(None, map(label_value_problem, sorted(values))), "")


def _integer(text: str) -> int | None:
    """The number, as Go's ParseInt reads it into 64 bits, or None."""
    if not _INTEGER.fullmatch(text) or len(text) > LONGEST:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None
