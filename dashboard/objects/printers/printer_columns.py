"""Printer of a custom resource by the printer columns of its definition, with Deltaboard's own Health beside them.

The rules are those of the API server's table convertor for custom resources: the first value at the path, nothing where
there is none or where the type does not fit.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from dashboard.objects.health import NO_RULES, KindRules
from dashboard.objects.kinds.row import Cell, PrinterColumn, TableDefinition
from dashboard.objects.paths.json_path import InvalidJsonPath, JsonPath
from dashboard.objects.printers.default_printers import Custom, document_of, health_of, to_cell
from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    HEALTH_COLUMN,
    CellKind,
    Column,
    Order,
    PrintedRow,
    Printer,
    cluster_columns,
    created_at,
    namespaced_columns,
    plain_field,
    to_unix_seconds,
)

logger = logging.getLogger(__name__)

MAX_COLUMNS = 40
"""Maximum number of printed columns that are shown."""
CREATED_PATH = ".metadata.creationTimestamp"
_TAKEN = frozenset({"namespace", "name", "status", "age", "ns", "label", "reason", "owner", "tone"})
_KINDS: dict[str, tuple[CellKind, Order]] = {
    "integer": ("number", "number"),
    "number": ("number", "number"),
    "date": ("age", "age"),
    "boolean": ("text", "text"),
    "string": ("text", "natural"),
}


@dataclass(frozen=True, slots=True)
class _Cells:
    """A column and its cells."""

    column: Column
    path: JsonPath | None
    """None for health and age, which every object has."""
    type: str = ""

    def read(self, document: dict[str, Any]) -> Cell:
        return _typed(self.type, self.path.first(document)) if self.path is not None else None


def printer_from_columns(described: TableDefinition, rules: KindRules = NO_RULES) -> Printer:
    """The printer of a kind with these columns and rules for its health.

    A column whose path cannot be read is left out. Cells are the API server's; Health is a column of its own.
    """
    cells = _all_cells(described.printer_columns, {"Namespace", "Name"} if described.namespaced else {"Name"})
    make = namespaced_columns if described.namespaced else cluster_columns
    return Printer(
        make(*(each.column for each in cells)), Custom, _reader(cells, rules), namespaced=described.namespaced
    )


def _all_cells(printed: tuple[PrinterColumn, ...], headers: set[str]) -> list[_Cells]:
    """Health after the printed columns, before the age where the definition has no place for it."""
    cells: list[_Cells] = []
    ids: set[str] = set()
    headers |= {HEALTH_COLUMN.header}
    for each in printed[:MAX_COLUMNS]:
        computed = _cells(each, ids, headers)
        if computed is not None and computed.column.id not in ids:
            cells.append(computed)
            ids.add(computed.column.id)
            headers.add(computed.column.header)
    cells.append(_Cells(HEALTH_COLUMN, None))
    if AGE_COLUMN.id not in ids:
        cells.append(_Cells(AGE_COLUMN, None))
    return cells


def _cells(printed: PrinterColumn, ids: set[str], headers: Set[str]) -> _Cells | None:
    path = printed.path.strip()
    if path == CREATED_PATH and printed.column_type == "date":
        return _Cells(AGE_COLUMN, None)
    try:
        read = JsonPath(path)
    except InvalidJsonPath as error:
        logger.warning("the printer column %r is left out: %s", printed.name, error)
        return None
    kind, order = _KINDS.get(printed.column_type, _KINDS["string"])
    title = " ".join(printed.name.split())[:60] or path
    words = title.lower() if kind != "age" else ""
    column = Column(
        _free(_slug(title), ids),
        _free_header(title, path, headers),
        kind,
        priority=1 if printed.priority > 0 else 0,
        order=order,
        words=words,
        field=path if plain_field(path) and kind != "age" else "",
    )
    return _Cells(column, read, printed.column_type)


def _free_header(title: str, path: str, headers: Set[str]) -> str:
    """The title, with the path of its field where another column has the title, and a number where both are there."""
    taken = {header.casefold() for header in (*headers, AGE_COLUMN.header)}
    wanted = title if title.casefold() not in taken else f"{title} ({path})"
    free, number = wanted, 1
    while free.casefold() in taken:
        number += 1
        free = f"{wanted} {number}"
    return free


def _slug(header: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", header.lower()).strip("-") or "column"


def _free(slug: str, ids: set[str]) -> str:
    """An id that no other column has, and that has no other meaning in a filter."""
    wanted = f"printed-{slug}" if slug in _TAKEN else slug
    free, number = wanted, 1
    while free in ids:
        number += 1
        free = f"{wanted}-{number}"
    return free


def _reader(cells: list[_Cells], rules: KindRules) -> Callable[[Custom], PrintedRow]:
    roots = {each.path.root for each in cells if each.path is not None}

    def read(obj: Custom) -> PrintedRow:
        health = health_of(obj, rules)
        document = document_of(obj, roots)
        own: dict[str, Cell] = {HEALTH_COLUMN.id: health.status, AGE_COLUMN.id: created_at(obj)}
        values = tuple(own[each.column.id] if each.path is None else each.read(document) for each in cells)
        return PrintedRow(health.status, health.tone, values, health.reason, health.since)

    return read


def _typed(kind: str, value: Any) -> Cell:
    """The value as a cell of this type; None where it does not fit."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None:
        return None
    if kind == "integer":
        return to_cell(int(value) if isinstance(value, float) and abs(value) < 2**53 else value) if number else None
    if kind == "number":
        return to_cell(value) if number else None
    if kind == "boolean":
        return ("true" if value else "false") if isinstance(value, bool) else None
    if kind == "date":
        return _moment(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value) if number else to_cell(value)


def _moment(value: Any) -> Cell:
    try:
        return to_unix_seconds(msgspec.convert(value, datetime)) if isinstance(value, str) else None
    except msgspec.ValidationError:
        return "<invalid>"
