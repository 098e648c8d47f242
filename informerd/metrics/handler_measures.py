"""Measures of an informer's handlers, and of the probe of an API server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from informerd.cache.counters import HandlerTotals
from informerd.cache.listener import Listener
from informerd.metrics.measures import Measure, ProbeMeasure, Subject, Values


def _handlers(
    value: Callable[[Listener[Any]], float], join: Callable[[float, float], float]
) -> Callable[[Subject], Values]:
    """The present handlers by name; the numbers of handlers of one name are joined."""

    def read(subject: Subject) -> Values:
        found: dict[str, float] = {}
        for listener in subject.informer.registrations:
            name = subject.informer.counters.handlers.label(listener.name)
            found[name] = join(found.get(name, 0.0), value(listener))
        return [((name,), number) for name, number in found.items()]

    return read


def _sum(one: float, other: float) -> float:
    return one + other


def _counted(value: Callable[[HandlerTotals], int]) -> Callable[[Subject], Values]:
    """Of all that there were, by name."""
    return lambda subject: [
        ((name,), value(each)) for name, each in subject.informer.counters.handlers.by_name().items()
    ]


HANDLER_MEASURES: tuple[Measure, ...] = (
    Measure(
        "gauge",
        "handler_queued_notifications",
        "Notifications that wait for a handler.",
        ("handler",),
        _handlers(lambda each: each.depth, _sum),
    ),
    Measure(
        "gauge",
        "handler_oldest_age_seconds",
        (
            "Lag of a handler: seconds since the oldest notification that it has not dealt with, or one of "
            "the same batch, was put into its buffer."
        ),
        ("handler",),
        _handlers(lambda each: each.oldest_age, max),
    ),
    Measure(
        "counter",
        "handler_notifications",
        "Notifications put into a handler's buffer.",
        ("handler",),
        _counted(lambda each: each.enqueued_count),
    ),
    Measure(
        "counter",
        "handler_failures",
        "How often a handler raised.",
        ("handler",),
        _counted(lambda each: each.failures),
    ),
    Measure(
        "counter",
        "handler_overflows",
        "How often a handler's buffer grew too long.",
        ("handler",),
        _counted(lambda each: each.overflows),
    ),
)

PROBE_MEASURES: tuple[ProbeMeasure, ...] = (
    ProbeMeasure(
        "counter",
        "probes",
        "Probes of the API server by outcome; refused is an answer too.",
        ("outcome",),
        lambda probe: [((word,), number) for word, number in [*probe.outcomes.items()]],
    ),
    ProbeMeasure(
        "gauge",
        "api_server_silent",
        "1 while the API server does not answer probes.",
        (),
        lambda probe: [((), float(bool(probe.problem)))],
    ),
)
