"""Families about controllers and work queues.

Sources of the names after ``=``: controller-runtime's pkg/internal/controller/metrics/metrics.go. Those of queues are
client-go's after the prefix: util/workqueue/metrics.go, and component-base's metrics/prometheus/workqueue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from prometheus_client.core import Metric

from informerd.controller.controller import Controller
from informerd.controller.counters import Outcome
from informerd.controller.state import ControllerState, Phase
from informerd.metrics.family_builder import Families
from informerd.metrics.unique_labels import LabelValues
from informerd.workqueue.queue_state import QueueState
from informerd.workqueue.work_queue import WorkQueue

ERRORS: tuple[Outcome, ...] = ("error", "terminal", "panic", "timeout")


class QueueSubject(NamedTuple):
    """One queue as it is looked at."""

    queue: WorkQueue[Any]
    state: QueueState


class ControllerSubject(NamedTuple):
    """One controller as it is looked at."""

    controller: Controller
    state: ControllerState


def queue_families(subjects: Mapping[LabelValues, QueueSubject]) -> Iterator[Metric]:
    """client-go's label of the queue is ``name``. A controller's queue has the controller's name."""
    of = Families(subjects, "cluster", "queue")
    words = "Keys that wait for a worker, and those being worked on that were added again meanwhile."
    yield of.gauge("workqueue_depth", words, lambda each: each.state.depth)
    words = "How long the oldest of the keys that are counted in the depth has waited."
    yield of.gauge("workqueue_oldest_age_seconds", words, lambda each: each.state.oldest_seconds)
    yield of.gauge("workqueue_delayed", "Keys that are not due yet.", lambda each: each.state.delayed)
    yield of.gauge("workqueue_processing", "Keys being worked on.", lambda each: each.state.processing)
    words = "How often a key came to wait that did not wait already."
    yield of.counter("workqueue_adds", words, lambda each: each.state.adds)
    words = "How often a key was added with a delay or by the rate limiter."
    yield of.counter("workqueue_retries", words, lambda each: each.state.retries)
    words = "How long keys waited until they were handed out."
    yield of.histogram("workqueue_queue_duration_seconds", words, lambda each: each.queue.counters.latency)
    words = "How long keys were worked on until they were done."
    yield of.histogram("workqueue_work_duration_seconds", words, lambda each: each.queue.counters.work)
    words = "The time that all keys now being worked on have taken so far; it grows where workers are stuck."
    yield of.gauge("workqueue_unfinished_work_seconds", words, lambda each: each.state.unfinished_seconds)
    words = "The time that the key which was begun first of those being worked on has taken so far."
    yield of.gauge("workqueue_longest_running_processor_seconds", words, lambda each: each.state.longest_seconds)


def controller_families(subjects: Mapping[LabelValues, ControllerSubject]) -> Iterator[Metric]:
    """Reconciles, workers and failed keys of each controller."""
    of = Families(subjects, "cluster", "controller")
    words = "Reconciles by outcome. = controller_runtime_reconcile_total"
    yield of.counter("controller_reconciles", words, _outcomes, "outcome")
    words = "Reconciles that failed, whatever the outcome is called. = controller_runtime_reconcile_errors_total"
    yield of.counter("controller_reconcile_errors", words, _errors)
    words = "How long reconciles took, failed ones included. = controller_runtime_reconcile_time_seconds"
    yield of.histogram("controller_reconcile_duration_seconds", words, lambda each: each.controller.counters.seconds)
    words = "Workers that there are. = controller_runtime_max_concurrent_reconciles"
    yield of.gauge("controller_workers", words, lambda each: each.state.workers)
    words = "Workers that reconcile right now. = controller_runtime_active_workers"
    yield of.gauge("controller_active_workers", words, lambda each: each.state.active)
    words = "Keys whose last reconcile failed; at most 50 are counted."
    yield of.gauge("controller_failed_keys", words, lambda each: len(each.state.failed))
    words = "Keys whose reconcile has run for suspiciously long."
    yield of.gauge("controller_stuck_keys", words, lambda each: len(each.state.stuck))
    words = "When the last reconcile ended, in Unix seconds; nothing before the first."
    yield of.gauge("controller_last_reconcile_timestamp_seconds", words, lambda each: each.state.last_at)
    words = "1 for the phase that the controller is in, 0 for the others."
    yield of.gauge("controller_phase", words, _phase, "phase")


def _outcomes(subject: ControllerSubject) -> dict[str, float]:
    """All that there are, so that a rate of errors can be asked for before the first one."""
    return {outcome: subject.state.reconciles.get(outcome, 0) for outcome in get_args(Outcome)}


def _errors(subject: ControllerSubject) -> float:
    return sum(subject.state.reconciles.get(outcome, 0) for outcome in ERRORS)


def _phase(subject: ControllerSubject) -> dict[str, float]:
    return {phase: phase == subject.state.phase for phase in get_args(Phase)}
