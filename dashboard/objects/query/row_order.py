"""Orders of a list: sort keys of its rows, each ending in the row's uid, so that no two are equal.

Ascending order is enough: descending order has keys that compare in reverse. Missing values come last in both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dashboard.objects.kinds.row import Cell, Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.printers.printer import Order
from dashboard.objects.query.path_order import values_key
from dashboard.objects.query.terms import Fields
from dashboard.objects.query.value_order import descending_key, sort_value
from dashboard.objects.usage.usage_field import UsageField

SortKey = Callable[[Row], tuple[Any, ...]]


def by_name(row: Row) -> tuple[str, ...]:
    """Namespace, name and uid."""
    return (row.namespace, row.name, row.uid)


class ByCell:
    """By the cell at `index`, then by name."""

    def __init__(self, index: int, order: Order, is_descending: bool) -> None:
        self._index = index
        self._order = order
        self._downwards = is_descending

    def __call__(self, row: Row) -> tuple[Any, ...]:
        return (*self.head(self.cell(row)), row.namespace, row.name, row.uid)

    def cell(self, row: Row) -> Cell:
        """The value that decides, without the name: equal values have equal heads."""
        return row.cells[self._index] if self._index < len(row.cells) else None

    def head(self, value: Cell) -> tuple[Any, ...]:
        """The beginning of a key of a row with this value."""
        if value is None:
            return (1,)
        key = sort_value(self._order, value)
        return (0, descending_key(key) if self._downwards else key)


def by_usage(usage: UsageField, is_descending: bool, fields: Fields) -> SortKey:
    """By what objects use, then by name."""

    def key_of(row: Row) -> tuple[Any, ...]:
        values = fields(usage, row)
        if not values:
            return (1, row.namespace, row.name, row.uid)
        key = sort_value("number", values[0])
        return (0, descending_key(key) if is_descending else key, row.namespace, row.name, row.uid)

    return key_of


def by_path(path: FieldPath, is_descending: bool, fields: Fields) -> SortKey:
    """By the values at a path, then by name."""

    def key_of(row: Row) -> tuple[Any, ...]:
        values = fields(path, row)
        if not values:
            return (1, row.namespace, row.name, row.uid)
        key = values_key(path, values)
        return (0, descending_key(key) if is_descending else key, row.namespace, row.name, row.uid)

    return key_of
