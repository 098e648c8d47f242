"""Printers of kinds without a module of their own, which assume nothing about types of fields; Mydemos have theirs
here.
"""

from __future__ import annotations

import math
from collections.abc import Set
from typing import Any

import msgspec

from dashboard.objects.health import NO_RULES, Health, KindRules, custom_health, rules_of
from dashboard.objects.kinds.row import Cell
from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    HEALTH_COLUMN,
    Column,
    PrintedRow,
    Printer,
    cluster_columns,
    created_at,
    namespaced_columns,
)
from dashboard.objects.printers.table_printer import terminating
from informerd.objects import Object

_INT64 = 2**63
_PROJECTED = frozenset({"spec", "status"})
MYDEMO_KEY = "mydemos.crddemo.k8s.io"


class Custom(Object, frozen=True, kw_only=True):
    """Any object: spec and status as they come."""

    spec: Any = None
    status: Any = None


def read_mydemo(obj: Custom) -> PrintedRow:
    """The cells of a Mydemo: address and port, as they are, whatever their types."""
    spec = obj.spec if isinstance(obj.spec, dict) else {}
    health = health_of(obj, rules_of(MYDEMO_KEY))
    cells = (to_cell(spec.get("ip")), to_cell(spec.get("port")), health.status, created_at(obj))
    return PrintedRow(health.status, health.tone, cells, health.reason, health.since)


def read_custom(obj: Custom) -> PrintedRow:
    """The cells of an object of a kind without a printer of its own."""
    health = health_of(obj)
    return PrintedRow(health.status, health.tone, (health.status, created_at(obj)), health.reason, health.since)


def health_of(obj: Custom, rules: KindRules = NO_RULES) -> Health:
    """Terminating while it is being deleted, with the finalizers that hold it; else what `custom_health` finds."""
    if obj.metadata.deletion_timestamp is not None:
        return terminating(obj)
    return custom_health(document_of(obj, rules.roots), obj.metadata.generation, rules)


def document_of(obj: Custom, roots: Set[str]) -> dict[str, Any]:
    """Spec and status of an object; the whole object where one of `roots` is another field."""
    return {"spec": obj.spec, "status": obj.status} if roots <= _PROJECTED else _whole(obj)


def _whole(obj: Custom) -> dict[str, Any]:
    try:
        decoded = msgspec.json.decode(obj.blob.json()) if obj.blob is not None else {}
    except RecursionError:  # nested too deeply
        decoded = None
    return decoded if isinstance(decoded, dict) else {"spec": obj.spec, "status": obj.status}


def to_cell(value: object) -> Cell:
    """A field as a cell: numbers and texts as they are, anything else as JSON.

    A whole number that no message can carry, for it has more than 64 bits, is the nearest float.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -_INT64 <= value < _INT64 else _float(value)
    if value is None or isinstance(value, str | float):
        return value
    return msgspec.json.encode(value).decode()


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


MYDEMO_COLUMNS = namespaced_columns(
    Column("ip", "IP", "mono", order="ip", words="spec.ip", field=".spec.ip"),
    Column("port", "Port", "number", order="number", words="spec.port", field=".spec.port"),
    HEALTH_COLUMN,
    AGE_COLUMN,
)
MYDEMOS = Printer(MYDEMO_COLUMNS, Custom, read_mydemo)
CUSTOM_NAMESPACED = Printer(namespaced_columns(HEALTH_COLUMN, AGE_COLUMN), Custom, read_custom)
CUSTOM_CLUSTER = Printer(cluster_columns(HEALTH_COLUMN, AGE_COLUMN), Custom, read_custom, namespaced=False)
