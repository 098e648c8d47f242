"""Columns: what a list shows of a kind, and how a column's values are ordered and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CellKind = Literal["text", "mono", "status", "number", "age", "duration"]
"""How a cell is shown. text, mono: as it is · status: the word with its tone · number: tabular figures ·
age: Unix seconds of a moment, shown as the time since · duration: seconds."""

Order = Literal["text", "natural", "number", "fraction", "ip", "age"]
"""How values compare: natural puts node-10 behind node-9, fraction reads 1/2, age has the newest moment first."""


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

    @property
    def numeric(self) -> bool:
        """Whether cells are aligned right."""
        return self.kind in ("number", "age", "duration")

    @property
    def wide(self) -> bool:
        """Whether narrow screens leave it out."""
        return self.priority > 0
