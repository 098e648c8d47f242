"""Prometheus collector of a manager's own metrics: its leadership, and the runnables that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from informerd.metrics.families import add_sample, family_of


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

    def describe(self) -> Iterable[Metric]:
        """The families without numbers, for the registry's check of names."""
        return [_leading(), _failures()]

    def collect(self) -> Iterator[Metric]:
        """The families with the numbers of now."""
        state = self._manager.state()
        leading, failures = _leading(), _failures()
        if state.lease:
            leading.add_metric((state.lease,), float(state.leads))
        counts: dict[str, int] = {}
        for run in state.runnables:
            counts[run.name] = counts.get(run.name, 0) + run.failures
        for name, count in counts.items():
            add_sample(failures, (name,), count)
        yield leading
        yield failures


def _leading() -> GaugeMetricFamily:
    return GaugeMetricFamily("leader_election_master_status", "1 while this process holds the lease.", labels=("name",))


def _failures() -> Metric:
    return family_of("counter", "runnable_failures", "Runnables of a manager that have failed.", ("name",))
