"""Metrics that every process of Deltaboard has: its version, its event loop, Redis and its cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import Metric

from dashboard.cluster.client_certificate import certificate_expiry
from dashboard.server.metrics.metric_families import FamiliesCollector, families
from dashboard.server.wiring.worker import WorkerProcess
from informerd.metrics.unique_labels import LabelValues
from informerd.version import VERSION


@dataclass(frozen=True)
class ProcessNumbers:
    """What is shown of a process; `channel_problem` says why Redis cannot be used."""

    process: WorkerProcess
    role: str
    channel_problem: Callable[[], str]


class ProcessMetrics(FamiliesCollector[ProcessNumbers]):
    """The numbers of a process."""

    @staticmethod
    def families(things: Mapping[LabelValues, ProcessNumbers]) -> Iterator[Metric]:
        of = families(things)
        words = "Always 1, with the version and what the process is: worker, web, or both in one."
        yield of.gauge("build_info", words, lambda each: {(VERSION, each.role): 1}, "version", "role")
        words = (
            "How late the event loop came to a timer that is due four times a second. What blocks it holds up all "
            "pages, probes and scrapes of the process."
        )
        yield of.histogram("event_loop_delay_seconds", words, lambda each: each.process.loop_delay.seconds)
        words = "1 while the process cannot send or receive through Redis."
        yield of.gauge("channel_layer_failing", words, lambda each: bool(each.channel_problem()))
        words = "1 while the process has no usable configuration, or the API server does not answer its requests."
        yield of.gauge("cluster_failing", words, lambda each: bool(each.process.connection.problem))
        words = "When the client certificate of the kubeconfig ends, in Unix seconds. Absent where it has none."
        yield of.gauge(
            "client_certificate_expiry_timestamp_seconds",
            words,
            lambda each: certificate_expiry(each.process.connection.cluster.tls),
        )
        words = "Messages between worker and web processes that were dropped, by reason."
        yield of.counter("feed_messages_rejected", words, lambda each: each.process.rejected_messages.counts, "reason")
