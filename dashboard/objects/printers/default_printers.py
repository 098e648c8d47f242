"""Printers of Mydemos and of every kind without a module of its own, which assume nothing about types of fields."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

import msgspec

from dashboard.objects.kinds.row import Cell, Tone
from dashboard.objects.printers.printer import (
    AGE_COLUMN,
    STATUS_COLUMN,
    Column,
    PrintedRow,
    Printer,
    cluster_columns,
    created_at,
    namespaced_columns,
    to_unix_seconds,
)
from informerd.objects import Object

_TONES: dict[str, Tone] = {
    "running": "ok", "ready": "ok", "active": "ok", "bound": "ok", "available": "ok", "healthy": "ok",
    "succeeded": "idle", "complete": "idle", "completed": "idle",
    "pending": "warn", "unknown": "warn", "degraded": "warn", "notready": "warn",
    "failed": "bad", "error": "bad", "lost": "bad",
}  # fmt: skip

_INT64 = 2**63


class Custom(Object, frozen=True, kw_only=True):
    """Any object: spec and status as they come."""

    spec: Any = None
    status: Any = None


def read_mydemo(obj: Custom) -> PrintedRow:
    """The cells of a Mydemo: address and port, as they are, whatever their types."""
    spec = obj.spec if isinstance(obj.spec, dict) else {}
    status, tone, reason, since = health_of(obj)
    return PrintedRow(
        status, tone, (to_cell(spec.get("ip")), to_cell(spec.get("port")), status, created_at(obj)), reason, since
    )


def read_custom(obj: Custom) -> PrintedRow:
    """The cells of an object of a kind without a printer of its own."""
    status, tone, reason, since = health_of(obj)
    return PrintedRow(status, tone, (status, created_at(obj)), reason, since)


def health_of(obj: Custom) -> tuple[str, Tone, str, float | None]:
    """Status word, tone, reason and since: from the deletion, the phase or the Ready condition, whichever is first.

    An object without a status is Current, kstatus's word for one that exists and is not changing.
    """
    deleting = to_unix_seconds(obj.metadata.deletion_timestamp)
    if deleting is not None:
        finalizers = ", ".join(obj.metadata.finalizers)
        return "Terminating", "busy", f"being deleted, held by finalizers: {finalizers}" if finalizers else "", deleting
    status = obj.status if isinstance(obj.status, dict) else {}
    conditions = status.get("conditions")
    ready = _condition(conditions) if isinstance(conditions, list) else None
    phase = status.get("phase")
    ready_message = str(ready.get("message") or ready.get("reason") or "") if ready else ""
    since = _moment(ready.get("lastTransitionTime")) if ready else None
    if isinstance(phase, str) and phase:
        tone = _TONES.get(phase.lower(), "ok")
        message = status.get("message")
        words = message if isinstance(message, str) and message else ready_message
        return phase, tone, f"{phase.lower()}: {words}" if words and tone in ("warn", "bad") else "", since
    if ready is None:
        return "Current", "ok", "", None
    if ready.get("status") == "True":
        return "Ready", "ok", "", None
    unready: Tone = "bad" if ready.get("status") == "False" else "warn"
    return "NotReady", unready, f"not ready: {ready_message}" if ready_message else "not ready", since


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


def _condition(conditions: list[Any]) -> dict[str, Any] | None:
    for name in ("Ready", "Available", "Healthy"):
        for condition in conditions:
            if isinstance(condition, dict) and condition.get("type") == name:
                return condition
    return None


def _moment(text: object) -> float | None:
    try:
        return to_unix_seconds(msgspec.convert(text, datetime))
    except msgspec.ValidationError:
        return None


MYDEMO_COLUMNS = namespaced_columns(
    Column("ip", "IP", "mono", order="ip", words="spec.ip", field=".spec.ip"),
    Column("port", "Port", "number", order="number", words="spec.port", field=".spec.port"),
    STATUS_COLUMN,
    AGE_COLUMN,
)
MYDEMOS = Printer(MYDEMO_COLUMNS, Custom, read_mydemo)
CUSTOM_NAMESPACED = Printer(namespaced_columns(STATUS_COLUMN, AGE_COLUMN), Custom, read_custom)
CUSTOM_CLUSTER = Printer(cluster_columns(STATUS_COLUMN, AGE_COLUMN), Custom, read_custom, namespaced=False)
