"""Snapshot of a controller's state, for metrics, logs and the controllers page."""

from __future__ import annotations

from typing import Literal

import msgspec

from informerd.workqueue.queue_state import QueueState

Phase = Literal["created", "waiting for leader", "waiting for caches", "running", "stopping", "stopped", "failed"]


class FailedKey(msgspec.Struct, frozen=True, kw_only=True):
    """A request whose last reconcile failed."""

    key: str
    error: str
    """The last error, in one line."""
    failures: int
    """How many in a row."""
    at: float
    """Unix seconds of the last one."""
    retry_at: float | None = None
    """Unix seconds of the next try; None where there will be none until the object changes (a terminal error)."""


class StuckKey(msgspec.Struct, frozen=True):
    """A request whose reconcile has run for suspiciously long."""

    key: str
    seconds: float


class ControllerState(msgspec.Struct, frozen=True, kw_only=True):
    """Counts since the controller began; times in Unix seconds, durations in seconds."""

    name: str
    resource: str = ""
    """The key of the resource that it is for, such as ``mydemos.crddemo.k8s.io``; "" where it is for none."""
    phase: Phase = "created"
    problem: str = ""
    """Why it waits or has failed, in words."""
    workers: int = 1
    active: int = 0
    """Workers that reconcile right now."""
    queue: QueueState = QueueState()
    reconciles: dict[str, int] = {}
    """By outcome: success, requeue, requeue_after, error, terminal, panic, timeout."""
    last_at: float | None = None
    """When the last reconcile ended."""
    p50: float | None = None
    """Median of the durations of the last 1,000 reconciles."""
    p99: float | None = None
    failed: tuple[FailedKey, ...] = ()
    """Those that failed last, newest first, at most 50."""
    stuck: tuple[StuckKey, ...] = ()
