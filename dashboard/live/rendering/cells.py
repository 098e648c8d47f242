"""Rows and feed entries as templates see them: texts and addresses, ready to print."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from django.utils.html import escape

from dashboard.objects.kinds.row import Cell, Row, Tone
from dashboard.objects.paths.field_path import NONE_TEXT, FieldPath, Values, format_values
from dashboard.objects.paths.reader import path_reader
from dashboard.objects.printers import Column, columns_for
from dashboard.runtime.text import object_href

if TYPE_CHECKING:
    from dashboard.objects.kinds.catalog import KindInfo

_SAFE_ID = re.compile(r"[A-Za-z0-9_-]+")

EMPTY_TEXT = "–"
"""Shown where a cell has no value."""
MAX_PATH_TEXT = 256
"""Maximum characters of a field by path in a cell; a download has all of it."""
TITLE_FROM = 40
"""Texts longer than this many characters get a title, because their cell may cut them off."""
TONES: tuple[Tone, ...] = ("ok", "busy", "warn", "bad", "idle")
"""The order of pieces in a stacked bar."""
IndexedColumns = tuple[tuple[int, Column], ...]
"""Columns to show, each with the index of its cell in a row."""
SEGMENT_GAP = 0.25
"""Space between two pieces, of 100."""


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


@dataclass(frozen=True, slots=True)
class RowLine:
    """A row of a list, for `lists/_row.html`, which sees it as ``line``."""

    id: str
    """The tr's id: ``row-<uid>``."""
    row: Row
    href: str
    """Address of the object's details."""
    cells: tuple[CellText, ...]


@dataclass(frozen=True, slots=True)
class BarSegment:
    """A piece of a stacked bar, 0 to 100 wide: ``<rect class="f-{tone}" x="{x}" width="{width}">``."""

    tone: Tone
    x: str
    width: str
    count: int


def rfc3339(moment: float) -> str:
    """`moment` (Unix seconds) as ``2026-11-21T07:48:11.250Z``; whole seconds without a fraction."""
    precision = "seconds" if float(moment).is_integer() else "milliseconds"
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def utc_text(moment: float) -> str:
    """`moment` (Unix seconds) as ``2026-11-21 07:48:11 UTC``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock_text(moment: float) -> str:
    """`moment` (Unix seconds) as UTC time of day with milliseconds."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")[11:23]


def dom_id(uid: str) -> str:
    """`uid` as a part of an element's id that needs no escaping in a selector; all but odd uids are that already."""
    if _SAFE_ID.fullmatch(uid):
        return uid
    return hashlib.blake2b(uid.encode(), digest_size=12).hexdigest()


def hx_partial(target: str, swap: str, html: str = "") -> str:
    """One hx-partial: `html` goes to the elements that selector `target` finds, by swap style `swap`."""
    return f'<hx-partial hx-target="{escape(target)}" hx-swap="{escape(swap)}">{html}</hx-partial>'


def row_line(kind: KindInfo, row: Row, columns: IndexedColumns) -> RowLine:
    """A row as `lists/_row.html` shows it, with these columns."""
    return RowLine(
        id=f"row-{dom_id(row.uid)}",
        row=row,
        href=object_href(kind.key, row.namespace, row.name),
        cells=cells_of(row, columns),
    )


def all_columns(key: str) -> IndexedColumns:
    """Every column of a kind, with the index of its cell in a row."""
    return tuple(enumerate(columns_for(key)))


def cells_of(row: Row, columns: IndexedColumns) -> tuple[CellText, ...]:
    """The cells of a row in these columns. Fields by path are read from its whole object, all at once."""
    paths = _paths_of(columns)
    path_values = iter(path_reader(paths)(row)) if paths else iter(())
    return tuple(
        _cell(column, row.cells[index] if index < len(row.cells) else None)
        if column.path is None
        else _path_cell(column, next(path_values))
        for index, column in columns
    )


def _paths_of(columns: IndexedColumns) -> tuple[FieldPath, ...]:
    return tuple([column.path for _, column in columns if column.path is not None])


def _path_cell(column: Column, values: Values) -> CellText:
    text = format_values(values)
    short = text if len(text) <= MAX_PATH_TEXT else f"{text[:MAX_PATH_TEXT]}…"
    return CellText(
        column=column.css,
        header=column.header,
        text=short if values else NONE_TEXT,
        title=short if len(text) > TITLE_FROM else "",
        kind=column.kind,
        value=text if values else None,
        field=column.field if len(values) < 2 else "",
    )


def _cell(column: Column, value: Cell) -> CellText:
    text, moment = _text(column, value)
    return CellText(
        column=column.id,
        header=column.header,
        text=text,
        title=text if column.kind in {"text", "mono"} and len(text) > TITLE_FROM else "",
        kind=column.kind,
        value=value,
        datetime=moment,
        numeric=column.numeric,
        wide=column.wide,
        field=column.field,
    )


def _text(column: Column, value: Cell) -> tuple[str, str]:
    if value is None or value == "":
        return EMPTY_TEXT, ""
    if isinstance(value, str):
        return value, ""
    if column.kind == "age":
        return utc_text(value), rfc3339(value)
    if column.kind == "duration":
        return duration_text(value), ""
    return (str(value) if isinstance(value, int) else f"{value:.10g}"), ""  # ports are numbers too: no separators


def duration_text(seconds: float) -> str:
    """Two units at most, as kubectl prints it: ``42s``, ``5m10s``, ``3h``, ``2d4h``, ``41d``."""
    total = int(seconds)
    if total < 120:
        return f"{total}s"
    minutes, rest = divmod(total, 60)
    if minutes < 10:
        return f"{minutes}m{rest}s" if rest else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    hours, rest = divmod(minutes, 60)
    if hours < 8:
        return f"{hours}h{rest}m" if rest else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    days, rest = divmod(hours, 24)
    return f"{days}d{rest}h" if days < 8 and rest else f"{days}d"


def bar_segments(counts: Mapping[Tone, int]) -> tuple[BarSegment, ...]:
    """The pieces of a stacked bar 100 wide, in the order of TONES, each at least visible."""
    total = sum(counts.values())
    pieces: list[BarSegment] = []
    x = 0.0
    for tone in TONES:
        count = counts.get(tone, 0)
        if count:
            share = 100 * count / total
            pieces.append(BarSegment(tone, f"{min(x, 99.6):.2f}", f"{max(share - SEGMENT_GAP, 0.4):.2f}", count))
            x += share
    return tuple(pieces)


def tone_counts(pairs: Iterable[tuple[Tone, int]]) -> dict[Tone, int]:
    """Sums by tone."""
    counts: dict[Tone, int] = {}
    for tone, count in pairs:
        counts[tone] = counts.get(tone, 0) + count
    return counts
