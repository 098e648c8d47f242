"""Prometheus collector of a manager's own metrics: its leadership, and the runnables that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from informerd.metrics.family_builder import Families


class Run(Protocol):
    """One of what a manager runs."""

    @property
    def name(self) -> str: ...

    @property
    def failures(self) -> int: ...


class ManagerNumbers(Protocol):
    """Part of a manager's state that metrics show."""

    @property
    def lease(self) -> str: ...

    @property
    def leads(self) -> bool: ...

    @property
    def runnables(self) -> Iterable[Run]: ...


class HasState(Protocol):
    """Such as a manager."""

    def state(self) -> ManagerNumbers: ...


class ManagerCollector(Collector):
    """Shows a manager's numbers at the moment of a scrape. `leader_election_master_status` is client-go's name."""

    def __init__(self, manager: HasState) -> None:
        self._manager = manager

    @staticmethod
    def describe() -> Iterable[Metric]:
        """The families without numbers, for the registry's check of names."""
        return _families("", False, {})

    def collect(self) -> Iterator[Metric]:
        """The families with the numbers of now."""
        state = self._manager.state()
        failures: dict[str, float] = {}
        for run in state.runnables:
            failures[run.name] = failures.get(run.name, 0) + run.failures
        yield from _families(state.lease, state.leads, failures)


def _families(lease: str, leads: bool, failures: dict[str, float]) -> Iterator[Metric]:
    leading = GaugeMetricFamily(
        "leader_election_master_status", "1 while this process holds the lease.", labels=("name",)
    )
    if lease:
        leading.add_metric((lease,), float(leads))
    yield leading
    of = Families({(): failures})
    yield of.counter("runnable_failures", "Runnables of a manager that have failed.", lambda each: each, "name")
