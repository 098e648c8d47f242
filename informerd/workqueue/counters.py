"""Counters of a work queue, as plain numbers for `informerd.metrics`; only the event loop writes them."""

from __future__ import annotations

from informerd.cache.counters import Distribution

LATENCY_BUCKETS = (0.000001, 0.00001, 0.0001, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
"""Upper ends of the ranges of latency and work (client-go's, from the first that a Python program can reach)."""


class QueueCounters:
    """One queue's, since it was made."""

    def __init__(self) -> None:
        self.adds = 0
        """Keys that came to wait. One that waits already is not counted again."""
        self.retries = 0
        """Keys that were added with a delay or by the rate limiter, as client-go counts them."""
        self.latency = Distribution(LATENCY_BUCKETS)
        """Seconds from when a key came to wait until it was handed out."""
        self.work = Distribution(LATENCY_BUCKETS)
        """Seconds from when a key was handed out until it was done."""
