"""The orders of a list: keys by which its rows compare, each ending in the row's uid, so that no two are the same.

Ascending is enough: the other direction has keys that compare the other way round. Missing values stand last in both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dashboard.live.messages import Cell, Row
from dashboard.resources.path_order import values_key
from dashboard.resources.rows.column import Order
from dashboard.resources.rows.field_path import FieldPath
from dashboard.resources.terms import Fields
from dashboard.resources.values import comparable, descending

Key = Callable[[Row], tuple[Any, ...]]


def by_name(row: Row) -> tuple[str, ...]:
    """Namespace, name and uid."""
    return (row.namespace, row.name, row.uid)


class ByCell:
    """By the cell at `index`, then by name."""

    def __init__(self, index: int, order: Order, downwards: bool) -> None:
        self._index = index
        self._order = order
        self._downwards = downwards

    def __call__(self, row: Row) -> tuple[Any, ...]:
        return (*self.head(self.cell(row)), row.namespace, row.name, row.uid)

    def cell(self, row: Row) -> Cell:
        """What decides, but for names: equal ones have equal heads."""
        return row.cells[self._index] if self._index < len(row.cells) else None

    def head(self, value: Cell) -> tuple[Any, ...]:
        """What the key of a row with this value begins with."""
        if value is None:
            return (1,)
        key = comparable(self._order, value)
        return (0, descending(key) if self._downwards else key)


def by_path(path: FieldPath, downwards: bool, fields: Fields) -> Key:
    """By what a path leads to, then by name."""

    def key_of(row: Row) -> tuple[Any, ...]:
        values = fields(path, row)
        if not values:
            return (1, row.namespace, row.name, row.uid)
        key = values_key(path, values)
        return (0, descending(key) if downwards else key, row.namespace, row.name, row.uid)

    return key_of
