"""Prometheus metrics of a process: its browsers and replicas, its worker's informers, its controllers.

A worker has no pages and a web process may have no worker: each shows what it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from dashboard.live.history.recorder import Recorder
from dashboard.live.hub.hub import Hub
from dashboard.live.logs.container_streams import LogStreams
from dashboard.live.replication.rejected_messages import RejectedMessages
from dashboard.live.replication.replica import Replica
from dashboard.live.usage.usage_collector import UsageCollector
from dashboard.server.wiring.worker import WorkerProcess
from informerd.manager.manager import Manager
from informerd.metrics import ControllerCollector, InformerCollector, ManagerCollector

PREFIX = "deltaboard_"

_COUNTED = (
    ("sockets_opened", "Websockets that have joined.", "sockets_opened"),
    ("frames_rendered", "Frames rendered, each for all sockets of its view.", "frames_rendered"),
    ("windows_rendered", "Whole windows rendered.", "windows_rendered"),
    ("messages", "Messages posted to sockets.", "messages"),
    ("sent_units", "Their length: bytes of binary messages, characters of others.", "sent_units"),
    ("heartbeats", "Heartbeats, each for all sockets.", "heartbeats"),
    ("socket_stops", "Times that a browser fell behind and got no frames for a while.", "socket_stops"),
    (
        "sockets_given_up",
        "Sockets closed because their browser stayed behind or stopped answering.",
        "sockets_given_up",
    ),
    (
        "sockets_aborted",
        "Sockets aborted because their browser did not read what was sent.",
        "sockets_aborted",
    ),
    ("browser_messages", "Messages from browsers that were handled.", "browser_messages"),
    ("render_seconds", "Time spent rendering frames.", "render_seconds"),
    (
        "full_turns",
        "Times that views waited because rendering others had taken its share of the process.",
        "full_turns",
    ),
    ("view_errors", "Views that failed and were dropped.", "view_errors"),
)
"""Name, meaning, and attribute of dashboard.live.hub.metrics.HubMetrics."""
_FEED = (
    ("feed_gaps", "Gaps found in the numbers of frames.", "gaps"),
    ("feed_gaps_healed", "Gaps that a snapshot has repaired.", "gaps_healed"),
    ("feed_silences", "Times that the worker stopped sending.", "silences"),
)
"""Name, meaning, and attribute of Replica."""


class WebCollector(Collector):
    """Metrics of a web process at the moment of a scrape."""

    def __init__(
        self,
        hub: Hub,
        replicas: Iterable[Replica],
        over_limit: Mapping[str, int] = MappingProxyType({}),
        logs: LogStreams | None = None,
    ) -> None:
        self._hub = hub
        self._replicas = replicas
        self._over_limit = over_limit
        self._logs = logs

    def describe(self) -> Iterable[Metric]:
        """The metric families without values."""
        return []

    def collect(self) -> Iterator[Metric]:
        """All metric families."""
        hub = self._hub
        sockets = [socket for each in hub.all_hubs for socket in each.sockets]
        yield GaugeMetricFamily(f"{PREFIX}sockets", "Browsers that are connected.", len(sockets))
        behind = sum(socket.is_behind for socket in sockets)
        yield GaugeMetricFamily(f"{PREFIX}sockets_behind", "Browsers that get nothing until they catch up.", behind)
        views = sum(len(each.views) for each in hub.all_hubs)
        yield GaugeMetricFamily(f"{PREFIX}views", "Views that are kept current.", views)
        groups = len(hub.all_hubs) - 1
        yield GaugeMetricFamily(f"{PREFIX}rights_groups", "Groups of people with equal rights that have pages.", groups)
        for name, meaning, attribute in _COUNTED:
            yield CounterMetricFamily(PREFIX + name, meaning, getattr(hub.metrics, attribute))
        yield self._by_label("sockets_refused", "Websockets closed for what they asked, by close code.", "code")
        yield self._by_label("sockets_turned_away", "Websockets kept out by a limit of open sockets.", "limit")
        yield self._refused_for_limits()
        if self._logs is not None:
            yield GaugeMetricFamily(f"{PREFIX}log_streams", "Logs of containers that are followed.", len(self._logs))
            yield CounterMetricFamily(f"{PREFIX}log_lines", "Lines of these that have come.", self._logs.lines)
        yield from self._of_replicas()

    def _by_label(self, name: str, meaning: str, label: str) -> Metric:
        family = CounterMetricFamily(PREFIX + name, meaning, labels=[label])
        for value, number in sorted(getattr(self._hub.metrics, name).items()):
            family.add_metric([str(value)], number)
        return family

    def _refused_for_limits(self) -> Metric:
        family = CounterMetricFamily(
            f"{PREFIX}over_limit",
            "Requests, views, connections and websockets refused because a limit was reached, by what.",
            labels=["what"],
        )
        for what, number in sorted(self._over_limit.items()):
            family.add_metric([what], number)
        return family

    def _of_replicas(self) -> Iterator[Metric]:
        rows = GaugeMetricFamily(f"{PREFIX}rows", "Objects as the pages show them.", labels=["resource"])
        live = GaugeMetricFamily(f"{PREFIX}live", "1 while pages of the kind may say live.", labels=["resource"])
        for replica in self._replicas:
            rows.add_metric([replica.key], len(replica.rows))
            live.add_metric([replica.key], float(replica.is_live))
        yield from (rows, live)
        for name, meaning, attribute in _FEED:
            family = CounterMetricFamily(PREFIX + name, meaning, labels=["resource"])
            for replica in self._replicas:
                family.add_metric([replica.key], getattr(replica, attribute))
            yield family


class UsageMetricsCollector(Collector):
    """Metrics of the polls of the metrics API, and of what is kept of them, at the moment of a scrape."""

    def __init__(self, usage: UsageCollector) -> None:
        self._usage = usage

    def describe(self) -> Iterable[Metric]:
        """The metric families without values."""
        return []

    def collect(self) -> Iterator[Metric]:
        """All metric families."""
        usage, prefix = self._usage, f"{PREFIX}usage_"
        history = usage.history
        yield GaugeMetricFamily(f"{prefix}series", "Objects whose usage is kept.", len(history))
        yield GaugeMetricFamily(f"{prefix}samples", "Samples of them that are kept.", history.count)
        yield GaugeMetricFamily(f"{prefix}samples_bytes", "Memory for these samples.", history.size)
        yield SummaryMetricFamily(
            f"{prefix}poll_duration_seconds", "Polls of the metrics API.", usage.polls, usage.poll_seconds
        )
        yield CounterMetricFamily(f"{prefix}poll_failures", "Polls that told nothing.", usage.failures)
        if usage.answered_at is not None:
            name, meaning = f"{prefix}last_poll_timestamp_seconds", "Unix time of the last poll that was answered."
            yield GaugeMetricFamily(name, meaning, usage.answered_at)


class HistoryCollector(Collector):
    """Metrics of the recorder of history at the moment of a scrape."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def describe(self) -> Iterable[Metric]:
        """The metric families without values."""
        return []

    def collect(self) -> Iterator[Metric]:
        """All metric families."""
        recorder, prefix = self._recorder, f"{PREFIX}history_"
        counts, queue = recorder.counts, recorder.queue
        is_recording = float(recorder.is_recording)
        yield GaugeMetricFamily(
            f"{prefix}recording", "1 where this worker records, 0 where it stands by.", is_recording
        )
        failing = float(bool(recorder.problem))
        yield GaugeMetricFamily(f"{prefix}failing", "1 while the database cannot be written.", failing)
        yield GaugeMetricFamily(
            f"{prefix}queue", "Changes that wait to be written, or are kept in reserve.", len(queue)
        )
        yield GaugeMetricFamily(f"{prefix}queue_bytes", "Memory that they take, approximately.", queue.size)
        yield CounterMetricFamily(f"{prefix}versions", "Versions written.", counts.written)
        yield CounterMetricFamily(f"{prefix}versions_bytes", "Their compressed length.", counts.bytes)
        yield CounterMetricFamily(f"{prefix}heartbeats", "Changes that were heartbeats only.", counts.heartbeats)
        yield CounterMetricFamily(
            f"{prefix}lost", "Changes for which there was no room; they are in gaps.", recorder.lost
        )
        yield CounterMetricFamily(f"{prefix}unreadable", "Changes that could not be read.", counts.unreadable)
        yield CounterMetricFamily(f"{prefix}gaps", "Gaps of a kind, by their ends.", counts.gaps)


class RejectedMessagesCollector(Collector):
    """Metric of the messages that a process dropped, at the moment of a scrape."""

    def __init__(self, rejected: RejectedMessages) -> None:
        self._rejected = rejected

    def describe(self) -> Iterable[Metric]:
        """The metric families without values."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The one metric family."""
        family = CounterMetricFamily(
            f"{PREFIX}feed_messages_rejected",
            "Messages between worker and web processes that were dropped, by reason.",
            labels=["reason"],
        )
        for reason, number in self._rejected.counts.items():
            family.add_metric([reason], number)
        yield family


def exposition(worker_process: WorkerProcess, web_collector: WebCollector | None = None) -> tuple[bytes, str]:
    """All metrics of a process, and their content type."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(RejectedMessagesCollector(worker_process.rejected_messages))
    informers = InformerCollector()
    if web_collector is not None:
        registry.register(web_collector)
    if worker_process.usage is not None:
        registry.register(UsageMetricsCollector(worker_process.usage))
    if worker_process.history is not None:
        registry.register(HistoryCollector(worker_process.history))
    if worker_process.worker is not None:
        informers.add(worker_process.worker.factory)
    manager = worker_process.controllers.manager if worker_process.controllers is not None else None
    if isinstance(manager, Manager):
        for factory in manager.client.factories:
            informers.add(factory)
        registry.register(ControllerCollector(manager))
        registry.register(ManagerCollector(manager))
    registry.register(informers)
    return generate_latest(registry), CONTENT_TYPE_LATEST
