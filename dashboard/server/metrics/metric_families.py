"""Metric families of Deltaboard, whose names begin with deltaboard_, and the collector that shows them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from informerd.metrics.family_builder import Families
from informerd.metrics.unique_labels import LabelValues

PREFIX = "deltaboard_"

T = TypeVar("T")


def families(things: Mapping[LabelValues, T], *labels: str) -> Families[T]:
    """Makes families about `things`, named with PREFIX."""
    return Families(things, *labels, prefix=PREFIX)


class FamiliesCollector(Collector, Generic[T]):
    """Shows the families of one thing at the moment of a scrape."""

    def __init__(self, thing: T) -> None:
        self._thing = thing

    @classmethod
    def describe(cls) -> Iterator[Metric]:
        """The families without numbers, for the registry's check of names."""
        return cls.families({})

    def collect(self) -> Iterator[Metric]:
        """The families with the numbers of now."""
        return self.families({(): self._thing})

    @staticmethod
    @abstractmethod
    def families(things: Mapping[LabelValues, T]) -> Iterator[Metric]:
        """Families with a number for each of `things`."""
