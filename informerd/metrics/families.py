"""Prometheus metric families; only this module and the collectors import prometheus_client."""

from __future__ import annotations

from itertools import accumulate
from typing import Literal

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from informerd.cache.counters import Distribution

PREFIX = "informerd_"

Kind = Literal["gauge", "counter", "histogram"]


def family_of(kind: Kind, name: str, meaning: str, labels: tuple[str, ...]) -> Metric:
    """An empty family. `name` is without PREFIX and, for a counter, without ``_total``."""
    match kind:
        case "counter":
            return CounterMetricFamily(PREFIX + name, meaning, labels=labels)
        case "histogram":
            return HistogramMetricFamily(PREFIX + name, meaning, labels=labels)
    return GaugeMetricFamily(PREFIX + name, meaning, labels=labels)


def add_sample(family: Metric, labels: tuple[str, ...], value: float | Distribution) -> None:
    """Put a series into it; `value` is of the family's kind."""
    match family, value:
        case HistogramMetricFamily(), Distribution(bounds=bounds, counts=counts, sum=total):
            ends = (*map(str, bounds), "+Inf")
            family.add_metric(labels, [*zip(ends, accumulate(counts), strict=True)], total)
        case CounterMetricFamily() | GaugeMetricFamily(), int() | float():
            family.add_metric(labels, value)
