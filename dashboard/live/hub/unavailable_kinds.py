"""Kinds of which nobody here knows what the cluster has, and why: what a page says of them instead of nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.live.replica import Replica
from dashboard.resources.kinds import KindInfo

WAITING = frozenset({"starting", "syncing"})
"""States in which the first list is on its way."""


def state_of(replica: Replica) -> str:
    """The informer's state; ``starting`` too while the worker has said nothing."""
    return "starting" if replica.state == "starting" else replica.health.state


def is_unknown(replica: Replica) -> bool:
    """Whether nobody here knows what the cluster has of this kind: it was never listed."""
    return not replica.rows and state_of(replica) in {*WAITING, "forbidden", "unreachable"}


@dataclass(frozen=True, slots=True)
class Unread:
    """Titles of kinds, each in one of these."""

    forbidden: tuple[str, ...]
    """May not be listed."""
    failing: tuple[str, ...]
    """Cannot be read for another reason."""
    waiting: tuple[str, ...]
    """Their first list is on its way."""
    number: int
    """Kinds in all, these and the others."""

    @property
    def all(self) -> bool:
        """Whether no kind can be read, and none will be soon."""
        return bool(self.number) and len(self.forbidden) + len(self.failing) == self.number

    @property
    def words(self) -> str:
        """For a page that shows what there is, as sentences; empty where all could be listed."""
        if self.all:
            return "No kind can be read."
        failing = [*self.forbidden, *self.failing]
        told = [f"{named(failing)} cannot be read."] if failing else []
        return " ".join(told + ([f"{named(self.waiting)} are being read."] if self.waiting else []))

    @property
    def missing(self) -> str:
        """For a page that shows what happens, as sentences; empty where nothing is missing for good."""
        told = [f"{named(self.forbidden)} may not be listed."] if self.forbidden else []
        told += [f"{named(self.failing)} cannot be read."] if self.failing else []
        if not told:
            return ""
        rest = "So nothing of what changes is shown." if self.all else "What changes of them is not shown."
        return " ".join([*told, rest])


def unread(kinds: Mapping[str, KindInfo], replicas: Iterable[Replica], *, out_of_reach: bool = False) -> Unread:
    """Of these replicas. `out_of_reach`: what has not been heard of will not be."""
    found: dict[str, list[str]] = {"forbidden": [], "failing": [], "waiting": []}
    number = 0
    for replica in replicas:
        number += 1
        if is_unknown(replica):
            hopeful = state_of(replica) in WAITING and not out_of_reach
            why = "forbidden" if state_of(replica) == "forbidden" else "waiting" if hopeful else "failing"
            found[why].append(kinds[replica.key].title)
    return Unread(tuple(found["forbidden"]), tuple(found["failing"]), tuple(found["waiting"]), number)


def named(titles: Sequence[str]) -> str:
    """``Pods, Nodes and Events``."""
    return " and ".join(filter(None, (", ".join(titles[:-1]), titles[-1])))
