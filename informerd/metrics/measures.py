"""Definition of a measure: a name, a meaning, and a function that reads the numbers.

Measuring costs the informer nothing: it counts in plain numbers (`counters`), and these functions read them.
client-go's names (tools/cache/reflector_metrics.go and, since 1.36, component-base's informer metrics) are given in the
meanings after ``=``, where they stand for the same thing; its label ``name`` is here group, version, resource,
namespace and selector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from informerd.cache.counters import Distribution
from informerd.cache.health import Health
from informerd.cache.probe import Probe
from informerd.cache.shared_informer import SharedInformer

LABELS = ("cluster", "group", "version", "resource", "namespace", "selector")
"""Every measure of an informer has these; namespace and selector are empty for an informer of everything."""

Value = float | Distribution
Values = Iterable[tuple[tuple[str, ...], Value]]
"""Each with the values of the measure's own labels."""


class Subject(NamedTuple):
    """One informer as it is looked at: its health at `now` (Unix seconds)."""

    informer: SharedInformer[Any]
    health: Health
    now: float


class Measure(NamedTuple):
    """One family of numbers about each informer."""

    kind: Literal["gauge", "counter", "histogram"]
    name: str
    """Without ``informerd_`` and, for a counter, ``_total``."""
    meaning: str
    labels: tuple[str, ...]
    """Beside LABELS."""
    read: Callable[[Subject], Values]


class ProbeMeasure(NamedTuple):
    """One family of numbers about each API server's probe; the first label is the cluster."""

    kind: Literal["gauge", "counter"]
    name: str
    meaning: str
    labels: tuple[str, ...]
    read: Callable[[Probe], Iterable[tuple[tuple[str, ...], float]]]


def single_value(value: Callable[[Subject], float]) -> Callable[[Subject], Values]:
    """A number that there always is."""
    return lambda subject: [((), value(subject))]


def value_if_known(value: Callable[[Subject], float | None]) -> Callable[[Subject], Values]:
    """No number at all before there is one."""
    return lambda subject: [((), number)] if (number := value(subject)) is not None else []


def counts_by_label(counts: Callable[[Subject], Mapping[str, int]]) -> Callable[[Subject], Values]:
    """Counts by label value, copied in one step, because a scrape may come from another thread."""
    return lambda subject: [((word,), number) for word, number in [*counts(subject).items()]]
