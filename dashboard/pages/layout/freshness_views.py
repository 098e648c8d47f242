"""Why a page is live or not: how fresh each kind is, and which worker says so. What the header's freshness opens."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.context import LiveParts, live_of
from dashboard.live.freshness import problem_of
from dashboard.live.lines import rfc3339, utc_words
from dashboard.live.messages import Tone
from dashboard.live.replica import Replica
from dashboard.resources.kinds import KindInfo

_TONES: dict[str, Tone] = {"live": "ok", "stale": "warn", "syncing": "busy", "starting": "busy", "absent": "idle"}


@dataclass(frozen=True, slots=True)
class KindWhy:
    """How fresh one kind is. Moments are RFC 3339, empty where there was none."""

    title: str
    href: str
    state: str
    tone: Tone
    problem: str
    """Why it is not live, as a sentence; empty where it is."""
    heard: str
    last_event: str
    last_bookmark: str
    renewed: int
    """Watches begun after the first."""
    relists: int
    gaps: int
    """Frames of the worker that were missed here."""
    healed: int
    steady: bool
    """Whether it is followed always, and not because somebody looks."""
    polled: float
    """Seconds between two lists of a kind that nobody may watch; 0 where it is watched."""


@dataclass(frozen=True, slots=True)
class WorkerWhy:
    """A worker that is heard."""

    name: str
    """Machine and process; empty where it has not said it yet."""
    since: str
    """RFC 3339 at which its present life began."""
    followed: bool
    """Whether what pages show is what this one says."""
    heard: bool
    """Whether it says so still."""


@require_safe
async def why(request: HttpRequest) -> HttpResponse:
    """The fragment that live/freshness.js fetches while the header's freshness is open."""
    live = live_of(request)
    response = render(request, "live/_why.html", {"kinds": kinds_why(live), "workers": workers_why(live)})
    response["Cache-Control"] = "no-store"
    return response


def kinds_why(live: LiveParts) -> tuple[KindWhy, ...]:
    """Each kind that is followed here, those of the settings first."""
    steady = {kind.key for kind in live.hub.steady}
    return tuple(_kind_why(kind, live.replicas.get(kind.key), kind.key in steady) for kind in live.kinds)


def workers_why(live: LiveParts) -> tuple[WorkerWhy, ...]:
    """The worker whose rows are shown, then others that publish too."""
    replicas = [live.replicas.get(kind.key) for kind in live.hub.steady]
    followed = {replica.epoch for replica in replicas} - {""}
    said = {replica.epoch for replica in replicas if replica.state == "live"}
    heard = dict(live.census.workers)
    return tuple(
        WorkerWhy(
            heard.get(epoch, ""),
            rfc3339(int(epoch.partition("-")[0]) / 1000),
            followed=epoch in followed,
            heard=epoch in said or epoch not in followed,
        )
        for epoch in sorted({*followed, *heard}, key=lambda epoch: (epoch not in followed, epoch))
        if epoch.partition("-")[0].isdecimal()
    )


def _kind_why(kind: KindInfo, replica: Replica, steady: bool) -> KindWhy:
    health, problem = replica.health, problem_of(kind, replica)
    state = replica.state if replica.state != "live" else health.state
    since = utc_words(problem.since) if problem is not None and problem.since is not None else "then"
    return KindWhy(
        title=kind.title,
        href=kind.path,
        state=state,
        tone=_TONES.get(state, "warn"),
        problem=problem.text.replace("{since}", since) if problem is not None else "",
        heard=_moment(health.heard),
        last_event=_moment(health.last_event),
        last_bookmark=_moment(health.last_bookmark),
        renewed=health.reconnects,
        relists=health.relists,
        gaps=replica.gaps,
        healed=replica.gaps_healed,
        steady=steady,
        polled=health.polled,
    )


def _moment(seconds: float | None) -> str:
    return rfc3339(seconds) if seconds is not None else ""
