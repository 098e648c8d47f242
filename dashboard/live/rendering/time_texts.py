"""Times and durations as text: RFC 3339, UTC, and kubectl's short durations."""

from __future__ import annotations

from datetime import UTC, datetime


def rfc3339(moment: float) -> str:
    """`moment` (Unix seconds) as ``2026-11-21T07:48:11.250Z``; whole seconds without a fraction."""
    precision = "seconds" if float(moment).is_integer() else "milliseconds"
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def utc_text(moment: float) -> str:
    """`moment` (Unix seconds) as ``2026-11-21 07:48:11 UTC``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock_text(moment: float) -> str:
    """`moment` (Unix seconds) as UTC time of day with milliseconds."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")[11:23]


def duration_text(seconds: float) -> str:
    """Two units at most, as kubectl prints it: ``42s``, ``5m10s``, ``3h``, ``2d4h``, ``41d``."""
    total = int(seconds)
    if total < 120:
        return f"{total}s"
    minutes, rest = divmod(total, 60)
    if minutes < 10:
        return f"{minutes}m{rest}s" if rest else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    hours, rest = divmod(minutes, 60)
    if hours < 8:
        return f"{hours}h{rest}m" if rest else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    days, rest = divmod(hours, 24)
    return f"{days}d{rest}h" if days < 8 and rest else f"{days}d"
