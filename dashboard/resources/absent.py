"""Fields by path that no object of a list's kind has, with the one that may have been meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.live.messages import Row
from dashboard.resources.path_names import nearest, sample
from dashboard.resources.query import Query
from dashboard.resources.rows.field_path import FieldPath


@dataclass(frozen=True, slots=True)
class Absent:
    """A path that leads nowhere; `href` is the list with `meant` instead, both empty where nothing is like it."""

    path: str
    meant: str = ""
    href: str = ""


def absent_of(query: Query, paths: Iterable[FieldPath], rows: Mapping[str, Row]) -> tuple[Absent, ...]:
    """What to say of `paths`, which no object has. `rows` are those of the kind; some of them are looked into."""
    wanted = tuple(paths)
    if not wanted:
        return ()
    objects = sample(rows.values())
    return tuple([_absent(query, path, nearest(path, objects)) for path in wanted])


def _absent(query: Query, path: FieldPath, meant: FieldPath | None) -> Absent:
    if meant is None:
        return Absent(path.text)
    return Absent(path.text, meant.text, query.with_path(meant, path).href())
