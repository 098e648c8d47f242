"""Freshness panel of the header: how fresh each kind is, and which worker feeds it."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.hub.freshness import freshness_problem
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.namespace_limits import NamespaceLimit, limit_of
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Tone
from dashboard.runtime.app_state import AppState, state_of

_TONES: dict[str, Tone] = {"live": "ok", "stale": "warn", "syncing": "busy", "starting": "busy", "absent": "idle"}


@dataclass(frozen=True, slots=True)
class KindFreshness:
    """Freshness of one kind. Times are RFC 3339, empty where there is none."""

    title: str
    href: str
    state: str
    tone: Tone
    problem: str
    """Why the kind is not live, as a sentence; empty where it is."""
    last_heard: str
    last_event: str
    last_bookmark: str
    reconnects: int
    """Watches started after the first."""
    relists: int
    gaps: int
    """Frames of the worker that this process missed."""
    gaps_healed: int
    is_always_followed: bool
    """Whether the kind is always followed, and not only while a page shows it."""
    polled: float
    """Seconds between two lists of a kind that cannot be watched; 0 where it is watched."""
    unreadable: int
    """Objects that the API server has and the worker cannot read; no page shows them."""
    limit: NamespaceLimit | None
    """Namespaces in which the kind is listed; None where these are all."""


@dataclass(frozen=True, slots=True)
class WorkerFreshness:
    """A worker that this process hears."""

    name: str
    """Machine and process; empty until the worker has sent it."""
    since: str
    """RFC 3339 time at which the worker started."""
    is_followed: bool
    """Whether pages show the rows of this worker."""
    is_publishing: bool
    """Whether the worker still publishes."""


@require_safe
async def freshness(request: HttpRequest) -> HttpResponse:
    """The fragment that page/freshness_popover.js fetches while the header's freshness panel is open."""
    state = state_of(request)
    response = render(
        request,
        "layout/_freshness_details.html",
        {"kinds": kinds_freshness(state), "workers": workers_freshness(state)},
    )
    response["Cache-Control"] = "no-store"
    return response


def kinds_freshness(state: AppState) -> tuple[KindFreshness, ...]:
    """The freshness of each followed kind, those of the settings first."""
    always_followed = state[HUB].hub_kinds.always_followed
    return tuple(
        _kind_why(kind, state[REPLICAS].get(kind.key), kind.key in always_followed) for kind in state[REPLICAS].kinds
    )


def workers_freshness(state: AppState) -> tuple[WorkerFreshness, ...]:
    """The worker whose rows are shown, then other workers that publish."""
    replicas = [state[REPLICAS].get(kind.key) for kind in state[HUB].configured_kinds]
    followed = {epoch for replica in replicas for epoch in replica.epochs}
    heard = {epoch for replica in replicas for epoch, is_heard in replica.epochs.items() if is_heard}
    names = dict(state[OBJECT_COUNTS].workers)
    return tuple(
        WorkerFreshness(
            names.get(epoch, ""),
            rfc3339(int(epoch.partition("-")[0]) / 1000),
            is_followed=epoch in followed,
            is_publishing=epoch in heard or epoch not in followed,
        )
        for epoch in sorted({*followed, *names}, key=lambda epoch: (epoch not in followed, epoch))
        if epoch.partition("-")[0].isdecimal()
    )


def _kind_why(kind: KindInfo, replica: ReadableReplica, is_always_followed: bool) -> KindFreshness:
    health, problem = replica.health, freshness_problem(kind, replica)
    state = replica.state if replica.state != "live" else health.state
    since = utc_text(problem.since) if problem is not None and problem.since is not None else "then"
    return KindFreshness(
        title=kind.title,
        href=kind.path,
        state=state,
        tone=_TONES.get(state, "warn"),
        problem=problem.text.replace("{since}", since) if problem is not None else "",
        last_heard=_moment(health.heard),
        last_event=_moment(health.last_event),
        last_bookmark=_moment(health.last_bookmark),
        reconnects=health.reconnects,
        relists=health.relists,
        gaps=replica.gaps,
        gaps_healed=replica.gaps_healed,
        is_always_followed=is_always_followed,
        polled=health.polled,
        unreadable=health.unreadable,
        limit=limit_of(health),
    )


def _moment(seconds: float | None) -> str:
    return rfc3339(seconds) if seconds is not None else ""
