"""Snapshot of a work queue's state, for metrics, logs and the controllers page."""

from __future__ import annotations

import msgspec


class QueueState(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of items and seconds; keys are in words, such as ``namespace/name``, and empty where there is none."""

    depth: int = 0
    """Items that wait for a worker, and those being worked on that were added again meanwhile (as client-go counts)."""
    delayed: int = 0
    """Items that are not due yet."""
    processing: int = 0
    oldest_key: str = ""
    """Key of the item that has waited longest for a worker."""
    oldest_seconds: float = 0.0
    longest_key: str = ""
    """Key of the item that has been worked on for longest."""
    longest_seconds: float = 0.0
    unfinished_seconds: float = 0.0
    """The time that all items now being worked on have taken so far."""
    adds: int = 0
    """Number of times that an item was queued that was not queued already."""
    retries: int = 0
    """Number of times that an item was added with a delay or by the rate limiter."""
