"""Measures of a controller, with controller-runtime's name after ``=`` where it has the same one.

Source: controller-runtime's pkg/internal/controller/metrics/metrics.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, get_args

from informerd.controller.controller import Controller
from informerd.controller.counters import Outcome
from informerd.controller.state import ControllerState, Phase
from informerd.metrics.families import Kind
from informerd.metrics.measures import Values

CONTROLLER_LABELS = ("cluster", "controller")

ERRORS: tuple[Outcome, ...] = ("error", "terminal", "panic", "timeout")


class ControllerSubject(NamedTuple):
    """One controller as it is looked at."""

    controller: Controller
    state: ControllerState


class ControllerMeasure(NamedTuple):
    """One family of numbers about each controller."""

    kind: Kind
    name: str
    """Without ``informerd_controller_`` and, for a counter, ``_total``."""
    meaning: str
    labels: tuple[str, ...]
    """Beside CONTROLLER_LABELS."""
    read: Callable[[ControllerSubject], Values]


def _one(value: Callable[[ControllerState], float]) -> Callable[[ControllerSubject], Values]:
    return lambda each: [((), value(each.state))]


def _outcomes(each: ControllerSubject) -> Values:
    """All that there are, so that a rate of errors can be asked for before the first one."""
    return [((outcome,), each.state.reconciles.get(outcome, 0)) for outcome in get_args(Outcome)]


def _last(each: ControllerSubject) -> Values:
    return [] if each.state.last_at is None else [((), each.state.last_at)]


CONTROLLER_MEASURES: tuple[ControllerMeasure, ...] = (
    ControllerMeasure(
        "counter",
        "reconciles",
        "Reconciles by outcome. = controller_runtime_reconcile_total",
        ("outcome",),
        _outcomes,
    ),
    ControllerMeasure(
        "counter",
        "reconcile_errors",
        "Reconciles that failed, whatever the outcome is called. = controller_runtime_reconcile_errors_total",
        (),
        _one(lambda state: sum(state.reconciles.get(outcome, 0) for outcome in ERRORS)),
    ),
    ControllerMeasure(
        "histogram",
        "reconcile_duration_seconds",
        "How long reconciles took, failed ones included. = controller_runtime_reconcile_time_seconds",
        (),
        lambda each: [((), each.controller.counters.seconds)],
    ),
    ControllerMeasure(
        "gauge",
        "workers",
        "Workers that there are. = controller_runtime_max_concurrent_reconciles",
        (),
        _one(lambda state: state.workers),
    ),
    ControllerMeasure(
        "gauge",
        "active_workers",
        "Workers that reconcile right now. = controller_runtime_active_workers",
        (),
        _one(lambda state: state.active),
    ),
    ControllerMeasure(
        "gauge",
        "failed_keys",
        "Keys whose last reconcile failed; at most 50 are counted.",
        (),
        _one(lambda state: len(state.failed)),
    ),
    ControllerMeasure(
        "gauge",
        "stuck_keys",
        "Keys whose reconcile has run for suspiciously long.",
        (),
        _one(lambda state: len(state.stuck)),
    ),
    ControllerMeasure(
        "gauge",
        "last_reconcile_timestamp_seconds",
        "When the last reconcile ended, in Unix seconds; nothing before the first.",
        (),
        _last,
    ),
    ControllerMeasure(
        "gauge",
        "phase",
        "1 for the phase that the controller is in, 0 for the others.",
        ("phase",),
        lambda each: [((phase,), float(phase == each.state.phase)) for phase in get_args(Phase)],
    ),
)
