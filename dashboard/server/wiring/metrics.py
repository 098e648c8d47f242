"""What a process counts, for Prometheus: its browsers and replicas, its worker's informers, its controllers.

A worker has no pages and a web process may have no worker: each shows what it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from dashboard.live.hub import Hub
from dashboard.live.replica import Replica
from dashboard.upstream import Upstream
from informerd.manager.manager import Manager
from informerd.metrics import ControllerCollector, InformerCollector, ManagerCollector

PREFIX = "deltaboard_"

_COUNTED = (
    ("sockets_opened", "Websockets that have joined.", "sockets_opened"),
    ("frames_rendered", "Frames rendered, each for all sockets of its view.", "frames"),
    ("windows_rendered", "Whole windows rendered.", "windows"),
    ("messages", "Messages posted to sockets.", "messages"),
    ("sent_units", "Their length: bytes of binary messages, characters of others.", "units"),
    ("heartbeats", "Heartbeats, each for all sockets.", "beats"),
    ("socket_stops", "Times that a browser did not keep up and got no more frames for a while.", "stops"),
    ("sockets_given_up", "Sockets closed because their browser stayed behind or was not heard any more.", "given_up"),
    ("render_seconds", "Time spent rendering frames.", "render_seconds"),
    (
        "full_turns",
        "Times that views waited because rendering others had taken its share of the process.",
        "full_turns",
    ),
    ("view_errors", "Views that failed and were dropped.", "view_errors"),
)
"""Name, meaning, and attribute of dashboard.live.metrics.Metrics."""
_FEED = (
    ("feed_gaps", "Holes found in the numbers of frames.", "gaps"),
    ("feed_gaps_healed", "Holes that a snapshot has made up for.", "gaps_healed"),
    ("feed_silences", "Times that the worker fell silent.", "silences"),
)
"""Name, meaning, and attribute of Replica."""


class PagesCollector(Collector):
    """The numbers of a web process at the moment of a scrape."""

    def __init__(self, hub: Hub, replicas: Iterable[Replica]) -> None:
        self._hub = hub
        self._replicas = replicas

    def describe(self) -> Iterable[Metric]:
        """The families without numbers."""
        return []

    def collect(self) -> Iterator[Metric]:
        """All families."""
        hub = self._hub
        yield GaugeMetricFamily(f"{PREFIX}sockets", "Browsers that are connected.", len(hub.sockets))
        behind = sum(socket.behind for socket in hub.sockets)
        yield GaugeMetricFamily(f"{PREFIX}sockets_behind", "Browsers that get nothing until they catch up.", behind)
        yield GaugeMetricFamily(f"{PREFIX}views", "Views that are kept current.", len(hub.views))
        for name, meaning, attribute in _COUNTED:
            yield CounterMetricFamily(PREFIX + name, meaning, getattr(hub.metrics, attribute))
        yield self._refused()
        yield from self._of_replicas()

    def _refused(self) -> Metric:
        family = CounterMetricFamily(
            f"{PREFIX}sockets_refused", "Websockets closed for what they asked, by close code.", labels=["code"]
        )
        for code, number in sorted(self._hub.metrics.refused.items()):
            family.add_metric([str(code)], number)
        return family

    def _of_replicas(self) -> Iterator[Metric]:
        rows = GaugeMetricFamily(f"{PREFIX}rows", "Objects as the pages show them.", labels=["resource"])
        live = GaugeMetricFamily(f"{PREFIX}live", "1 while pages of the kind may say live.", labels=["resource"])
        for replica in self._replicas:
            rows.add_metric([replica.key], len(replica.rows))
            live.add_metric([replica.key], float(replica.live))
        yield from (rows, live)
        for name, meaning, attribute in _FEED:
            family = CounterMetricFamily(PREFIX + name, meaning, labels=["resource"])
            for replica in self._replicas:
                family.add_metric([replica.key], getattr(replica, attribute))
            yield family


def exposition(upstream: Upstream, pages: PagesCollector | None = None) -> tuple[bytes, str]:
    """All that a process has to show, and its content type."""
    registry = CollectorRegistry(auto_describe=False)
    informers = InformerCollector()
    if pages is not None:
        registry.register(pages)
    if upstream.worker is not None:
        informers.add(upstream.worker.factory)
    manager = upstream.controllers.manager if upstream.controllers is not None else None
    if isinstance(manager, Manager):
        for factory in manager.client.factories:
            informers.add(factory)
        registry.register(ControllerCollector(manager))
        registry.register(ManagerCollector(manager))
    registry.register(informers)
    return generate_latest(registry), CONTENT_TYPE_LATEST
