"""When a row counts as wrong: at once, after five minutes, or, for a Warning event, for ten minutes."""

from __future__ import annotations

from dashboard.live.messages import Row
from dashboard.resources.rows.registry import columns_for

PATIENCE = 300.0
"""Seconds that something may be pending, starting, unready or going before it counts as wrong."""
WARNING_LASTS = 600.0
"""Seconds after its last occurrence that a Warning event counts as wrong."""
_FOREVER = float("inf")


def wrong_span(key: str, row: Row) -> tuple[float, float] | None:
    """From and until when (Unix seconds, until may be infinite) this row counts as wrong; None: it does not."""
    if key == "events":
        return _event_span(row)
    if row.tone == "bad":
        return (row.since if row.since is not None else row.created or 0.0, _FOREVER)
    if row.tone in ("warn", "busy") and row.since is not None:
        return (row.since + PATIENCE, _FOREVER)
    return None


def is_wrong(key: str, row: Row, now: float) -> bool:
    """Whether the row counts as wrong at `now` (Unix seconds)."""
    span = wrong_span(key, row)
    return span is not None and span[0] <= now < span[1]


def _event_span(row: Row) -> tuple[float, float] | None:
    if row.tone != "warn":
        return None
    index = next(i for i, column in enumerate(columns_for("events")) if column.id == "last-seen")
    last = row.cells[index]
    return (0.0, last + WARNING_LASTS) if isinstance(last, float | int) else None
