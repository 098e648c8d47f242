"""Label and field selectors with apimachinery's grammar and error messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from devcluster.server import names_and_labels as names
from devcluster.server.api_errors import Failure, bad_request, go_value
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.store import Record

_TOKEN = re.compile(r"\s*(!=|==|=|!|>|<|\(|\)|,|[^\s!=<>(),]+)")
_OPERATORS = ("in", "notin", "=", "==", "!=", ">", "<")
_SPECIAL = frozenset(("!=", "==", "=", "!", ">", "<", "(", ")", ","))
Operator = Literal["in", "notin", "exists", "missing", "gt", "lt"]


@dataclass(frozen=True)
class Requirement:
    """One condition on one label."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: dict[str, str]) -> bool:
        value = labels.get(self.key)
        if self.operator == "in":
            return value is not None and value in self.values
        if self.operator == "notin":
            return value is None or value not in self.values
        if self.operator in ("exists", "missing"):
            return (value is not None) == (self.operator == "exists")
        return self._compares(value)

    def _compares(self, value: str | None) -> bool:
        try:
            number, bound = int(value or ""), int(next(iter(self.values)))
        except ValueError:
            return False
        return number > bound if self.operator == "gt" else number < bound


class _Parser:
    """A recursive descent over the tokens of one selector."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.position = 0

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def next(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def parse(self) -> tuple[Requirement, ...]:
        requirements: list[Requirement] = []
        while self.peek():
            if self.peek() in _SPECIAL and self.peek() != "!":
                raise bad_request(f"found '{self.peek()}', expected: !, identifier, or 'end of string'")
            requirements.append(self.requirement())
            separator = self.next()
            if not separator:
                break
            if separator != ",":
                raise bad_request(f"found '{separator}', expected: ',' or 'end of string'")
            if self.peek() in ("", ","):
                raise bad_request(f"found '{self.peek()}', expected: identifier after ','")
        return tuple(requirements)

    def requirement(self) -> Requirement:
        negated = self.peek() == "!"
        if negated:
            self.next()
        key = self.next()
        if key in _SPECIAL or not key:
            raise _unparsable(f"found '{key}', expected: identifier")
        if problems := names.qualified_name_problems(key):
            raise _unparsable(f"<nil>: Invalid value: {go_value(key)}: {problems[0]}")
        if negated:
            return Requirement(key, "missing")
        if self.peek() in ("", ","):
            return Requirement(key, "exists")
        return self.operation(key)

    def operation(self, key: str) -> Requirement:
        operator = self.next()
        if operator not in _OPERATORS:
            raise _unparsable(f"found '{operator}', expected: in, notin, =, ==, !=, gt, lt")
        if operator in ("in", "notin"):
            values = self.values()
            return Requirement(key, "in" if operator == "in" else "notin", _checked(key, values))
        value = "" if self.peek() in ("", ",") else self.next()
        if value in _SPECIAL:
            raise _unparsable(f"found '{value}', expected: identifier")
        if operator in (">", "<"):
            if not re.fullmatch(r"[-+]?\d+", value):
                why = "for 'Gt', 'Lt' operators, the value must be an integer"
                raise _unparsable(f"values[0]: Invalid value: {go_value(value)}: {why}")
            return Requirement(key, "gt" if operator == ">" else "lt", frozenset((value,)))
        return Requirement(key, "notin" if operator == "!=" else "in", _checked(key, [value]))

    def values(self) -> list[str]:
        opening = self.next()
        if opening != "(":
            raise _unparsable(f"found '{opening}' expected: '('")
        values: list[str] = []
        while True:
            token = self.peek()
            values.append("" if token in (",", ")") else self.next())
            separator = self.next()
            if separator == ")":
                return values
            if separator != ",":
                raise _unparsable(f"found '{separator}', expected: ',' or ')'")


def _checked(key: str, values: list[str]) -> frozenset[str]:
    for position, value in enumerate(values):
        if problems := names.label_value_problems(value):
            raise _unparsable(f"values[{position}][{key}]: Invalid value: {go_value(value)}: {problems[0]}")
    return frozenset(values)


def _unparsable(why: str) -> Failure:
    return bad_request(f"unable to parse requirement: {why}")


def parse_labels(text: str) -> tuple[Requirement, ...]:
    """The requirements of a labelSelector. Raises Failure (400)."""
    return _Parser(text).parse()


def parse_fields(text: str, known: Iterable[str], unknown: str = "{}") -> tuple[tuple[str, bool, str], ...]:
    """(field, wanted equal, value) of a fieldSelector, whose fields must be `known`. Raises Failure (400).

    `unknown` is the message for others, with ``{}`` for the field.
    """
    requirements: list[tuple[str, bool, str]] = []
    for part in filter(None, re.split(r"(?<!\\),", text)):
        parsed = re.fullmatch(r"((?:[^=!\\]|\\.)*?)(!=|==|=)(.*)", part, re.DOTALL)
        if parsed is None:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        name, operator, value = parsed.groups()
        if name not in known:
            raise bad_request(unknown.format(name))
        requirements.append((name, operator != "!=", re.sub(r"\\([\\,=])", r"\1", value)))
    return tuple(requirements)


@dataclass(frozen=True)
class Selection:
    """Selection of a kind's objects: a namespace, labels and fields, all of which must match."""

    namespace: str = ""
    labels: tuple[Requirement, ...] = ()
    fields: tuple[tuple[str, bool, str], ...] = ()

    @property
    def has_selector(self) -> bool:
        """Whether a label or field selector was given."""
        return bool(self.labels or self.fields)

    def predicate(self) -> Callable[[Record], bool] | None:
        """A test of one record, or None where every record passes."""
        if not (self.namespace or self.labels or self.fields):
            return None
        return self.matches

    def matches(self, record: Record) -> bool:
        if self.namespace and record.key[0] != self.namespace:
            return False
        if not all(requirement.matches(record.labels) for requirement in self.labels):
            return False
        return all((field_of(record, name) == value) is wanted for name, wanted, value in self.fields)


def field_of(record: Record, name: str) -> str:
    """The value of a selectable field."""
    if name == "metadata.name":
        return record.key[1]
    if name == "metadata.namespace":
        return record.key[0]
    return record.fields.get(name, "")


def selector_text(selector: Object) -> str:
    """A LabelSelector as a label selector's text."""
    terms = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    for term in selector.get("matchExpressions") or ():
        values = ",".join(sorted(term.get("values") or ()))
        terms.append(
            {
                "In": f"{term['key']} in ({values})",
                "NotIn": f"{term['key']} notin ({values})",
                "Exists": term["key"],
                "DoesNotExist": f"!{term['key']}",
            }[term["operator"]]
        )
    return ",".join(sorted(terms))
