"""Prometheus metrics of a process.

A worker has no pages and a web process may have no worker: each shows what it has.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from dashboard.live.replication.channel_layer import ChannelLayerHealth
from dashboard.server.metrics.process_metrics import ProcessMetrics, ProcessNumbers
from dashboard.server.metrics.web_metrics import WebMetrics, WebNumbers
from dashboard.server.metrics.worker_metrics import HistoryMetrics, UsageMetrics
from dashboard.server.wiring.worker import WorkerProcess
from informerd.manager.manager import Manager
from informerd.metrics import ClientCollector, ControllerCollector, InformerCollector, ManagerCollector


def exposition(
    process: WorkerProcess, web: WebNumbers | None = None, web_layer: ChannelLayerHealth | None = None
) -> tuple[bytes, str]:
    """All metrics of a process, and their content type. `web_layer` is the health of the layer in its web part."""
    registry = CollectorRegistry()
    for collector in _collectors(process, web, web_layer):
        registry.register(collector)
    return generate_latest(registry), CONTENT_TYPE_LATEST


def _collectors(
    process: WorkerProcess, web: WebNumbers | None, web_layer: ChannelLayerHealth | None
) -> Iterator[Collector]:
    role = "worker" if web is None else "web" if process.worker is None else "both"

    def channel_problem() -> str:
        return process.layer_health.problem or (web_layer.problem if web_layer is not None else "")

    yield ProcessCollector(registry=None)
    yield ProcessMetrics(ProcessNumbers(process, role, channel_problem))
    if web is not None:
        yield WebMetrics(web)
    if process.usage is not None:
        yield UsageMetrics(process.usage)
    if process.history is not None:
        yield HistoryMetrics(process.history)
    if process.connection.client is not None:
        yield ClientCollector(process.connection.client)
    informers = InformerCollector()
    if process.worker is not None:
        informers.add(process.worker.factory)
    manager = process.controllers.manager if process.controllers is not None else None
    if isinstance(manager, Manager):
        for factory in manager.client.factories:
            informers.add(factory)
        yield ControllerCollector(manager)
        yield ManagerCollector(manager)
    yield informers
