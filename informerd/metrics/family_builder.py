"""Maker of Prometheus metric families about several things of one sort.

Measuring costs the informer nothing: it counts in plain numbers (`counters`), which are read when Prometheus asks.
client-go's and controller-runtime's names are given in the meanings after ``=``, where they stand for the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any, Generic, TypeAlias, TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from informerd.cache.counters import Distribution
from informerd.metrics.unique_labels import LabelValues

PREFIX = "informerd_"

T = TypeVar("T")
V = TypeVar("V")

Values: TypeAlias = V | Mapping[Any, V] | None
"""A thing's only value, or one for each text of the family's own label (a tuple for several); None for none."""


class Families(Generic[T]):
    """Makes families about `things`, which are by the values of the `labels` that every family has.

    Names are without the `prefix` and, for a counter, without ``_total``. `read` gives the values of one thing; `own`
    are their labels beside those of the thing.
    """

    def __init__(self, things: Mapping[LabelValues, T], *labels: str, prefix: str = PREFIX) -> None:
        self._prefix = prefix
        self._things = things
        self._labels = labels

    def gauge(self, name: str, meaning: str, read: Callable[[T], Values[float]], *own: str) -> Metric:
        family = GaugeMetricFamily(self._prefix + name, meaning, labels=(*self._labels, *own))
        for labels, value in self._series(read):
            family.add_metric(labels, value)
        return family

    def counter(self, name: str, meaning: str, read: Callable[[T], Values[float]], *own: str) -> Metric:
        family = CounterMetricFamily(self._prefix + name, meaning, labels=(*self._labels, *own))
        for labels, value in self._series(read):
            family.add_metric(labels, value)
        return family

    def histogram(self, name: str, meaning: str, read: Callable[[T], Values[Distribution]], *own: str) -> Metric:
        family = HistogramMetricFamily(self._prefix + name, meaning, labels=(*self._labels, *own))
        for labels, value in self._series(read):
            ends = (*map(str, value.bounds), "+Inf")
            family.add_metric(labels, [*zip(ends, accumulate(value.counts), strict=True)], value.sum)
        return family

    def _series(self, read: Callable[[T], Values[V]]) -> list[tuple[LabelValues, V]]:
        series: list[tuple[LabelValues, V]] = []
        for labels, thing in self._things.items():
            values = read(thing)
            if isinstance(values, Mapping):
                # A scrape may come from another thread. Only dict() copies in one step: the pairs of items() are made
                # one by one, the garbage collector may run between two of them, and with it the thread that writes.
                copied = dict(values)
                series += [
                    ((*labels, *((own,) if isinstance(own, str) else own)), value) for own, value in copied.items()
                ]
            elif values is not None:
                series.append((labels, values))
        return series
