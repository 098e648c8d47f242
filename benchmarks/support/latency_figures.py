"""Figures of latencies for a table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles


def latency_figures(milliseconds: Sequence[float]) -> dict[str, float]:
    """p50, p99 and the worst, in milliseconds. Ends the program where there are none."""
    if len(milliseconds) < 2:
        raise SystemExit("nothing arrived")
    return {
        "p50, ms": median(milliseconds),
        "p99, ms": quantiles(milliseconds, n=100, method="inclusive")[98],
        "worst, ms": max(milliseconds),
    }
