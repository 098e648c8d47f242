"""Builder of the parts of the page /status/, from the objects of a web process and its worker."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import django
from django.conf import settings
from prometheus_client import ProcessCollector

from dashboard.cluster.client_certificate import certificate_expiry
from dashboard.live.logs.container_streams import MAX_STREAMS
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.channel_layer import ChannelLayerHealth
from dashboard.server.metrics.web_metrics import WebNumbers
from dashboard.server.process_status import MIB, Figure, StatusPart, nearly_all_within, of_limit
from dashboard.server.wiring.worker import WorkerProcess
from informerd.version import VERSION

CONTAINER_MEMORY = Path("/sys/fs/cgroup/memory.max")
"""Limit of the container's memory (cgroup v2), in bytes or "max"."""


def status_parts(
    process: WorkerProcess, web: WebNumbers, layer: ChannelLayerHealth, now: float
) -> tuple[StatusPart, ...]:
    """All parts; `now` in Unix seconds. `layer` is the health of the channel layer in the web part."""
    return (_process(process, now), _pages(web), _feed(process, web, layer), _cluster(process), *_history(process))


def _process(process: WorkerProcess, now: float) -> StatusPart:
    used = {metric.name: metric.samples[0].value for metric in ProcessCollector(registry=None).collect()}
    role = "pages and worker in one" if process.worker is not None else "pages; the worker is another process"
    python = f"Python {platform.python_version()}, Django {django.get_version()}"
    figures = [Figure("Version", f"Deltaboard {VERSION}, {python}"), Figure("Process", f"{_name()}: {role}")]
    if used:  # Linux
        started = used["process_start_time_seconds"]
        share = used["process_cpu_seconds"] / max(1.0, now - started)
        figures += [
            Figure("Started", "", since=rfc3339(started)),
            of_limit("Memory", used["process_resident_memory_bytes"], container_memory(), "MiB", per=MIB),
            Figure("Processor", f"{share:.2f} of a core since it started"),
            of_limit("Open files", used["process_open_fds"], used["process_max_fds"]),
        ]
    figures.append(Figure("Delay of the event loop", nearly_all_within(process.loop_delay.seconds)))
    return StatusPart("This process", tuple(figures))


def _pages(web: WebNumbers) -> StatusPart:
    sockets = [each for hub in web.hub.all_hubs for each in hub.sockets]
    figures = (
        of_limit("Open pages", len(sockets), web.max_sockets),
        Figure("Pages whose browser is behind", f"{sum(each.is_behind for each in sockets):,}"),
        Figure("Views kept current", f"{sum(len(hub.views) for hub in web.hub.all_hubs):,}"),
        Figure("Groups of people with equal rights", f"{len(web.hub.all_hubs) - 1:,}"),
        of_limit("Logs followed", len(web.logs) if web.logs is not None else 0, MAX_STREAMS),
        Figure("Delay of a view", nearly_all_within(web.hub.metrics.view_delays)),
        Figure("Refused, because a limit was reached", f"{web.over_limit.total():,}"),
    )
    return StatusPart("Pages", figures)


def _feed(process: WorkerProcess, web: WebNumbers, layer: ChannelLayerHealth) -> StatusPart:
    redis = urlsplit(settings.REDIS_URL)  # without its password
    way = f"Redis at {redis.hostname}:{redis.port or 6379}" if redis.hostname else "memory of this process"
    gaps, healed = sum(each.gaps for each in web.replicas), sum(each.gaps_healed for each in web.replicas)
    figures = [Figure("Through", way)]
    if web.frame_delays is not None:
        figures.append(Figure("Delay of a frame", nearly_all_within(web.frame_delays)))
    figures.append(Figure("Gaps", f"{gaps:,}, {healed:,} of them healed"))
    dropped = sum(process.rejected_messages.counts.values())
    figures.append(Figure("Messages dropped", f"{dropped:,}"))
    return StatusPart("Feed of changes", tuple(figures), layer.problem or process.layer_health.problem)


def _cluster(process: WorkerProcess) -> StatusPart:
    connection = process.connection
    figures = [
        Figure("API server", connection.cluster.server or "none"),
        Figure("Kubernetes", connection.version or "–"),
    ]
    if (expiry := certificate_expiry(connection.cluster.tls)) is not None:
        figures.append(Figure("Client certificate ends", rfc3339(expiry)))
    return StatusPart("Cluster", tuple(figures), connection.problem)


def _history(process: WorkerProcess) -> Iterator[StatusPart]:
    if not settings.DELTABOARD_HISTORY:
        return
    if (history := process.history) is None:
        yield StatusPart("History", (Figure("Recorded by", "a worker in another process: manage.py history"),))
        return
    figures = [Figure("State", history.state)]
    if history.size is not None:
        figures.append(of_limit("Size", history.size, history.retention.max_bytes, "MiB", per=MIB))
    figures += [
        Figure("Changes that wait", f"{len(history.queue):,}"),
        Figure("Versions written", f"{history.counts.written:,}"),
        Figure("Changes lost, which are in gaps", f"{history.lost:,}"),
    ]
    yield StatusPart("History", tuple(figures), history.problem)


def container_memory() -> float | None:
    """Bytes of memory that this container may use; None where it has no limit."""
    try:
        return float(CONTAINER_MEMORY.read_text())
    except (OSError, ValueError):
        return None


def _name() -> str:
    return f"{socket.gethostname()}, process {os.getpid()}"
