"""What a list shows, all pages of it, as a file: CSV of its columns, or the whole objects as JSON or YAML.

A file is made while it is sent, some rows at a time, so that 50,000 of them neither fill the memory nor hold up the
event loop. It is of one moment: rows that change meanwhile are as they were.
"""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgspec

from dashboard.live.lines import Columns, cells_of
from dashboard.live.messages import Row
from dashboard.resources.yaml_text import as_flow, to_yaml

ROWS_AT_A_TIME = 100
"""Rows between two turns of the event loop: about 5 ms of work."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With these a spreadsheet takes a text for a formula."""
_TOO_DEEP = "# Nested too deep to be indented: written as JSON, which is YAML, too, with all that the API server sent."


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file."""

    suffix: str
    content_type: str


FORMATS: Mapping[str, Format] = MappingProxyType({
    "csv": Format("csv", "text/csv; charset=utf-8"),
    "json": Format("json", "application/json"),
    "yaml": Format("yaml", "text/yaml; charset=utf-8"),
})  # fmt: skip


async def export(suffix: str, rows: Iterable[Row], columns: Columns) -> AsyncIterator[bytes]:
    """The file's bytes. `columns` are those of the list; JSON and YAML are of whole objects, without managedFields.

    One nested too deep to be taken apart stands there as the API server sent it.
    """
    if suffix == "csv":
        pieces = _csv(rows, columns)
    elif suffix == "json":
        pieces = _json(rows)
    else:
        pieces = _yaml(rows)
    waiting: list[str] = []
    for piece in pieces:
        waiting.append(piece)
        if len(waiting) == ROWS_AT_A_TIME:
            yield "".join(waiting).encode()
            waiting.clear()
            await asyncio.sleep(0)
    yield "".join(waiting).encode()


def _csv(rows: Iterable[Row], columns: Columns) -> Iterator[str]:
    """RFC 4180, a header first; ages as RFC 3339, texts that a spreadsheet would run begin with an apostrophe.

    That goes for headers too: a definition names its columns as it likes. A field by path is whole, however long, and
    empty where an object has none.
    """
    headers = [f"{column.header} since" if column.kind == "age" else column.header for _, column in columns]
    yield _csv_line([harmless(header) for header in headers])
    for row in rows:
        cells = cells_of(row, columns)
        yield _csv_line([cell.datetime or ("" if cell.value is None else harmless(cell.value)) for cell in cells])


def _csv_line(cells: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def harmless(value: object) -> object:
    """The value as a cell that no spreadsheet runs: a text that begins like a formula gets an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _json(rows: Iterable[Row]) -> Iterator[str]:
    """A v1 List, as kubectl writes one."""
    yield '{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":['
    before = "\n"
    for row in rows:
        try:
            item = msgspec.json.encode(_plain(row)).decode()
        except RecursionError:
            item = _as_it_came(row)
        yield before + item
        before = ",\n"
    yield "\n]}\n"


def _yaml(rows: Iterable[Row]) -> Iterator[str]:
    """One document an object."""
    for row in rows:
        try:
            yield f"---\n{to_yaml(row.whole())}"
        except RecursionError:
            yield f"---\n{_TOO_DEEP}\n{as_flow(_as_it_came(row))}\n"


def _as_it_came(row: Row) -> str:
    """The JSON that the API server sent, of an object nested too deep to be taken apart: its managedFields, too."""
    return row.blob.json().decode() if row.blob is not None else "{}"


def _plain(row: Row) -> dict[str, Any]:
    whole = row.whole()
    if isinstance(meta := whole.get("metadata"), dict):
        meta.pop("managedFields", None)
    return whole
