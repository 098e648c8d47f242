"""Kinds whose objects this process does not know, and why, in sentences for pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.catalog import KindInfo

WAITING_STATES = frozenset({"starting", "syncing"})
"""States in which the first list is still loading."""


def informer_state(replica: ReadableReplica) -> str:
    """The informer's state; ``starting`` too while the worker has sent nothing."""
    return "starting" if replica.state == "starting" else replica.health.state


def is_unknown(replica: ReadableReplica) -> bool:
    """Whether the kind was never listed, so that this process does not know its objects."""
    return not replica.rows and informer_state(replica) in {*WAITING_STATES, "forbidden", "unreachable"}


@dataclass(frozen=True, slots=True)
class UnavailableKinds:
    """Titles of kinds, each in one of these lists."""

    forbidden: tuple[str, ...]
    """Listing is forbidden."""
    failing: tuple[str, ...]
    """Cannot be read for another reason."""
    waiting: tuple[str, ...]
    """The first list is loading."""
    number: int
    """Number of kinds, these and the others."""

    @property
    def is_all(self) -> bool:
        """Whether no kind can be read and none is loading."""
        return bool(self.number) and len(self.forbidden) + len(self.failing) == self.number

    @property
    def words(self) -> str:
        """Sentences for a page that shows objects; empty where all kinds could be listed."""
        if self.is_all:
            return "No kind can be read."
        failing = [*self.forbidden, *self.failing]
        sentences = [f"{join_titles(failing)} cannot be read."] if failing else []
        return " ".join(sentences + ([f"{join_titles(self.waiting)} are being read."] if self.waiting else []))

    @property
    def missing(self) -> str:
        """Sentences for a page that shows changes; empty where nothing is missing for good."""
        sentences = [f"{join_titles(self.forbidden)} may not be listed."] if self.forbidden else []
        sentences += [f"{join_titles(self.failing)} cannot be read."] if self.failing else []
        if not sentences:
            return ""
        rest = "No changes are shown." if self.is_all else "Their changes are not shown."
        return " ".join([*sentences, rest])


def unavailable_kinds(
    kinds: Mapping[str, KindInfo], replicas: Iterable[ReadableReplica], *, is_unreachable: bool = False
) -> UnavailableKinds:
    """The unavailable kinds among these replicas. `is_unreachable`: kinds that have not been heard of will not be."""
    titles: dict[str, list[str]] = {"forbidden": [], "failing": [], "waiting": []}
    number = 0
    for replica in replicas:
        number += 1
        if is_unknown(replica):
            hopeful = informer_state(replica) in WAITING_STATES and not is_unreachable
            why = "forbidden" if informer_state(replica) == "forbidden" else "waiting" if hopeful else "failing"
            titles[why].append(kinds[replica.key].title)
    return UnavailableKinds(tuple(titles["forbidden"]), tuple(titles["failing"]), tuple(titles["waiting"]), number)


def join_titles(titles: Sequence[str]) -> str:
    """``Pods, Nodes and Events``."""
    return " and ".join(filter(None, (", ".join(titles[:-1]), titles[-1])))


def join_first_titles(titles: Sequence[str], most: int) -> str:
    """The same where there are at most so many; else that many, and the number of the others: ``Pods, Nodes and 6 other
    kinds``.
    """
    more = len(titles) - most
    return join_titles([*titles[:most], f"{more} other kind{'s' if more > 1 else ''}"] if more > 0 else titles)
