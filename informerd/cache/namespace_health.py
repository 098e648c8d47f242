"""Health of several namespaces' informers as one Health: the worst of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from informerd.cache.health import UNREADABLE_NAMED, Health, State

WORST_FIRST: tuple[State, ...] = ("unreachable", "starting", "syncing", "stale", "absent", "live")
"""States of namespaces that may be listed."""


def joined_health(
    counted: Mapping[str, Health], forbidden: Mapping[str, Health] | None = None, lost: tuple[str, ...] = ()
) -> Health:
    """The worst of the namespaces' health, with their names; forbidden ones count where there is no other.

    Its time of the last answer is the oldest one, its numbers are sums. Where one namespace is worse than others, the
    problem names it. `lost` are those of `forbidden` that were listed before.
    """
    forbidden = forbidden or {}
    named = {
        "namespaces": tuple(sorted(counted)),
        "forbidden_namespaces": tuple(sorted(forbidden)),
        "lost_namespaces": tuple(sorted(lost)),
    }
    if not counted:
        first = next(iter(forbidden.values()), Health("starting", 0.0))
        since = min((each.since for each in forbidden.values()), default=0.0)
        return msgspec.structs.replace(first, since=since, **named)
    states = {health.state for health in counted.values()}
    worst = next(state for state in WORST_FIRST if state in states)
    are_all = len(states) == 1
    names = [name for name, health in counted.items() if health.state == worst]
    of_worst = [counted[name] for name in names]
    earliest = min(of_worst, key=lambda health: health.since)
    every = [*counted.values()]
    return Health(
        state="stale" if worst == "absent" and not are_all else worst,
        since=max(each.since for each in every) if worst == "live" else earliest.since,
        heard=min((each.heard for each in every if each.heard is not None), default=None),
        problem=_problem(earliest.problem, names, are_all=are_all),
        retry_at=_least(each.retry_at for each in of_worst),
        last_event=max((each.last_event for each in every if each.last_event is not None), default=None),
        last_bookmark=_least(each.last_bookmark for each in every),
        reconnects=sum(each.reconnects for each in every),
        relists=sum(each.relists for each in every),
        listed=sum(each.listed for each in every),
        remaining=_remaining(every),
        has_answer=all(each.has_answer for each in of_worst) or worst == "absent",
        polled=max(each.polled for each in every),
        unreadable=sum(each.unreadable for each in every),
        unreadable_objects=tuple(pair for each in every for pair in each.unreadable_objects)[:UNREADABLE_NAMED],
        **named,
    )


def _problem(problem: str, names: list[str], *, are_all: bool) -> str:
    if not problem or are_all:
        return problem
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"in namespace {names[0]}{more}: {problem}"


def _least(moments: Iterable[float | None]) -> float | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _remaining(every: list[Health]) -> int | None:
    """How many are still to come in all; None where one of those that are being listed does not say."""
    listing = [each for each in every if each.state in ("starting", "syncing")]
    known = [each.remaining for each in listing if each.remaining is not None]
    return sum(known) if listing and len(known) == len(listing) else None
