"""Measures of a work queue, with client-go's names after the prefix ``informerd_``.

Source: client-go's util/workqueue/metrics.go and component-base's metrics/prometheus/workqueue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from informerd.metrics.families import Kind
from informerd.metrics.measures import Value
from informerd.workqueue.state import QueueState
from informerd.workqueue.work_queue import WorkQueue

QUEUE_LABELS = ("cluster", "queue")
"""client-go's label of the queue is ``name``. A controller's queue has the controller's name."""


class QueueSubject(NamedTuple):
    """One queue as it is looked at."""

    queue: WorkQueue[Any]
    state: QueueState


class QueueMeasure(NamedTuple):
    """One family of numbers about each queue."""

    kind: Kind
    name: str
    """Without ``informerd_`` and, for a counter, ``_total``."""
    meaning: str
    read: Callable[[QueueSubject], Value]


QUEUE_MEASURES: tuple[QueueMeasure, ...] = (
    QueueMeasure(
        "gauge",
        "workqueue_depth",
        "Keys that wait for a worker, and those being worked on that were added again meanwhile.",
        lambda each: each.state.depth,
    ),
    QueueMeasure(
        "gauge",
        "workqueue_oldest_age_seconds",
        "How long the oldest of the keys that are counted in the depth has waited.",
        lambda each: each.state.oldest_seconds,
    ),
    QueueMeasure("gauge", "workqueue_delayed", "Keys that are not due yet.", lambda each: each.state.delayed),
    QueueMeasure("gauge", "workqueue_processing", "Keys being worked on.", lambda each: each.state.processing),
    QueueMeasure(
        "counter",
        "workqueue_adds",
        "How often a key came to wait that did not wait already.",
        lambda each: each.state.adds,
    ),
    QueueMeasure(
        "counter",
        "workqueue_retries",
        "How often a key was added with a delay or by the rate limiter.",
        lambda each: each.state.retries,
    ),
    QueueMeasure(
        "histogram",
        "workqueue_queue_duration_seconds",
        "How long keys waited until they were handed out.",
        lambda each: each.queue.counters.latency,
    ),
    QueueMeasure(
        "histogram",
        "workqueue_work_duration_seconds",
        "How long keys were worked on until they were done.",
        lambda each: each.queue.counters.work,
    ),
    QueueMeasure(
        "gauge",
        "workqueue_unfinished_work_seconds",
        "The time that all keys now being worked on have taken so far; it grows where workers are stuck.",
        lambda each: each.state.unfinished_seconds,
    ),
    QueueMeasure(
        "gauge",
        "workqueue_longest_running_processor_seconds",
        "The time that the key which was begun first of those being worked on has taken so far.",
        lambda each: each.state.longest_seconds,
    ),
)
