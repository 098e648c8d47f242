"""Columns of CPU and memory on lists of pods, nodes and what owns pods. Rows have no cells for them."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.printers.default_printers import MYDEMO_KEY
from dashboard.objects.printers.printer import AGE_COLUMN, Column
from dashboard.objects.usage.usage_field import CPU, MEMORY

POD_OWNERS = frozenset(
    {
        "deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch", "cronjobs.batch",
        "replicationcontrollers",
    }
)  # fmt: skip
"""Kinds that mostly own pods."""
MEASURED_KINDS = frozenset({"pods", "nodes"})
"""Kinds that the metrics API measures. What others use is a sum of pods."""
USAGE_KINDS = MEASURED_KINDS | {"namespaces"} | POD_OWNERS
"""Kinds that use something, known or not: lists show the columns, details the part. So do lists of Mydemos. Lists of
other custom resources, which may own pods, offer the columns.
"""

NO_CELL = -1
"""Index of the cell of a column whose values are in no cell of a row."""
IndexedColumns = tuple[tuple[int, Column], ...]
"""Columns, each with the index of its cell in a row."""


def with_usage_columns(key: str, columns: Sequence[Column]) -> IndexedColumns:
    """A kind's columns, each with the index of its cell, and before the age those of usage."""
    indexed = list(enumerate(columns))
    is_shown = key in USAGE_KINDS or key == MYDEMO_KEY
    if not is_shown and key in KINDS:
        return tuple(indexed)
    priority = 0 if is_shown else 2
    usual = [
        Column("cpu", "CPU", "usage", priority, order="number", usage=CPU),
        Column("memory", "Memory", "usage", priority, order="number", usage=MEMORY),
    ]
    shares = [
        Column("cpu-share", "CPU share", "usage", 2, order="number", usage=CPU.share),
        Column("memory-share", "Memory share", "usage", 2, order="number", usage=MEMORY.share),
    ]
    names = {column.id for column in columns}
    age = next((place for place, column in indexed if column.id == AGE_COLUMN.id), len(indexed))
    before = [(NO_CELL, column) for column in usual if column.id not in names]
    behind = [(NO_CELL, column) for column in shares if column.id not in names]
    return (*indexed[:age], *before, *indexed[age:], *behind)
