"""Health of several namespaces' informers as one Health: the worst of them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from informerd.cache.health import Health, State, worst_health

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
    worst = worst_health([*counted.values()], WORST_FIRST)
    names = [name for name, health in counted.items() if health.state == worst.state]
    are_all = len(names) == len(counted)
    return msgspec.structs.replace(
        worst,
        state="stale" if worst.state == "absent" and not are_all else worst.state,
        problem=_problem(worst.problem, names, are_all=are_all),
        has_answer=worst.has_answer or worst.state == "absent",
        **named,
    )


def _problem(problem: str, names: list[str], *, are_all: bool) -> str:
    if not problem or are_all:
        return problem
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"in namespace {names[0]}{more}: {problem}"
