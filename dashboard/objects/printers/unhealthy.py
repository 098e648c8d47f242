"""Rules for unhealthy rows: at once, after five minutes, or for ten minutes: a Warning event, and a pod that runs after
a crash loop.
"""

from __future__ import annotations

from dashboard.objects.kinds.row import Row
from dashboard.objects.printers.registry import PRINTERS, columns_for

UNHEALTHY_AFTER = 300.0
"""Seconds that an object may be pending, starting, unready or terminating before it counts as unhealthy."""
WARNING_LIFETIME = 600.0
"""Seconds after its last occurrence that a Warning event counts as unhealthy."""
_FOREVER = float("inf")


def unhealthy_span(key: str, row: Row) -> tuple[float, float] | None:
    """From and until when (Unix seconds, until may be infinite) this row counts as unhealthy; None: it does not."""
    if key == "events":
        return _event_span(row)
    if row.until is not None:
        return (row.since or 0.0, row.until if row.tone == "ok" else _FOREVER)
    if row.tone == "bad":
        return (row.since or 0.0, _FOREVER)
    if row.tone in ("warn", "busy") and row.since is not None:
        return (row.since + UNHEALTHY_AFTER, _FOREVER)
    if row.tone == "warn" and key not in PRINTERS:  # its controller writes no moment
        return (0.0, _FOREVER)
    return None


def is_unhealthy(key: str, row: Row, now: float) -> bool:
    """Whether the row counts as unhealthy at `now` (Unix seconds)."""
    span = unhealthy_span(key, row)
    return span is not None and span[0] <= now < span[1]


def _event_span(row: Row) -> tuple[float, float] | None:
    if row.tone != "warn":
        return None
    index = next(i for i, column in enumerate(columns_for("events")) if column.id == "last-seen")
    last = row.cells[index]
    return (0.0, last + WARNING_LIFETIME) if isinstance(last, float | int) else None
