"""Columns: what a list shows of a kind, and how a column's values are ordered and compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from dashboard.resources.rows.field_path import FieldPath

CellKind = Literal["text", "mono", "status", "number", "age", "duration"]
"""How a cell is shown. text, mono: as it is · status: the word with its tone · number: tabular figures ·
age: Unix seconds of a moment, shown as the time since · duration: seconds."""

Order = Literal["text", "natural", "number", "fraction", "ip", "age", "path"]
"""How values compare: natural puts node-10 behind node-9, number reads quantities such as 10Gi, fraction reads 1/2, age
has the newest moment first, path goes by what each value is, see path_order.py."""


_PLAIN_FIELD = re.compile(r"\.spec(\.[A-Za-z][A-Za-z0-9_-]{0,62}){1,10}")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a list. `id` is its name in addresses and filters."""

    id: str
    header: str
    kind: CellKind = "text"
    priority: int = 0
    """0: always shown · 1: where there is room (kubectl's wide columns) · 2: only where somebody asks for it."""
    order: Order = "text"
    words: str = ""
    """Its name in feed lines, such as ``spec.port``; empty: its changes are not worth a line by themselves."""
    path: FieldPath | None = None
    """The field that somebody asked for, of whole objects; None where the cells of rows have it."""
    field: str = ""
    """The plain field of spec that it shows as it is, such as ``.spec.port``: it can be edited in place."""

    @property
    def numeric(self) -> bool:
        """Whether cells are aligned right."""
        return self.kind in ("number", "age", "duration")

    @property
    def css(self) -> str:
        """The end of its cells' class: its id, but one word for all fields by path."""
        return self.id if self.path is None else "path"

    @property
    def wide(self) -> bool:
        """Whether narrow screens leave it out."""
        return self.priority > 0


def path_column(path: FieldPath) -> Column:
    """The column of a field by path. Its id and header are the path."""
    field = path.text if plain_field(path.text) else ""
    return Column(path.text, path.text, "mono", order="path", path=path, field=field)


def plain_field(path: str) -> tuple[str, ...]:
    """The names in a path such as ``.spec.template.port``; empty where it is no plain field of spec."""
    return tuple(path.removeprefix(".").split(".")) if _PLAIN_FIELD.fullmatch(path) else ()
