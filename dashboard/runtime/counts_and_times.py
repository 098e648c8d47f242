"""Counts and durations in words, and RFC 3339 times as Unix seconds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


def format_times(number: int) -> str:
    """``once``, ``4 times``."""
    return "once" if number == 1 else f"{number:,} times"


def format_pod_count(number: Any) -> str:
    """``1 pod``, ``3 pods``."""
    return f"{number} {'pod' if number == 1 else 'pods'}"


def format_duration(seconds: float) -> str:
    """``42 s``, ``3 min 5 s``, ``2 h 10 min``."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")


def format_seconds(seconds: Any) -> str:
    """A number of seconds in words; unchanged where it is no number."""
    counts = isinstance(seconds, int) and not isinstance(seconds, bool) and seconds >= 0
    return format_duration(seconds) if counts else str(seconds)


def parse_timestamp(value: Any) -> float | None:
    """Unix seconds of an RFC 3339 time; None where it is none."""
    try:
        seconds = datetime.fromisoformat(value).timestamp()
        datetime.fromtimestamp(seconds, UTC)
    except (OSError, OverflowError, TypeError, ValueError):
        return None
    return seconds
