"""Health and metrics endpoints for load balancers and Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.live.hub.hub import HUB
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.runtime.app_state import Key, state_of

METRICS: Key[Callable[[], tuple[bytes, str]]] = Key("metrics")
"""Metrics of the process for Prometheus, and their content type."""
WORKER_BLOCKED: Key[Callable[[], bool]] = Key("worker's state")
"""Whether this process's own worker cannot start, because the cluster's configuration cannot be used."""
HISTORY_PROBLEM: Key[Callable[[], str]] = Key("history's problem")
"""Why this process's own worker cannot write history; empty where it can."""

SHARD_PATIENCE = 10.0
"""Seconds for which a worker is waited for while others show what they have."""


@require_safe
async def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process serves requests. A second line says that history cannot be written, and not why."""
    return _plain("ok\nhistory cannot be written" if state_of(request)[HISTORY_PROBLEM]() else "ok")


@require_safe
async def readyz(request: HttpRequest) -> HttpResponse:
    """200 once this process can show data or explain why not, whatever the state of the cluster; else 503.

    That is when the worker has reported on every kind of the settings, even if the cluster is unreachable or forbids
    it, or when this process's own worker has no usable configuration: the pages say so, and without this process
    nothing would. Of several workers that divide the namespaces, one that is away is waited for no longer than
    SHARD_PATIENCE.
    """
    state = state_of(request)
    kinds = state[HUB].configured_kinds
    waiting = [kind.key for kind in kinds if is_waited_for(state[REPLICAS].get(kind.key))]
    if waiting and not state[WORKER_BLOCKED]():
        return _plain(f"waiting for the worker's first message about {', '.join(waiting)}", status=503)
    return _plain("ok")


def is_waited_for(replica: ReadableReplica) -> bool:
    """Whether pages of the kind are to wait for a worker's first message."""
    return replica.state == "starting" and replica.awaited_seconds < SHARD_PATIENCE


@require_safe
async def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics of this process for Prometheus: numbers by kind, no objects. Where people have rights of their own, it
    needs the right to get the address /metrics, as the API server's own metrics do.
    """
    if not state_of(request)[RIGHTS].allows_url("get", "/metrics"):
        return _plain("You need the right to get the address /metrics (nonResourceURLs of a ClusterRole).", status=403)
    text, content_type = state_of(request)[METRICS]()
    return HttpResponse(text, content_type=content_type, headers={"Cache-Control": "no-store"})


def _plain(text: str, status: int = 200) -> HttpResponse:
    response = HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=status)
    response["Cache-Control"] = "no-store"
    return response
