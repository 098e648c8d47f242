"""Prometheus collector of controllers' and work queues' metrics, to register with a registry of the program's own.

registry = CollectorRegistry()
registry.register(ControllerCollector(manager))
start_http_server(9100, registry=registry)  # or generate_latest(registry) in a view
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from informerd.controller.controller import Controller
from informerd.metrics.controller_measures import (
    CONTROLLER_LABELS,
    CONTROLLER_MEASURES,
    ControllerMeasure,
    ControllerSubject,
)
from informerd.metrics.families import add_sample, family_of
from informerd.metrics.queue_measures import QUEUE_LABELS, QUEUE_MEASURES, QueueMeasure, QueueSubject
from informerd.metrics.scopes import LabelSets, LabelValues
from informerd.workqueue.work_queue import WorkQueue


class HasControllers(Protocol):
    """Such as a manager: stands for all its controllers, also those that are added later."""

    @property
    def controllers(self) -> Iterable[Controller]: ...


Source = HasControllers | Controller | WorkQueue[Any]


class ControllerCollector(Collector):
    """Shows the numbers of managers, controllers and queues at the moment of a scrape, which may come from any thread.

    Of two with the same labels, the second one's name gets `` (2)`` added for as long as it is shown. Give managers of
    different clusters different `cluster` labels. Nothing stays counted of what is removed.
    """

    def __init__(self, *sources: Source, cluster: str = "") -> None:
        self._sources: dict[Source, str] = dict.fromkeys(sources, cluster)
        self._controllers: LabelSets[Controller] = LabelSets()
        self._queues: LabelSets[WorkQueue[Any]] = LabelSets()

    def add(self, source: Source, *, cluster: str = "") -> None:
        """Show `source` too, or under another label than before."""
        self._sources[source] = cluster

    def remove(self, source: Source) -> None:
        """Stop showing it; an unknown one is ignored."""
        self._sources.pop(source, None)

    def describe(self) -> Iterable[Metric]:
        """The families without numbers, for the registry's check of names."""
        return [*map(_queue_family, QUEUE_MEASURES), *map(_controller_family, CONTROLLER_MEASURES)]

    def collect(self) -> Iterator[Metric]:
        """The families with the numbers of now."""
        controllers: dict[Controller, LabelValues] = {}
        queues: dict[WorkQueue[Any], LabelValues] = {}
        for source, cluster in [*self._sources.items()]:
            if isinstance(source, WorkQueue):
                queues[source] = (cluster, source.name)
                continue
            for controller in (source,) if isinstance(source, Controller) else source.controllers:
                controllers[controller] = (cluster, controller.name)
                queues[controller.queue] = (cluster, controller.queue.name)
        yield from self._of_queues(queues)
        yield from self._of_controllers(controllers)

    def _of_queues(self, shown: dict[WorkQueue[Any], LabelValues]) -> Iterator[Metric]:
        scopes = self._queues.disambiguate(shown)
        subjects = {scope: QueueSubject(queue, queue.state()) for queue, scope in scopes.items()}
        for measure in QUEUE_MEASURES:
            family = _queue_family(measure)
            for scope, subject in subjects.items():
                add_sample(family, scope, measure.read(subject))
            yield family

    def _of_controllers(self, shown: dict[Controller, LabelValues]) -> Iterator[Metric]:
        scopes = self._controllers.disambiguate(shown)
        subjects = {scope: ControllerSubject(each, each.state()) for each, scope in scopes.items()}
        for measure in CONTROLLER_MEASURES:
            family = _controller_family(measure)
            for scope, subject in subjects.items():
                for own, value in measure.read(subject):
                    add_sample(family, (*scope, *own), value)
            yield family


def _queue_family(measure: QueueMeasure) -> Metric:
    return family_of(measure.kind, measure.name, measure.meaning, QUEUE_LABELS)


def _controller_family(measure: ControllerMeasure) -> Metric:
    labels = (*CONTROLLER_LABELS, *measure.labels)
    return family_of(measure.kind, f"controller_{measure.name}", measure.meaning, labels)
