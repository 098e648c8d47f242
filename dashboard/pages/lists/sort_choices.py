"""Orders that a list offers in narrow windows, where its table has no headers to follow."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.objects.printers import list_columns
from dashboard.objects.printers.printer import Column, Order
from dashboard.objects.query.list_query import Query, is_path

_WORDS: dict[Order, tuple[str, str]] = {
    "text": ("A to Z", "Z to A"),
    "natural": ("A to Z", "Z to A"),
    "number": ("smallest first", "largest first"),
    "age": ("newest first", "oldest first"),
}
"""Ascending and descending order in words."""


@dataclass(frozen=True, slots=True)
class SortChoice:
    """A line of lists/_sort.html: a column, the order in words that its link leads to, and the current one."""

    header: str
    href: str
    words: str
    current: str
    """Empty where the list is not sorted by it."""


def sort_choices(query: Query) -> tuple[SortChoice, ...]:
    """The columns shown, and those of usage that the kind usually shows."""
    columns = {column.id: column for _, column in query.visible_columns()}
    columns |= {each.id: each for _, each in list_columns(query.key) if each.usage is not None and each.priority < 2}
    return tuple(_choice(query, column) for column in columns.values())


def _choice(query: Query, column: Column) -> SortChoice:
    by, descending = query.sort
    to = query.with_sort(column.id)
    current = _words(column, descending=descending) if by == column.id else ""
    return SortChoice(column.header, to.href(), _words(column, descending=to.sort[1]), current)


def _words(column: Column, *, descending: bool) -> str:
    order: Order = "path" if is_path(column.id) else column.order
    return _WORDS.get(order, ("ascending", "descending"))[descending]
