"""Printers as tables: each column with its source, and one function for the health of the object.

A column is filled by the dotted path of a field of the projection, or by a function where kubectl makes words of
several. The columns are those of the API server's tables, which ``kubectl get -o wide`` prints; tests compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from dashboard.objects.health import Health
from dashboard.objects.kinds.row import Cell
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    STATUS_COLUMN,
    CellKind,
    Column,
    Order,
    PrintedRow,
    Printer,
    cluster_columns,
    created_at,
    namespaced_columns,
    to_unix_seconds,
)
from informerd.objects import Object


class TableColumn(NamedTuple):
    """A column and its source."""

    column: Column
    read: Callable[[Any], Any]
    """Takes an object of the kind's projection."""


def table_column(
    name: str,
    header: str,
    source: str | Callable[[Any], Any],
    kind: CellKind = "text",
    *,
    order: Order | None = None,
    priority: int = 0,
    in_feed: bool = True,
) -> TableColumn:
    """A column called `name`, filled from `source`; with `in_feed` its changes make a feed line."""
    orders: dict[str, Order] = {"number": "number", "duration": "number", "age": "age"}
    words = header.lower() if in_feed and kind != "age" else ""
    column = Column(name, header, kind, priority, order or orders.get(kind, "natural"), words)
    return TableColumn(column, attrgetter(source) if isinstance(source, str) else source)


STATUS_CELL = TableColumn(STATUS_COLUMN, lambda _: None)
"""Stands in the position of the status word."""
AGE_CELL = TableColumn(AGE_COLUMN, created_at)


def always_current(_: Object) -> Health:
    """Health of kinds that have no state: Current is kstatus's word for an object that is not changing."""
    return Health()


def table_printer(
    projection: type[Object],
    *cells: TableColumn,
    health_of: Callable[[Any], Health] = always_current,
    namespaced: bool = True,
) -> Printer:
    """The printer of a kind with these columns after its name. An object that is being deleted is always
    Terminating.
    """
    readers = [None if cell is STATUS_CELL else cell.read for cell in cells]

    def read(obj: Object) -> PrintedRow:
        standing = health_of(obj) if obj.metadata.deletion_timestamp is None else terminating(obj)
        values = tuple([standing.status if reader is None else to_cell(reader(obj)) for reader in readers])
        return PrintedRow(standing.status, standing.tone, values, standing.reason, standing.since)

    columns = (namespaced_columns if namespaced else cluster_columns)(*(cell.column for cell in cells))
    return Printer(columns, projection, read, namespaced)


def terminating(obj: Object) -> Health:
    """Health of an object that is being deleted; finalizers are named, for they hold it."""
    finalizers = ", ".join(obj.metadata.finalizers)
    reason = f"being deleted, held by finalizers: {finalizers}" if finalizers else ""
    return Health("Terminating", "busy", reason, to_unix_seconds(obj.metadata.deletion_timestamp))


def to_cell(value: Any) -> Cell:
    """A field as a cell: empty ones are nothing, several are joined by commas, times are Unix seconds."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ",".join(value) or None
    if isinstance(value, datetime):
        return to_unix_seconds(value)
    return None if value == "" else value


def shorten(items: Iterable[str], limit: int, *, between: str = ",", spaced: bool = True) -> str | None:
    """The first texts, and the number of others, in kubectl's form: ``a,b,c + 2 more...``."""
    texts = list(items)
    more = f"{' ' if spaced else ''}+ {len(texts) - limit} more..." if len(texts) > limit else ""
    return between.join(texts[:limit]) + more or None


def labels_text(labels: Mapping[str, str]) -> str | None:
    """Labels in the order of their names, ``a=1,b=2``."""
    return ",".join(f"{name}={value}" for name, value in sorted(labels.items())) or None


def find_condition(conditions: Iterable[Condition], name: str, status: str = "") -> Condition | None:
    """The condition of that type; with `status`, only if it has that."""
    return next((c for c in conditions if c.type == name and status in ("", c.status)), None)


def condition_text(condition: Condition) -> str:
    """The shortest useful text of a condition."""
    return condition.message or condition.reason or f"{condition.type} is {condition.status}"


def condition_since(condition: Condition | None) -> float | None:
    """Unix seconds of a condition's last transition."""
    return to_unix_seconds(condition.last_transition_time) if condition is not None else None
