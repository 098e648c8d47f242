"""Metrics of a web process: its websockets, its views, and its replicas of the worker's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, get_args

from prometheus_client.core import Metric

from dashboard.live.hub.browser_socket import Socket
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.metrics import HubMetrics
from dashboard.live.logs.container_streams import LogStreams
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.server.metrics.metric_families import FamiliesCollector, families
from informerd.cache.counters import Distribution
from informerd.cache.health import State
from informerd.metrics.family_builder import Families
from informerd.metrics.unique_labels import LabelValues

_COUNTED = (
    ("sockets_opened", "Websockets that have joined."),
    ("frames_rendered", "Frames rendered, each for all sockets of its view."),
    ("windows_rendered", "Whole windows rendered."),
    ("messages", "Messages posted to sockets."),
    ("sent_bytes", "Bytes of these messages, as the sockets get them."),
    ("heartbeats", "Heartbeats, each for all sockets."),
    ("socket_stops", "Times that a browser fell behind and got no frames for a while."),
    ("sockets_given_up", "Sockets closed because their browser stayed behind or stopped answering."),
    ("sockets_aborted", "Sockets aborted because their browser did not read what was sent."),
    ("browser_messages", "Messages from browsers that were handled."),
    ("render_seconds", "Seconds spent rendering frames."),
    ("full_turns", "Times that views waited because rendering others had taken its share of the process."),
    ("view_errors", "Views that failed and were dropped."),
)
"""Name, which is an attribute of dashboard.live.hub.metrics.HubMetrics, and meaning."""


class CountedReplica(ReadableReplica, Protocol):
    """A replica with the numbers that are shown of it. See KindReplica for the attributes."""

    @property
    def shard_count(self) -> int: ...
    @property
    def silent_seconds(self) -> float: ...
    @property
    def silences(self) -> int: ...


@dataclass(frozen=True)
class WebNumbers:
    """What is shown of a web process."""

    hub: Hub
    replicas: Iterable[CountedReplica]
    max_sockets: int
    over_limit: Counter[str] = field(default_factory=Counter)
    """Refusals by what was refused."""
    logs: LogStreams | None = None
    frame_delays: Distribution | None = None


class WebMetrics(FamiliesCollector[WebNumbers]):
    """The numbers of a web process."""

    @staticmethod
    def families(things: Mapping[LabelValues, WebNumbers]) -> Iterator[Metric]:
        yield from _families(things)
        yield from _replica_families({(each.key,): each for web in things.values() for each in web.replicas})


def _families(numbers: Mapping[LabelValues, WebNumbers]) -> Iterator[Metric]:
    of = families(numbers)
    yield of.gauge("sockets", "Browsers that are connected.", lambda each: len(_sockets(each.hub)))
    words = "Most websockets that the process takes (DELTABOARD_SOCKETS)."
    yield of.gauge("sockets_limit", words, lambda each: each.max_sockets)
    words = "Browsers that get nothing until they catch up."
    yield of.gauge("sockets_behind", words, lambda each: sum(socket.is_behind for socket in _sockets(each.hub)))
    words = "Views that are kept current."
    yield of.gauge("views", words, lambda each: sum(len(hub.views) for hub in each.hub.all_hubs))
    words = "Groups of people with equal rights that have pages."
    yield of.gauge("rights_groups", words, lambda each: len(each.hub.all_hubs) - 1)
    for name, meaning in _COUNTED:
        yield _counter(of, name, meaning)
    words = "Websockets closed for what they asked, by close code."
    yield of.counter("sockets_refused", words, lambda each: _texts(each.hub.metrics.sockets_refused), "code")
    words = "Websockets kept out by a limit of open sockets."
    yield of.counter("sockets_turned_away", words, lambda each: _texts(each.hub.metrics.sockets_turned_away), "limit")
    words = "Requests, views, connections and websockets refused because a limit was reached, by what."
    yield of.counter("over_limit", words, lambda each: dict(each.over_limit), "what")
    words = (
        "From the time that the worker wrote into a frame with changes to its arrival, by the clocks of both: through "
        "Redis, or how far apart the clocks are."
    )
    yield of.histogram("feed_delay_seconds", words, lambda each: each.frame_delays)
    words = "From the moment that a view had something to send until it was posted to the view's sockets."
    yield of.histogram("view_delay_seconds", words, lambda each: each.hub.metrics.view_delays)
    words = "Logs of containers that are followed."
    yield of.gauge("log_streams", words, lambda each: None if each.logs is None else len(each.logs))
    words = "Lines of these that have come."
    yield of.counter("log_lines", words, lambda each: None if each.logs is None else each.logs.lines)


def _replica_families(replicas: Mapping[LabelValues, CountedReplica]) -> Iterator[Metric]:
    of = families(replicas, "resource")
    yield of.gauge("rows", "Objects as the pages show them.", lambda each: len(each.rows))
    yield of.gauge("live", "1 while pages of the kind may say live.", lambda each: each.is_live)
    words = "Workers whose objects the pages of the kind show together, see DELTABOARD_SHARD."
    yield of.gauge("feed_shards", words, lambda each: each.shard_count)
    words = "1 for the state of the worker's informer of the kind, as last heard, 0 for the others."
    yield of.gauge("kind_state", words, _states, "state")
    words = "Seconds since a worker was last heard of the kind. It sends something each second."
    yield of.gauge("worker_silence_seconds", words, lambda each: each.silent_seconds)
    yield of.counter("feed_gaps", "Gaps found in the numbers of frames.", lambda each: each.gaps)
    yield of.counter("feed_gaps_healed", "Gaps that a snapshot has repaired.", lambda each: each.gaps_healed)
    yield of.counter("feed_silences", "Times that the worker stopped sending.", lambda each: each.silences)


def _states(replica: CountedReplica) -> dict[str, float]:
    return {state: state == replica.health.state for state in get_args(State)}


def _counter(of: Families[WebNumbers], name: str, meaning: str) -> Metric:
    def read(each: WebNumbers) -> float:
        metrics: HubMetrics = each.hub.metrics
        return float(getattr(metrics, name))

    return of.counter(name, meaning, read)


def _sockets(hub: Hub) -> list[Socket]:
    return [socket for each in hub.all_hubs for socket in each.sockets]


def _texts(counts: Mapping[Any, int]) -> dict[str, float]:
    return {str(value): number for value, number in sorted(counts.items(), key=str)}
