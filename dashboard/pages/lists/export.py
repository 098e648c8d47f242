"""Export of a list, all pages of it: CSV of its columns, or whole objects as JSON or YAML.

A file is made while it is sent, some rows at a time, so that 50,000 rows neither fill the memory nor block the event
loop. It is a snapshot: later changes of rows are not in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import msgspec

from dashboard.live.rendering.cells import cells_of, has_usage
from dashboard.objects.fields.managed_fields import without_managed_fields
from dashboard.objects.kinds.row import Row
from dashboard.objects.manifests.yaml_writer import json_document, to_yaml
from dashboard.objects.printers import IndexedColumns
from dashboard.objects.usage.usage import Usage, pods_text
from dashboard.runtime.csv_lines import csv_line, escape_formula

UsageOf = Callable[[Row], Usage | None]
ROWS_AT_A_TIME = 100
"""Rows between two yields to the event loop: about 5 ms of work."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format."""

    suffix: str
    content_type: str


FORMATS: Mapping[str, Format] = MappingProxyType({
    "csv": Format("csv", "text/csv; charset=utf-8"),
    "json": Format("json", "application/json"),
    "yaml": Format("yaml", "text/yaml; charset=utf-8"),
})  # fmt: skip


async def export(
    suffix: str, rows: Iterable[Row], columns: IndexedColumns, usage_of: UsageOf = lambda _: None, *, sums: bool = False
) -> AsyncIterator[bytes]:
    """The file's bytes.

    `columns` are those of the list; JSON and YAML have whole objects, without managedFields. `usage_of` returns what
    an object uses; with `sums` CSV says of how many pods that is the sum. An object nested too deeply to decode is
    written as the API server sent it.
    """
    if suffix == "csv":
        pieces = _csv(rows, columns, usage_of, sums=sums and has_usage(columns))
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


def _csv(rows: Iterable[Row], columns: IndexedColumns, usage_of: UsageOf, *, sums: bool) -> Iterator[str]:
    """RFC 4180 with a header; ages as RFC 3339, texts that a spreadsheet would run get an apostrophe in front.

    Headers are escaped too: a definition names its columns freely. A path column has the whole value, however long, and
    is empty where an object has none.
    """
    headers = [f"{column.header} since" if column.kind == "age" else column.header for _, column in columns]
    yield csv_line([*map(escape_formula, headers), *(["Pods measured"] if sums else [])])
    for row in rows:
        usage = usage_of(row)
        values = [
            cell.datetime or ("" if cell.value is None else escape_formula(cell.value))
            for cell in cells_of(row, columns, usage)
        ]
        yield csv_line([*values, *([pods_text(usage) if usage is not None else ""] if sums else [])])


def _json(rows: Iterable[Row]) -> Iterator[str]:
    """A v1 List, as kubectl writes one."""
    yield '{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":['
    before = "\n"
    for row in rows:
        try:
            item = msgspec.json.encode(without_managed_fields(row.decode_object())).decode()
        except RecursionError:
            item = row.json_text()
        yield before + item
        before = ",\n"
    yield "\n]}\n"


def _yaml(rows: Iterable[Row]) -> Iterator[str]:
    """One document for each object."""
    for row in rows:
        try:
            yield f"---\n{to_yaml(row.decode_object())}"
        except RecursionError:
            yield f"---\n{json_document(row.json_text())}"
