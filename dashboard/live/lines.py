"""What templates get to see of rows and entries: texts and addresses, ready to print."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from dashboard.live.messages import Cell, Entry, Row, Tone

if TYPE_CHECKING:
    from dashboard.resources.kinds import KindInfo

NOTHING = "–"
"""Shown where a cell has no value."""


@dataclass(frozen=True, slots=True)
class Head:
    """A column's header; following `href` sorts by it, or turns the order round."""

    id: str
    header: str
    href: str
    sorted: Literal["", "asc", "desc"]
    numeric: bool
    wide: bool


@dataclass(frozen=True, slots=True)
class CellText:
    """One cell. `kind` is the column's: text, mono, status, number, age or duration.

    For an age `text` is the moment in UTC and `datetime` its RFC 3339 form; the browser writes the words.
    """

    column: str
    text: str
    title: str
    kind: str
    value: Cell
    datetime: str = ""
    numeric: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a list, for `resources/_row.html`, which sees it as ``line``."""

    id: str
    """The tr's id: ``row-<uid>``."""
    row: Row
    href: str
    """Address of the object's details."""
    cells: tuple[CellText, ...]


@dataclass(frozen=True, slots=True)
class FacetCount:
    """How many of the rows have a status; `href` adds it to the filter, or takes it away where it is `active`."""

    status: str
    tone: Tone
    count: int
    href: str
    active: bool


@dataclass(frozen=True, slots=True)
class Share:
    """A piece of a stacked bar, 0 to 100 wide: ``<rect class="f-{tone}" x="{x}" width="{width}">``."""

    tone: Tone
    x: str
    width: str
    count: int


@dataclass(frozen=True, slots=True)
class FeedLine:
    """An entry of the feed, for `live/_entry.html`, which sees it as ``line``."""

    resource: str
    kind_title: str
    """The Kind: ``Pod``."""
    epoch: str
    entry: Entry
    href: str
    time: str
    """UTC, ``14:02:34.118``."""
    datetime: str
    """RFC 3339."""


def rfc3339(moment: float) -> str:
    """`moment` (Unix seconds) as ``2026-11-21T07:48:11.250Z``; whole seconds without a fraction."""
    precision = "seconds" if float(moment).is_integer() else "milliseconds"
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def utc_words(moment: float) -> str:
    """`moment` (Unix seconds) as ``2026-11-21 07:48:11 UTC``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock_words(moment: float) -> str:
    """`moment` (Unix seconds) as UTC time of day with milliseconds."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")[11:23]


def object_href(key: str, namespace: str, name: str) -> str:
    """Address of an object's details."""
    return f"/resources/{quote(key)}/{quote(namespace or '-', safe='')}/{quote(name, safe='')}/"


def feed_line(kind: KindInfo, epoch: str, entry: Entry) -> FeedLine:
    """What the feed and the overview show of `entry`."""
    return FeedLine(
        resource=kind.key,
        kind_title=kind.resource.kind,
        epoch=epoch,
        entry=entry,
        href=object_href(kind.key, entry.namespace, entry.name),
        time=clock_words(entry.time),
        datetime=rfc3339(entry.time),
    )
