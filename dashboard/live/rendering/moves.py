"""From the rows a page shows to the rows it should show, in few steps that may be done one after another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Put `uid` before `before`, which stands already; None: at the end."""

    uid: str
    before: str | None


def places(shown: Sequence[str], wanted: Sequence[str], changed: frozenset[str] | set[str]) -> list[Place]:
    """What to place, in order, so that `shown` (without the rows that leave) becomes `wanted`.

    Goes from the end to the start, so each step finds its reference in place. Rows in `changed` are placed where they
    are, in order to be drawn anew; beside them as few as possible move: those outside the longest run that keeps its
    order.
    """
    position = {uid: index for index, uid in enumerate(shown)}
    staying = _longest_rising([(uid, position[uid]) for uid in wanted if uid in position])
    steps: list[Place] = []
    before: str | None = None
    for uid in reversed(wanted):
        if uid in changed or uid not in staying:
            steps.append(Place(uid, before))
        before = uid
    return steps


def _longest_rising(pairs: Sequence[tuple[str, int]]) -> frozenset[str]:
    """The uids of a longest subsequence whose positions rise (patience sorting, O(n log n))."""
    tails: list[int] = []
    tail_index: list[int] = []
    previous: list[int] = []
    for index, (_, position) in enumerate(pairs):
        at = bisect_left(tails, position)
        previous.append(tail_index[at - 1] if at else -1)
        tails[at : at + 1] = [position]
        tail_index[at : at + 1] = [index]
    found: set[str] = set()
    index = tail_index[-1] if tail_index else -1
    while index >= 0:
        found.add(pairs[index][0])
        index = previous[index]
    return frozenset(found)
