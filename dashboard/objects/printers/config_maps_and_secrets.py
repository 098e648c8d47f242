"""Printers of ConfigMaps and Secrets. Values of Secrets are never read, only counted."""

from __future__ import annotations

import msgspec

from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    Column,
    PrintedRow,
    Printer,
    created_at,
    namespaced_columns,
    to_unix_seconds,
)
from dashboard.objects.printers.workloads import count_column
from informerd.objects import Object


class DataObject(Object, frozen=True, kw_only=True):
    """A ConfigMap or a Secret, values skipped."""

    type: str = ""
    data: dict[str, msgspec.Raw] = {}
    binary_data: dict[str, msgspec.Raw] = {}


def read_configmap(bag: DataObject) -> PrintedRow:
    return _bag(bag, len(bag.data) + len(bag.binary_data), created_at(bag))


def read_secret(bag: DataObject) -> PrintedRow:
    return _bag(bag, bag.type or None, len(bag.data), created_at(bag))


def _bag(bag: DataObject, *cells: str | float | None) -> PrintedRow:
    deleting = to_unix_seconds(bag.metadata.deletion_timestamp)
    return (
        PrintedRow("Current", "idle", cells)
        if deleting is None
        else PrintedRow("Terminating", "busy", cells, "", deleting)
    )


CONFIGMAPS = Printer(namespaced_columns(count_column("data", "Data"), AGE_COLUMN), DataObject, read_configmap)
SECRETS = Printer(
    namespaced_columns(Column("type", "Type", "mono"), count_column("data", "Data"), AGE_COLUMN),
    DataObject,
    read_secret,
)
