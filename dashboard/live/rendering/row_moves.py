"""Fewest steps, to be applied in order, from the rows a page shows to the rows it should show."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slot:
    """Insert `uid` before `before`, which is already in place; None: at the end."""

    uid: str
    before: str | None


def plan_moves(shown: Sequence[str], target: Sequence[str], changed: frozenset[str] | set[str]) -> list[Slot]:
    """The slots, in order, that turn `shown` (without the rows that leave) into `target`.

    The plan goes from the end to the start, so each step finds its reference in place. Rows in `changed` are replaced
    in place so that they are rendered again; of the others as few as possible move: those outside the longest run that
    keeps its order.
    """
    position = {uid: index for index, uid in enumerate(shown)}
    staying = _longest_rising([(uid, position[uid]) for uid in target if uid in position])
    steps: list[Slot] = []
    before: str | None = None
    for uid in reversed(target):
        if uid in changed or uid not in staying:
            steps.append(Slot(uid, before))
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
    kept_names: set[str] = set()
    index = tail_index[-1] if tail_index else -1
    while index >= 0:
        kept_names.add(pairs[index][0])
        index = previous[index]
    return frozenset(kept_names)
