"""What history takes: bytes and changes by kind and day."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from dashboard.live.history.part import Part, Parts
from dashboard.live.history.part_reader import PartReader
from dashboard.live.history.retention import DAY

ROW_BYTES = 60
"""Bytes that a version takes beside its data, approximately: by this share the bytes of a part are its kinds'."""


@dataclass(frozen=True, slots=True)
class KindSize:
    """Versions of a kind in a part, on a day in UTC."""

    kind: str
    day: int
    """Days since 1970. What the part began with counts for the day on which it began."""
    versions: int
    begun_with: int
    """How many of them the part began with: they are no changes."""
    bytes: int
    """Of the part's bytes on the disk, by the share of their data."""


def sizes_of(parts: Parts, part: Part, total: int) -> Iterator[KindSize]:
    """The sizes in a part of `total` bytes. It reads all of the part. Raises HistoryUnavailable."""
    with closing(parts.connect(part)) as connection:
        reader = PartReader(connection)
        begin = part.begin
        day = f"(CASE WHEN v.time < {begin} THEN {begin} ELSE v.time END) / {DAY}"
        sql = (
            f"SELECT o.kind, {day}, COUNT(*), SUM(CASE WHEN v.time < {begin} THEN 1 ELSE 0 END), "  # noqa: S608 -- numbers
            "SUM(LENGTH(v.data)) FROM {version} v JOIN {object} o ON o.id = v.object GROUP BY 1, 2 ORDER BY 1, 2"
        )
        rows = connection.query(sql)
        weight = sum(row[4] + row[2] * ROW_BYTES for row in rows) or 1
        for kind, on, versions, begun_with, length in rows:
            share = (length + versions * ROW_BYTES) / weight
            name = reader.kinds[kind]
            yield KindSize(name, int(on), versions, int(begun_with), int(total * share))
