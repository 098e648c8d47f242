"""Prometheus collector of controllers' and work queues' metrics, to register with a registry of the program's own.

registry = CollectorRegistry()
registry.register(ControllerCollector(manager))
start_http_server(9100, registry=registry)  # or generate_latest(registry) in a view
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Protocol

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from informerd.controller.controller import Controller
from informerd.metrics.controller_families import (
    ControllerSubject,
    QueueSubject,
    controller_families,
    queue_families,
)
from informerd.metrics.unique_labels import LabelSets, LabelValues
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

    @staticmethod
    def describe() -> Iterable[Metric]:
        """The families without numbers, for the registry's check of names."""
        return chain(queue_families({}), controller_families({}))

    def collect(self) -> Iterator[Metric]:
        """The families with the numbers of now."""
        controllers: dict[Controller, LabelValues] = {}
        queues: dict[WorkQueue[Any], LabelValues] = {}
        for source, cluster in dict(self._sources).items():
            if isinstance(source, WorkQueue):
                queues[source] = (cluster, source.name)
                continue
            for controller in (source,) if isinstance(source, Controller) else source.controllers:
                controllers[controller] = (cluster, controller.name)
                queues[controller.queue] = (cluster, controller.queue.name)
        scopes = self._queues.disambiguate(queues)
        yield from queue_families({scope: QueueSubject(each, each.state()) for each, scope in scopes.items()})
        named = self._controllers.disambiguate(controllers)
        yield from controller_families({scope: ControllerSubject(each, each.state()) for each, scope in named.items()})
