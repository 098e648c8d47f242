"""Durations as people read them, from microseconds to hours."""

from __future__ import annotations

from dashboard.resources.words import duration

_UNITS = ((1e-6, 1e-3, "µs"), (1e-3, 1.0, "ms"), (1.0, 60.0, "s"))
"""Size in seconds, the seconds from which on the next one is used, name."""


def readable(seconds: float | None) -> str:
    """``340 µs``, ``1.4 ms``, ``12 ms``, ``3.2 s``, ``2 min 5 s``; a dash where there is none."""
    if seconds is None:
        return "–"
    for size, end, unit in _UNITS:
        number = float(f"{max(0.0, seconds) / size:.2g}") if seconds < 100 * size else round(seconds / size)
        if number * size < end:
            return f"{number:g} {unit}"
    return duration(seconds)
