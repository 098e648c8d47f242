"""Interning of the values of rows: equal texts, labels and owners are in memory once.

A row that was just decoded has texts of its own. Most of them other rows have, too: the namespace, labels and owner of
the pods of one ReplicaSet, a node, "Running", "1/1". Shared, a pod's row takes half.
"""

from __future__ import annotations

from sys import intern

import msgspec

from dashboard.objects.kinds.row import Cell, Row

MAX_OWNERS = MAX_LABELS = 20_000
"""Different ones that are remembered, before all are forgotten."""
MAX_TEXTS = 8_000
"""The same of a column's texts."""

_set = msgspec.structs.force_setattr


class RowInterner:
    """Interns the values of one kind's rows. A row costs some microseconds."""

    def __init__(self) -> None:
        self._owners: dict[tuple[str, str, str], tuple[str, str, str]] = {}
        self._labels: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        self._texts: list[dict[str, str]] = []
        """Of each column."""

    def intern(self, row: Row) -> None:
        """Give the row, which nobody else has yet, the values of earlier rows that equal its own."""
        _set(row, "namespace", intern(row.namespace))
        _set(row, "status", intern(row.status))
        if row.owner is not None:
            if len(self._owners) >= MAX_OWNERS:
                self._owners.clear()
            _set(row, "owner", self._owners.setdefault(row.owner, row.owner))
        if len(self._labels) >= MAX_LABELS:
            self._labels.clear()
        _set(row, "labels", self._labels.setdefault(tuple(row.labels.items()), row.labels))
        _set(row, "cells", self._shared_cells(row))

    def _shared_cells(self, row: Row) -> tuple[Cell, ...]:
        columns = self._texts
        while len(columns) < len(row.cells):
            columns.append({})
        name = row.name
        cells: list[Cell] = []
        for number, cell in enumerate(row.cells):
            if isinstance(cell, str):
                if cell == name:
                    cell = name
                else:
                    texts = columns[number]
                    if len(texts) >= MAX_TEXTS:
                        texts.clear()
                    cell = texts.setdefault(cell, cell)
            cells.append(cell)
        return tuple(cells)
