"""Queries of typical lists of pods."""

from __future__ import annotations

LISTS = (
    "", "sort=-restarts", "sort=node", "namespace=team-3", "namespace=team-5,team-6&sort=-age", "q=status=Running",
    "q=status=CrashLoopBackOff&sort=-restarts", "q=web-5", "q=label:app=web -status=Running", "q=restarts>3&sort=node",
)  # fmt: skip
"""Filters and orders that people ask for."""


def distinct_lists(number: int) -> list[str]:
    """Ten of everything, the others of a namespace each, as people have them open."""
    more = (f"namespace=team-{each % 40}&sort={('', '-restarts')[each // 40]}" for each in range(number))
    return [*LISTS, *more][:number]
