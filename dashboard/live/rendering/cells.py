"""Cells and lines of a list's rows as templates see them: texts and addresses, ready to print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import duration_text, rfc3339, utc_text
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.row import Cell, Row
from dashboard.objects.paths.field_path import NONE_TEXT, FieldPath, Values, format_values
from dashboard.objects.paths.reader import path_reader
from dashboard.objects.printers import Column, IndexedColumns, columns_for
from dashboard.objects.usage.usage import Usage, basis_text, measured_text, share_text
from dashboard.objects.usage.usage_field import UsageField
from dashboard.runtime.text_with_links import object_href

if TYPE_CHECKING:
    from dashboard.objects.kinds.catalog import KindInfo

EMPTY_TEXT = "–"
"""Shown where a cell has no value."""
MAX_CELL_TEXT = 1_000
"""Maximum characters in a cell; filters and downloads have those of the row."""
MAX_PATH_TEXT = 256
"""The same of a field by path; a download has all of it."""
TITLE_FROM = 40
"""Texts longer than this many characters get a title, because their cell may cut them off."""


@dataclass(frozen=True, slots=True)
class ColumnHeader:
    """A column's header; following `href` sorts by it, or reverses the order."""

    id: str
    header: str
    href: str
    sorted: Literal["", "asc", "desc"]
    numeric: bool
    wide: bool
    css: str
    """The end of its class: that of its cells."""


@dataclass(frozen=True, slots=True)
class CellText:
    """One cell. `kind` is the column's: text, mono, status, number, age or duration; `column` the end of its class.

    For an age `text` is the moment in UTC and `datetime` its RFC 3339 form; the browser writes the words.
    """

    column: str
    header: str
    text: str
    title: str
    kind: str
    value: Cell
    datetime: str = ""
    numeric: bool = False
    wide: bool = False
    field: str = ""
    """The plain field of spec that can be edited in place, such as ``.spec.port``."""
    group: str = ""
    """API group of the custom resource that it names, shown small behind the text."""
    share: float | None = None
    """Of a usage: the part of what the object may use, 1 for all of it; None where there is none."""
    measured: str = ""
    """Of a sum in which pods are missing: ``38/40 pods``."""


@dataclass(frozen=True, slots=True)
class RowLine:
    """A row of a list, for `lists/_row.html`, which sees it as ``line``."""

    id: str
    """The tr's id: ``row-<uid>``."""
    row: Row
    href: str
    """Address of the object's details."""
    cells: tuple[CellText, ...]


def row_line(kind: KindInfo, row: Row, columns: IndexedColumns, usage: Usage | None = None) -> RowLine:
    """A row as `lists/_row.html` shows it, with these columns; `usage` is what the object uses, where that is known."""
    return RowLine(
        id=f"row-{dom_id(row.uid)}",
        row=row,
        href=object_href(kind.key, row.namespace, row.name),
        cells=cells_of(row, columns, usage),
    )


def all_columns(key: str) -> IndexedColumns:
    """Every column of a kind, with the index of its cell in a row."""
    return tuple(enumerate(columns_for(key)))


def cells_of(row: Row, columns: IndexedColumns, usage: Usage | None = None) -> tuple[CellText, ...]:
    """The cells of a row in these columns. Fields by path are read from its whole object, all at once."""
    paths = _paths_of(columns)
    path_values = iter(path_reader(paths)(row)) if paths else iter(())
    return tuple(
        _path_cell(column, next(path_values))
        if column.path is not None
        else _usage_cell(column, column.usage, usage)
        if column.usage is not None
        else _cell(column, row.cells[index] if index < len(row.cells) else None, _group(column, row, index))
        for index, column in columns
    )


def has_usage(columns: IndexedColumns) -> bool:
    """Whether one of the columns shows what objects use."""
    return any(column.usage is not None for _, column in columns)


def _usage_cell(column: Column, field: UsageField, usage: Usage | None) -> CellText:
    value = field.value(usage) if usage is not None else None
    share = field.share.value(usage) if usage is not None else None
    text = EMPTY_TEXT if value is None else share_text(value) if field.is_share else field.text(value)
    return CellText(
        column=column.id,
        header=column.header,
        text=text,
        title="" if usage is None or value is None else usage_title(field, usage),
        kind=column.kind,
        value=value,
        numeric=True,
        wide=column.wide,
        share=share,
        measured=f"{usage.pods}/{usage.pods + usage.unmeasured} pods" if usage is not None and usage.unmeasured else "",
    )


def usage_title(field: UsageField, usage: Usage) -> str:
    """What is used of what, when: ``250m, 50% of the limit 500m, at 12:00:05 UTC, over 15 s``. Of a sum in which pods
    are missing also ``, 38 of 40 pods measured``.
    """
    words = field.text(field.value(usage) or 0) if not field.is_share else ""
    share, basis = field.share.value(usage), field.basis(usage)
    if share is not None:
        whole = f"{basis_text(usage, basis)} {field.text(field.capacity(usage))}"
        words += f"{', ' if words else ''}{share_text(share)} of {whole}"
    span = f", over {duration_text(usage.window)}" if field.resource == "cpu" else ""
    measured = measured_text(usage)
    return f"{words}, at {utc_text(usage.at)}{span}{', ' if measured else ''}{measured}"


def _paths_of(columns: IndexedColumns) -> tuple[FieldPath, ...]:
    return tuple([column.path for _, column in columns if column.path is not None])


def _path_cell(column: Column, values: Values) -> CellText:
    text = format_values(values)
    short = limit_text(text, MAX_PATH_TEXT)
    return CellText(
        column=column.css,
        header=column.header,
        text=short if values else NONE_TEXT,
        title=short if len(text) > TITLE_FROM else "",
        kind=column.kind,
        value=text if values else None,
        field=column.field if len(values) < 2 else "",
    )


def _group(column: Column, row: Row, index: int) -> str:
    """The API group of the custom resource that a cell names; empty for other cells."""
    if not column.has_group or index + 1 >= len(row.cells):
        return ""
    group = row.cells[index + 1]
    return group if isinstance(group, str) and "." in group else ""


def _cell(column: Column, value: Cell, group: str) -> CellText:
    text, moment = _text(column, value)
    whole = f"{text} ({group})" if group else text
    return CellText(
        column=column.id,
        header=column.header,
        text=text,
        title=whole if column.kind in {"text", "mono"} and (group or len(text) > TITLE_FROM) else "",
        kind=column.kind,
        value=value,
        datetime=moment,
        numeric=column.numeric,
        wide=column.wide,
        field=column.field,
        group=group,
    )


def _text(column: Column, value: Cell) -> tuple[str, str]:
    if value is None or value == "":
        return EMPTY_TEXT, ""
    if isinstance(value, str):
        return limit_text(value, MAX_CELL_TEXT), ""
    if column.kind == "age":
        return utc_text(value), rfc3339(value)
    if column.kind == "duration":
        return duration_text(value), ""
    return (str(value) if isinstance(value, int) else f"{value:.10g}"), ""  # ports are numbers too: no separators
