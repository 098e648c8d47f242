"""Printer of a custom resource by the printer columns of its definition, with Deltaboard's status word.

The rules are those of the API server's table convertor for custom resources: the first value at the path, nothing where
there is none or where the type does not fit.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec

from dashboard.objects.kinds.row import Cell, PrinterColumn, TableDefinition
from dashboard.objects.paths.json_path import InvalidJsonPath, JsonPath
from dashboard.objects.printers.default_printers import Custom, health_of, to_cell
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
    plain_field,
    to_unix_seconds,
)

logger = logging.getLogger(__name__)

MAX_COLUMNS = 40
"""Maximum number of printed columns that are shown."""
CREATED_PATH = ".metadata.creationTimestamp"
_TAKEN = frozenset({"namespace", "name", "status", "age", "ns", "label", "reason", "owner", "tone"})
_PROJECTED = frozenset({"spec", "status"})
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
    """None for status and age, which every object has."""
    type: str = ""

    def read(self, document: dict[str, Any]) -> Cell:
        return _typed(self.type, self.path.first(document)) if self.path is not None else None


def printer_from_columns(described: TableDefinition) -> Printer:
    """The printer of a kind with these columns; a column whose path cannot be read is left out."""
    cells = _all_cells(described.printer_columns)
    make = namespaced_columns if described.namespaced else cluster_columns
    return Printer(make(*(each.column for each in cells)), Custom, _reader(cells), namespaced=described.namespaced)


def _all_cells(printed: tuple[PrinterColumn, ...]) -> list[_Cells]:
    """Status first where the definition prints none, age last where it has no place for it."""
    cells: list[_Cells] = []
    ids: set[str] = set()
    for each in printed[:MAX_COLUMNS]:
        computed = _cells(each, ids)
        if computed is not None and computed.column.id not in ids:
            cells.append(computed)
            ids.add(computed.column.id)
    if STATUS_COLUMN.id not in ids:
        cells.append(_Cells(STATUS_COLUMN, None))
    if AGE_COLUMN.id not in ids:
        cells.append(_Cells(AGE_COLUMN, None))
    return cells


def _cells(printed: PrinterColumn, ids: set[str]) -> _Cells | None:
    path = printed.path.strip()
    if path == CREATED_PATH and printed.column_type == "date":
        return _Cells(AGE_COLUMN, None)
    if path == ".status.phase" and printed.name.lower() in ("status", "phase"):
        return _Cells(replace(STATUS_COLUMN, header=printed.name), None)
    try:
        read = JsonPath(path)
    except InvalidJsonPath as error:
        logger.warning("the printer column %r is left out: %s", printed.name, error)
        return None
    kind, order = _KINDS.get(printed.column_type, _KINDS["string"])
    header = " ".join(printed.name.split())[:60] or path
    words = header.lower() if kind != "age" else ""
    column = Column(
        _free(_slug(header), ids),
        header,
        kind,
        priority=1 if printed.priority > 0 else 0,
        order=order,
        words=words,
        field=path if plain_field(path) and kind != "age" else "",
    )
    return _Cells(column, read, printed.column_type)


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


def _reader(cells: list[_Cells]) -> Callable[[Custom], PrintedRow]:
    roots = {each.path.root for each in cells if each.path is not None}
    whole = not roots <= _PROJECTED

    def read(obj: Custom) -> PrintedRow:
        status, tone, reason, since = health_of(obj)
        document = _whole(obj) if whole else {"spec": obj.spec, "status": obj.status}
        own: dict[str, Cell] = {STATUS_COLUMN.id: status, AGE_COLUMN.id: created_at(obj)}
        values = tuple(own[each.column.id] if each.path is None else each.read(document) for each in cells)
        return PrintedRow(status, tone, values, reason, since)

    return read


def _whole(obj: Custom) -> dict[str, Any]:
    decoded = msgspec.json.decode(obj.blob.json()) if obj.blob is not None else {}
    return decoded if isinstance(decoded, dict) else {}


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
