"""Evaluation of CEL: its operators and functions, on values without types. cel_parser.py composes them.

The order of errors follows cel-spec's langdef: a true side of ``||`` absorbs them.
"""

from __future__ import annotations

import ipaddress
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from dashboard.objects.fields.field_access import ABSENT, Value, same
from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.fields.work_budget import WorkBudget
from dashboard.objects.schemas.patterns import fits_pattern, match_work

MAX_TEXT_LENGTH = 10_000
"""Maximum characters of a text that a rule builds."""
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
)


class Unknown(Exception):
    """Something that is not read here decides."""


class Failed(Exception):
    """CEL's error, such as a field that is not there: the API server takes it for a refusal."""


@dataclass(slots=True)
class Scope:
    """The variables of a rule, and the limit of its work."""

    names: dict[str, Value]
    budget: WorkBudget

    def with_name(self, name: str, value: Value) -> Scope:
        return Scope({**self.names, name: value}, self.budget)


@dataclass(frozen=True, slots=True)
class Optional:
    """CEL's optional value; ABSENT is none."""

    value: Value


Evaluate = Callable[[Scope], Value]
"""One part of a rule. Raises Unknown, Failed and BudgetExceeded."""


def constant(value: Value) -> Evaluate:
    """A literal."""
    return lambda _: value


def any_of(parts: list[Evaluate], scope: Scope, *, decisive: bool) -> bool:
    """``||`` (or ``&&``, where false is decisive): a decisive side absorbs errors of the others."""
    problem: Exception | None = None
    for part in parts:
        try:
            if truth(part(scope)) is decisive:
                return decisive
        except (Failed, Unknown) as error:
            problem = error if problem is None or isinstance(error, Unknown) else problem
    if problem is not None:
        raise problem
    return not decisive


def truth(value: Value) -> bool:
    """The value as a condition. Raises Failed."""
    if not isinstance(value, bool):
        raise Failed
    return value


def number(value: Value) -> Any:
    """The value as an operand. Raises Failed."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Failed
    return value


def variable(scope: Scope, name: str) -> Value:
    """The value of a variable. Raises Unknown for those that are not there on creation, such as oldSelf."""
    scope.budget.spend()
    if name not in scope.names:
        raise Unknown
    return scope.names[name]


def field(value: Evaluate, name: str) -> Evaluate:
    """``value.name``."""

    def selected(scope: Scope) -> Value:
        target = value(scope)
        if isinstance(target, Optional):
            return Optional(target.value.get(name, ABSENT) if isinstance(target.value, dict) else ABSENT)
        if not isinstance(target, dict) or name not in target:
            raise Failed
        return target[name]

    return selected


def optional_field(value: Evaluate, name: str) -> Evaluate:
    """``value.?name``."""

    def selected(scope: Scope) -> Value:
        target = value(scope)
        target = target.value if isinstance(target, Optional) else target
        return Optional(target.get(name, ABSENT) if isinstance(target, dict) else ABSENT)

    return selected


def is_there(value: Evaluate, name: str) -> Evaluate:
    """``has(value.name)``: the map must be there, the field need not."""

    def has(scope: Scope) -> bool:
        target = value(scope)
        if not isinstance(target, dict):
            raise Failed
        return name in target

    return has


def related(sign: str, left: Evaluate, right: Evaluate) -> Evaluate:
    """A comparison."""

    def result(scope: Scope) -> bool:
        one, other = left(scope), right(scope)
        if sign in ("==", "!="):
            return same(one, other) is (sign == "==")
        try:
            return _COMPARISONS[sign](one, other)
        except TypeError:
            raise Failed from None

    return result


def contained(left: Evaluate, right: Evaluate) -> Evaluate:
    """``left in right``."""

    def result(scope: Scope) -> bool:
        value, container = left(scope), right(scope)
        if not isinstance(container, dict | list):
            raise Failed
        scope.budget.spend(1 + len(container))
        return any(same(value, each) for each in container)

    return result


def computed(sign: str, left: Evaluate, right: Evaluate) -> Evaluate:
    """Arithmetic, and ``+`` of texts and lists."""

    def result(scope: Scope) -> Value:
        one, other = left(scope), right(scope)
        if sign == "+" and type(one) is type(other) and isinstance(one, str | list):
            if len(one) + len(other) > MAX_TEXT_LENGTH:
                raise Unknown
            return one + other
        one, other = number(one), number(other)
        try:
            if sign == "+":
                return one + other
            if sign == "-":
                return one - other
            if sign == "*":
                return one * other
            if sign == "%":
                return one % other
            return one // other if isinstance(one, int) and isinstance(other, int) else one / other
        except (ZeroDivisionError, OverflowError):
            raise Failed from None

    return result


def item(value: Value, index: Value) -> Value:
    """``value[index]``. Raises Failed."""
    if isinstance(value, dict) and isinstance(index, str) and index in value:
        return value[index]
    if isinstance(value, list) and isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(value):
        return value[index]
    raise Failed


def over_items(name: str, items: Value, variable: str, keep: Evaluate | None, last: Evaluate, scope: Scope) -> Value:
    """A macro over the items of a list, or the keys of a map."""
    if not isinstance(items, dict | list):
        raise Failed
    scope.budget.spend(1 + len(items))
    scopes = [(each, scope.with_name(variable, each)) for each in items]
    if name == "map":
        return [last(each) for _, each in scopes if keep is None or truth(keep(each))]
    if name == "filter":
        return [item for item, each in scopes if truth(last(each))]
    if name == "exists_one":
        return sum(truth(last(each)) for _, each in scopes) == 1
    return any_of([lambda _, each=each: last(each) for _, each in scopes], scope, decisive=name == "exists")  # type: ignore[misc]


_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION = re.compile(r"([-+]?)((?:\d+(?:\.\d*)?(?:h|ms|us|µs|ns|m|s))+)")
_DURATION_PART = re.compile(r"(\d+(?:\.\d*)?)(h|ms|us|µs|ns|m|s)")


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if match is None or len(text) > 100:
        raise Failed
    seconds = sum(float(number) * _UNITS[unit] for number, unit in _DURATION_PART.findall(match[2]))
    return -seconds if match[1] == "-" else seconds


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc) or text.startswith("/")


def _is_parsed(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def is_parsed(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return is_parsed


_OF_A_TEXT: Mapping[str, Callable[[str], Value]] = MappingProxyType({
    "duration": _seconds, "isURL": _is_url, "isIP": _is_parsed(ipaddress.ip_address),
    "isCIDR": _is_parsed(ipaddress.ip_network), "isQuantity": lambda text: parse_quantity(text) is not None,
    "lowerAscii": str.lower, "upperAscii": str.upper, "trim": str.strip,
})  # fmt: skip
_OF_TWO_TEXTS: Mapping[str, Callable[[str, str], bool]] = MappingProxyType(
    {"startsWith": str.startswith, "endsWith": str.endswith, "contains": str.__contains__}
)


def call(name: str, arguments: list[Value], scope: Scope) -> Value:
    """A function or method; the target of a method is its first argument."""
    first, *others = arguments or [None]
    if isinstance(first, Optional):
        return _call_optional(name, first, others)
    if name == "size" and not others and isinstance(first, str | list | dict):
        return len(first)
    if name == "dyn" and not others:
        return first
    if name in ("int", "double", "string") and not others:
        return _converted(name, first)
    if isinstance(first, str):
        return _call_text(name, first, others, scope)
    raise Unknown


def _call_optional(name: str, first: Optional, others: list[Value]) -> Value:
    if name == "hasValue":
        return first.value is not ABSENT
    if name == "orValue" and len(others) == 1:
        return others[0] if first.value is ABSENT else first.value
    raise Unknown


def _call_text(name: str, text: str, others: list[Value], scope: Scope) -> Value:
    if name in _OF_A_TEXT and not others:
        return _OF_A_TEXT[name](text)
    if len(others) != 1 or not isinstance(others[0], str):
        raise Unknown
    if name in _OF_TWO_TEXTS:
        return _OF_TWO_TEXTS[name](text, others[0])
    if name != "matches":
        raise Unknown
    scope.budget.spend(match_work(text, others[0]))
    return fits_pattern(text, others[0])


def _converted(name: str, value: Value) -> Value:
    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > 40:
        raise Unknown
    if name == "string":
        return str(value)
    try:
        return int(value) if name == "int" else float(value)
    except (ValueError, OverflowError):
        raise Failed from None
