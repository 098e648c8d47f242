"""Terms of a filter: each matches rows, and can be written as text again."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.kinds.row import Cell, Row
from dashboard.objects.paths.field_path import FieldPath, Value, Values, format_value
from dashboard.objects.paths.reader import read_path
from dashboard.objects.printers.printer import Order
from dashboard.objects.query.path_order import comparable_with, has_amounts, operand_key, value_key
from dashboard.objects.query.value_order import SortValue, sort_value
from dashboard.objects.query.value_parser import parse_duration, parse_fraction
from dashboard.objects.query.wildcard import Pattern
from dashboard.objects.usage.usage_field import UsageField

Op = Literal["=", "<", "<=", ">", ">="]
Fields = Callable[[FieldPath | UsageField, Row], Values]
"""Returns the values at a path in a row's whole object, read from it or cached; or what the object uses, none where
that is not known.
"""


def read_field(field: FieldPath | UsageField, row: Row) -> Values:
    """Values at a path, read from the row's whole object. What the object uses is not in it."""
    return read_path(field, row) if isinstance(field, FieldPath) else ()


VIRTUAL_COLUMNS: dict[str, tuple[int, Order]] = {
    "status": (-1, "text"),
    "reason": (-2, "text"),
    "owner": (-3, "natural"),
    "health": (-4, "text"),
}
"""Values that every row has beside its cells: by name the index of a ColumnTerm, and the order."""

_BARE_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")


@dataclass(frozen=True)
class WordTerm:
    """Part of the name; with a slash in it, of namespace/name."""

    pattern: Pattern
    negative: bool = False

    def matches(self, row: Row, now: float, fields: Fields) -> bool:  # noqa: ARG002
        text = row.key if any("/" in piece for piece in self.pattern.pieces) else row.name
        return self.pattern.is_within(text) != self.negative

    def next_due(self, row: Row, now: float) -> float | None:  # noqa: ARG002
        return None

    def __str__(self) -> str:
        return ("-" if self.negative else "") + self.pattern.written(_BARE_WORD)


@dataclass(frozen=True)
class LabelTerm:
    """``label:app``, ``label:app=web,api``. Keys and values are compared as they are, wildcards apart."""

    label: str
    values: tuple[Pattern, ...] | None
    negative: bool = False

    def matches(self, row: Row, now: float, fields: Fields) -> bool:  # noqa: ARG002
        value = row.labels.get(self.label)
        is_match = value is not None and (self.values is None or any(_same(p, value) for p in self.values))
        return is_match != self.negative

    def next_due(self, row: Row, now: float) -> float | None:  # noqa: ARG002
        return None

    def __str__(self) -> str:
        values = "" if self.values is None else "=" + ",".join(p.written() for p in self.values)
        return f"{'-' if self.negative else ''}label:{self.label}{values}"


@dataclass(frozen=True)
class ColumnTerm:
    """A column's value equals one of several, or is above or below one.

    `index` is the cell's place in a row; -1 means the row's status, -2 its reason, -3 its owner, -4 its health (tone).
    """

    column: str
    index: int
    order: Order
    op: Op
    values: tuple[Pattern, ...]
    negative: bool = False

    def matches(self, row: Row, now: float, fields: Fields) -> bool:  # noqa: ARG002
        return self.accepts(cell_at(row, self.index), now)

    def accepts(self, value: Cell, now: float) -> bool:
        """Whether it matches a row with this value at `now` (Unix seconds)."""
        if self.literals is not None and value and isinstance(value, str):
            return (value.casefold() in self.literals) != self.negative
        if self.op == "=":
            return any(self._equals(pattern, value) for pattern in self.values) != self.negative
        if value is None:
            return self.negative
        return self._compares(value, now) != self.negative

    def next_due(self, row: Row, now: float) -> float | None:
        """The next moment (Unix seconds) at which time alone changes the answer."""
        value = cell_at(row, self.index)
        if self.order != "age" or not isinstance(value, int | float) or not isinstance(self.operand, float):
            return None
        moment = value + self.operand
        return moment if moment > now else None

    @cached_property
    def literals(self) -> frozenset[str] | None:
        """Texts, case-folded, for comparison by equality; None where there are wildcards or an order."""
        if self.op != "=" or not all(pattern.is_literal for pattern in self.values):
            return None
        return frozenset(pattern.text.casefold() for pattern in self.values)

    @cached_property
    def operand(self) -> Any:
        """The operand of `<` and `>`."""
        return parse_operand(self.order, self.values[0].text)

    def _equals(self, pattern: Pattern, value: Cell) -> bool:
        if value is None or value == "":
            return pattern.is_literal and pattern.text == ""
        if isinstance(value, int | float):
            number = parse_quantity(pattern.text) if pattern.is_literal else None
            return number == value if number is not None else pattern.matches(str(value))
        return pattern.matches(value)

    def _compares(self, value: Cell, now: float) -> bool:
        mine: Any
        if self.order == "age":
            mine = now - value if isinstance(value, int | float) else None
        elif self.order == "number":
            mine = value if isinstance(value, int | float) else parse_quantity(str(value))
        elif self.order == "fraction":
            mine = parse_fraction(str(value))
        else:
            mine = sort_value(self.order, value)
        return mine is not None and _compare(self.op, mine, self.operand)

    def __str__(self) -> str:
        return f"{'-' if self.negative else ''}{self.column}{self.op}{','.join(p.written() for p in self.values)}"


@dataclass(frozen=True)
class PathTerm:
    """``.spec.ip=10.0.0.1``: any field of the whole object; without a value: the field is there.

    Where a path leads to several values, one that fits is enough. Below and above compare numbers, quantities,
    durations, addresses and dates, each with its like.
    """

    path: FieldPath
    op: Op
    values: tuple[Pattern, ...] | None
    negative: bool = False

    def matches(self, row: Row, now: float, fields: Fields) -> bool:  # noqa: ARG002
        values = fields(self.path, row)
        if self.values is None:
            return bool(values) != self.negative
        return any(self._fits(value, self.values) for value in values) != self.negative

    def next_due(self, row: Row, now: float) -> float | None:  # noqa: ARG002
        return None

    @cached_property
    def operand(self) -> SortValue | None:
        """The operand of `<` and `>`; None where the text is not valid as one."""
        return operand_key(self.values[0].text, self._amounts) if self.values else None

    @cached_property
    def _amounts(self) -> bool:
        return has_amounts(self.path.text)

    def _fits(self, value: Value, patterns: tuple[Pattern, ...]) -> bool:
        if self.op == "=":
            text = format_value(value)
            return any(pattern.matches(text) for pattern in patterns)
        mine = value_key(value, self._amounts)
        return (
            self.operand is not None
            and comparable_with(mine, self.operand, value)
            and _compare(self.op, mine, self.operand)
        )

    def __str__(self) -> str:
        values = "" if self.values is None else self.op + ",".join(p.written() for p in self.values)
        return f"{'-' if self.negative else ''}{self.path}{values}"


@dataclass(frozen=True)
class UsageTerm:
    """``memory>80%``, ``cpu>500m``: what an object uses is above or below an amount, or a share of what it may use.

    ``cpu=`` is an object whose usage is not known; it is never above or below anything.
    """

    column: str
    usage: UsageField
    op: Op
    text: str
    negative: bool = False

    def matches(self, row: Row, now: float, fields: Fields) -> bool:  # noqa: ARG002
        is_share = self.text.endswith("%") and not self.usage.is_share
        values = fields(self.usage.share if is_share else self.usage, row)
        if not values or self.operand is None:
            return (self.op == "=") != self.negative if not values else self.negative
        return _compare(self.op, values[0], self.operand) != self.negative

    def next_due(self, row: Row, now: float) -> float | None:  # noqa: ARG002
        return None

    @cached_property
    def operand(self) -> float | None:
        """Cores, bytes or a share; None where the text is empty."""
        return usage_operand(self.usage, self.text)

    def __str__(self) -> str:
        return f"{'-' if self.negative else ''}{self.column}{self.op}{self.text}"


def usage_operand(usage: UsageField, text: str) -> float | None:
    """The amount that a text means: a quantity such as 500m or 1Gi, or a share such as 80%. None for other texts."""
    if text.endswith("%") or usage.is_share:
        return parse_fraction(text)
    return parse_quantity(text)


Term = WordTerm | LabelTerm | ColumnTerm | UsageTerm | PathTerm


def cell_at(row: Row, index: int) -> Cell:
    """The value at a ColumnTerm's index."""
    if index >= 0:
        return row.cells[index] if index < len(row.cells) else None
    if index == -1:
        return row.status
    if index == -2:
        return row.reason
    if index == -3:
        return row.owner[1] if row.owner is not None else None
    return row.tone


def parse_operand(order: Order, text: str) -> Any:
    """The operand that a text means in a column of that order; None where it is not valid there."""
    if order == "age":
        return parse_duration(text)
    if order == "number":
        return parse_quantity(text) if parse_quantity(text) is not None else parse_duration(text)
    if order == "fraction":
        return parse_fraction(text)
    return sort_value(order, text)


def _same(pattern: Pattern, value: str) -> bool:
    return pattern.text == value if pattern.is_literal else pattern.matches(value)


def _compare(op: Op, mine: Any, other: Any) -> bool:
    if op == "<":
        return bool(mine < other)
    if op == "<=":
        return bool(mine <= other)
    return bool(mine > other) if op == ">" else bool(mine >= other)
