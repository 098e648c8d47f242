"""Metrics of a worker beside those of its informers: polls of the metrics API, and recording of history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prometheus_client.core import Metric, SummaryMetricFamily

from dashboard.live.history.recorder import Recorder
from dashboard.live.usage.usage_collector import UsageCollector
from dashboard.server.metrics.metric_families import PREFIX, FamiliesCollector, families
from informerd.metrics.unique_labels import LabelValues


class UsageMetrics(FamiliesCollector[UsageCollector]):
    """Polls of the metrics API, and what is kept of them."""

    @staticmethod
    def families(things: Mapping[LabelValues, UsageCollector]) -> Iterator[Metric]:
        of = families(things)
        yield of.gauge("usage_series", "Objects whose usage is kept.", lambda each: len(each.history))
        yield of.gauge("usage_samples", "Samples of them that are kept.", lambda each: each.history.count)
        yield of.gauge("usage_samples_bytes", "Memory for these samples, in bytes.", lambda each: each.history.size)
        duration = SummaryMetricFamily(
            f"{PREFIX}usage_poll_duration_seconds",
            "Polls of the metrics API, and the seconds that they took.",
            labels=(),
        )
        for usage in things.values():
            duration.add_metric((), usage.polls, usage.poll_seconds)
        yield duration
        words = "Polls that told nothing: no answer, no metrics API, or no right to pods nor nodes."
        yield of.counter("usage_poll_failures", words, lambda each: each.failures)
        words = "Unix time of the last poll that was answered. Absent before the first."
        yield of.gauge("usage_last_poll_timestamp_seconds", words, lambda each: each.answered_at)


class HistoryMetrics(FamiliesCollector[Recorder]):
    """The recorder of history."""

    @staticmethod
    def families(things: Mapping[LabelValues, Recorder]) -> Iterator[Metric]:
        of = families(things)
        words = "1 where this worker records, 0 where it stands by."
        yield of.gauge("history_recording", words, lambda each: each.is_recording)
        yield of.gauge("history_failing", "1 while the database cannot be written.", lambda each: bool(each.problem))
        words = "Bytes of the history of all clusters in the database, seen every 15 s by the worker that records."
        yield of.gauge("history_size_bytes", words, lambda each: each.size)
        words = "Bytes that history may have (DELTABOARD_HISTORY_SIZE). 0: no limit."
        yield of.gauge("history_limit_bytes", words, lambda each: each.retention.max_bytes)
        words = "Changes that wait to be written, or are kept in reserve."
        yield of.gauge("history_queue", words, lambda each: len(each.queue))
        yield of.gauge("history_queue_bytes", "Memory that they take, approximately.", lambda each: each.queue.size)
        yield of.counter("history_versions", "Versions written.", lambda each: each.counts.written)
        yield of.counter("history_versions_bytes", "Their compressed length in bytes.", lambda each: each.counts.bytes)
        words = "Changes that were heartbeats only, and are not kept."
        yield of.counter("history_heartbeats", words, lambda each: each.counts.heartbeats)
        words = "Changes for which there was no room; they are in gaps."
        yield of.counter("history_lost", words, lambda each: each.lost)
        yield of.counter("history_unreadable", "Changes that could not be read.", lambda each: each.counts.unreadable)
        yield of.counter(
            "history_gaps", "Gaps, each of one kind, counted at their ends.", lambda each: each.counts.gaps
        )
