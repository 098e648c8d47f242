"""The heartbeat: how fresh what pages show is, for each kind, and in words where it is not.

A page judges by the kinds it shows, so one beat serves all. Sentences say ``{since}`` where the browser puts a time of
day in its own time zone, and it adds "Trying again in 3 s." from `retry_at`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from dashboard.live.lines import utc_words
from dashboard.live.replica import Replica
from dashboard.live.wrong_rows import Summary
from dashboard.resources.kinds import KindInfo
from informerd.cache.health import Health
from informerd.clock import Clock


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a kind is not live."""

    title: str
    """The kind's: ``Pods``."""
    state: str
    """The informer's state, or ``silent`` where the worker itself is not heard."""
    text: str
    """Sentences, with ``{since}`` for the time of day of `since`."""
    since: float | None = None
    """Unix seconds."""
    retry_at: float | None = None
    """Unix seconds."""


def problem_of(kind: KindInfo, replica: Replica) -> Problem | None:
    """Why what pages show of `kind` may not be what the cluster has; None where it is, or has no such kind."""
    if replica.state == "stale" and replica.unlisted:
        text = f"The worker was started again. {_text(kind, replica.health)} What you see is from {{since}}."
        return Problem(kind.title, replica.health.state, text, replica.stale_since, replica.health.retry_at)
    if replica.state == "stale":
        text = "The worker has not been heard since {since}. What you see is from then."
        return Problem(kind.title, "silent", text, replica.stale_since)
    if replica.state == "starting":
        return Problem(kind.title, "starting", "Waiting for the worker's first word.")
    health = replica.health
    if health.state in {"live", "absent"}:
        return None
    return Problem(kind.title, health.state, _text(kind, health), _since(health), health.retry_at)


def outage(kinds: Iterable[KindInfo], replicas: Mapping[str, Replica]) -> str:
    """Why a page of these kinds may not show what the cluster has, for a browser without scripts: times are UTC.

    Empty where it does. What may not be listed spoils its own page, not those of many kinds, as in live/words.js.
    """
    shown = [kind for kind in kinds if kind.key in replicas]
    found = [problem for kind in shown if (problem := problem_of(kind, replicas[kind.key])) is not None]
    if len(found) < len(shown):
        found = [problem for problem in found if problem.state != "forbidden"]
    if not found:
        return ""
    first = found[0]
    words = first.text.replace("{since}", "" if first.since is None else utc_words(first.since))
    if len(found) == len(shown) and len({problem.state for problem in found}) == 1:
        return words
    if len(found) == 1 and first.title in words:
        return words
    return f"{', '.join(problem.title for problem in found)}: {words}"


def beat(
    kinds: Iterable[KindInfo], replicas: Mapping[str, Replica], summaries: Mapping[str, Summary], clock: Clock
) -> dict[str, object]:
    """What is sent each second. Times are Unix seconds; `heard` is the API server's last word by kind."""
    kinds = [kind for kind in kinds if kind.key in replicas]
    problems = {kind.key: problem_of(kind, replicas[kind.key]) for kind in kinds}
    health = {kind.key: replicas[kind.key].health for kind in kinds}
    heard = {key: one.heard for key, one in health.items()}
    return {
        "state": "stale" if any(problems.values()) else "live",
        "now": clock.time(),
        "heard": max((moment for moment in heard.values() if moment is not None), default=None),
        "heard_by": heard,
        "states": {key: one.state for key, one in health.items()},
        "counts": {key: _count(replicas[key]) for key in health},
        "wrong": {key: len(summaries[key].wrong) for key in health},
        "problems": {key: asdict(problem) for key, problem in problems.items() if problem is not None},
        "why": _why(health.values(), [replicas[key] for key in health]),
    }


def _count(replica: Replica) -> int | None:
    """None, shown as a dash, while nobody knows."""
    unknown = replica.health.state in {"absent", "forbidden", "unreachable", "starting", "syncing"} and not replica.rows
    return None if unknown else len(replica.rows)


def _why(health: Iterable[Health], replicas: list[Replica]) -> dict[str, object]:
    known = list(health)
    return {
        "last_event": max((one.last_event for one in known if one.last_event), default=None),
        "last_bookmark": max((one.last_bookmark for one in known if one.last_bookmark), default=None),
        "reconnects": sum(one.reconnects for one in known),
        "relists": sum(one.relists for one in known),
        "gaps_healed": sum(replica.gaps_healed for replica in replicas),
    }


def _since(health: Health) -> float:
    """Since when the kind is not up to date. Good probes go on renewing `heard` while a list or watch is refused."""
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
    """Whether the kind is stale although the API server is heard."""
    return health.answered or (health.heard is not None and health.heard > health.since)
