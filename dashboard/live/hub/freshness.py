"""Content of the heartbeat: how fresh the data of each kind is, and in words what is wrong where it is not.

A page picks the kinds it shows, so one heartbeat serves all pages. Sentences contain ``{since}`` where the browser puts
a time of day in its own time zone, and the browser adds "Trying again in 3 s." from `retry_at`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Protocol

from dashboard.live.hub.kind_summaries import KindSummary
from dashboard.live.rendering.cells import utc_text
from dashboard.live.replication.replica import Replica
from dashboard.objects.kinds.catalog import KindInfo
from informerd.cache.health import Health
from informerd.clock import Clock


@dataclass(frozen=True, slots=True)
class FreshnessProblem:
    """Why a kind is not live."""

    title: str
    """The kind's: ``Pods``."""
    state: str
    """The informer's state, or ``silent`` where nothing is heard from the worker."""
    text: str
    """Sentences, with ``{since}`` for the time of day of `since`."""
    since: float | None = None
    """Unix seconds."""
    retry_at: float | None = None
    """Unix seconds."""


class FreshnessSource(Protocol):
    """A source of freshness other than the kinds, such as the controllers of the workers."""

    @property
    def key(self) -> str:
        """Key of its problem in the heartbeat, which views listen to."""

    @property
    def problem(self) -> FreshnessProblem | None:
        """Why what pages show of it may be out of date; None where it is current."""

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change."""


def freshness_problem(kind: KindInfo, replica: Replica) -> FreshnessProblem | None:
    """Why what pages show of `kind` may be out of date; None where it is current or this process has no such kind."""
    if replica.state == "stale" and replica.is_unlisted:
        text = f"The worker was restarted. {_text(kind, replica.health)} What you see is from {{since}}."
        return FreshnessProblem(kind.title, replica.health.state, text, replica.stale_since, replica.health.retry_at)
    if replica.state == "stale":
        text = "The worker has not been heard since {since}. What you see is from then."
        return FreshnessProblem(kind.title, "silent", text, replica.stale_since)
    if replica.state == "starting":
        return FreshnessProblem(kind.title, "starting", "Waiting for the first message from the worker.")
    health = replica.health
    if health.state in {"live", "absent"}:
        return None
    return FreshnessProblem(kind.title, health.state, _text(kind, health), _since(health), health.retry_at)


def outage_text(kinds: Iterable[KindInfo], replicas: Mapping[str, Replica]) -> str:
    """Why a page of these kinds may be out of date, for a browser without scripts; times are UTC.

    Empty where the page is current. A kind that may not be listed matters on its own page only, not on a page of many
    kinds; live/status_text.js does the same.
    """
    shown = [kind for kind in kinds if kind.key in replicas]
    problems = [problem for kind in shown if (problem := freshness_problem(kind, replicas[kind.key])) is not None]
    if len(problems) < len(shown):
        problems = [problem for problem in problems if problem.state != "forbidden"]
    if not problems:
        return ""
    first = problems[0]
    words = first.text.replace("{since}", "" if first.since is None else utc_text(first.since))
    if len(problems) == len(shown) and len({problem.state for problem in problems}) == 1:
        return words
    if len(problems) == 1 and first.title in words:
        return words
    return f"{', '.join(problem.title for problem in problems)}: {words}"


def heartbeat_content(
    kinds: Iterable[KindInfo], replicas: Mapping[str, Replica], summaries: Mapping[str, KindSummary], clock: Clock
) -> dict[str, object]:
    """Content of the heartbeat, sent each second. Times are Unix seconds; `heard` is the API server's last answer by
    kind.
    """
    kinds = [kind for kind in kinds if kind.key in replicas]
    problems = {kind.key: freshness_problem(kind, replicas[kind.key]) for kind in kinds}
    health = {kind.key: replicas[kind.key].health for kind in kinds}
    heard = {key: kind_health.heard for key, kind_health in health.items()}
    return {
        "state": "stale" if any(problems.values()) else "live",
        "now": clock.time(),
        "heard": max((moment for moment in heard.values() if moment is not None), default=None),
        "heard_by": heard,
        "states": {key: kind_health.state for key, kind_health in health.items()},
        "counts": {key: _count(replicas[key]) for key in health},
        "wrong": {key: len(summaries[key].unhealthy_rows) for key in health},
        "problems": {key: asdict(problem) for key, problem in problems.items() if problem is not None},
        "why": _why(health.values(), [replicas[key] for key in health]),
    }


def _count(replica: Replica) -> int | None:
    """The count; None, shown as a dash, while it is not known."""
    unknown = replica.health.state in {"absent", "forbidden", "unreachable", "starting", "syncing"} and not replica.rows
    return None if unknown else len(replica.rows)


def _why(health: Iterable[Health], replicas: list[Replica]) -> dict[str, object]:
    known = list(health)
    return {
        "last_event": max((kind_health.last_event for kind_health in known if kind_health.last_event), default=None),
        "last_bookmark": max(
            (kind_health.last_bookmark for kind_health in known if kind_health.last_bookmark), default=None
        ),
        "reconnects": sum(kind_health.reconnects for kind_health in known),
        "relists": sum(kind_health.relists for kind_health in known),
        "gaps_healed": sum(replica.gaps_healed for replica in replicas),
    }


def _since(health: Health) -> float:
    """Since when the kind is out of date. Successful probes renew `heard` of its health even while it is refused."""
    if health.state == "stale" and health.heard is not None:
        return min(health.heard, health.since)
    return health.since


def _text(kind: KindInfo, health: Health) -> str:
    problem = health.problem.rstrip(".")
    match health.state:
        case "stale" if problem and _answers(health):
            return f"{kind.title} have not been up to date since {{since}}: {problem}. What you see is from then."
        case "stale":
            return "The API server has not answered since {since}. What you see is from then."
        case "forbidden":
            return f"{kind.title} may not be listed: {problem}."
        case "unreachable":
            return f"The API server cannot be reached: {problem}." if problem else "The API server cannot be reached."
        case "syncing":
            whole = f" of about {health.listed + health.remaining:,}" if health.remaining is not None else ""
            return f"Reading {kind.title}: {health.listed:,}{whole} so far."
        case _:
            return f"The first list of {kind.title} is on its way."


def _answers(health: Health) -> bool:
    """Whether the kind is stale although the API server answers."""
    return health.has_answer or (health.heard is not None and health.heard > health.since)
