"""The pods on a node, and what they ask of it together: found among all pods, then kept current by what changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

from dashboard.live.change import Change
from dashboard.live.messages import Row, Tone
from dashboard.live.replica import Replica
from dashboard.live.slices import Work, at_once
from dashboard.resources.demand import Amounts, added, amount_words, demand_of, unlimited
from dashboard.resources.facts.selectors import list_href
from dashboard.resources.loose import mapping, text
from dashboard.resources.quantity import parse_quantity
from dashboard.resources.rows import columns_for
from dashboard.resources.words import object_href, pods

PODS = "pods"
SHOWN = 12
"""Pods that are named, what is wrong first; the rest is counted."""
STEP = 500
"""Rows in a step of the search, a millisecond's work at most; the few that are on the node are decoded."""
_WORST: dict[Tone, int] = {"bad": 0, "warn": 1, "busy": 2, "ok": 3, "idle": 4}
_NODE = next(place for place, column in enumerate(columns_for(PODS)) if column.id == "node")


@dataclass(frozen=True, slots=True)
class PodLine:
    name: str
    namespace: str
    href: str
    status: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Asked:
    """What all pods on the node that have not ended ask of one resource."""

    resource: str
    words: str
    """``5.25 requested, 67% of 7.8; limits 9, 115%, 2 pods may take more``."""
    tone: Tone


@dataclass(frozen=True, slots=True)
class _Pod:
    row: Row
    requests: Amounts
    limits: Amounts
    unlimited: frozenset[str]


class NodePods:
    """`follow` a node; `found` is called when a search has ended that took its time.

    `source` is the replica of pods, None while nobody follows them: then there are none, and they are found again in
    the replica that comes.
    """

    def __init__(self, source: Callable[[], Replica | None], later: Callable[[Work], None] = at_once) -> None:
        self.found: Callable[[], None] = lambda: None
        self.looking = False
        self._source = source
        self._later = later
        self._node = ""
        self._replica: Replica | None = None
        """Where `_pods` were found."""
        self._pods: dict[str, _Pod] = {}
        self._round = 0

    @property
    def watched(self) -> bool:
        return self._source() is not None

    @property
    def stale(self) -> bool:
        replica = self._source()
        return replica is not None and not replica.live

    @property
    def total(self) -> int:
        return len(self._there)

    @property
    def href(self) -> str:
        """The list of all of them."""
        return list_href(PODS, "", f"node={self._node}")

    @property
    def lines(self) -> tuple[PodLine, ...]:
        """The first SHOWN, what is wrong first."""
        rows = (pod.row for pod in self._there.values())
        return tuple(
            PodLine(row.name, row.namespace, object_href(PODS, row.namespace, row.name), row.status, row.tone)
            for row in nsmallest(SHOWN, rows, key=lambda row: (_WORST[row.tone], row.namespace, row.name))
        )

    @property
    def more(self) -> int:
        return max(0, self.total - SHOWN)

    def asked(self, allocatable: Mapping[str, Any]) -> tuple[Asked, ...]:
        """Of each resource that is asked for, beside what the node has to give."""
        found = self._there.values()
        requests, limits = added(pod.requests for pod in found), added(pod.limits for pod in found)
        more = Counter(name for pod in found for name in pod.unlimited)
        names = sorted(requests.keys() | limits.keys(), key=lambda name: (name not in ("cpu", "memory"), name))
        return tuple(
            _asked(
                name,
                requests.get(name, 0.0),
                limits.get(name, 0.0),
                parse_quantity(text(allocatable.get(name))),
                more[name],
            )
            for name in names
        )

    def follow(self, node: str) -> None:
        """This node's pods from now on."""
        self._node, self._replica, self._pods, self.looking = node, self._source(), {}, True
        self._round += 1
        self._later(self._search(self._round))

    def apply(self, change: Change) -> bool:
        """Take in what changed among the pods; whether any of it is on the node."""
        if self._replica is not self._source():
            self.follow(self._node)
            return True
        mine = False
        for old, new in change.rows:
            if new is not None and _node_of(new) == self._node:
                self._put(new)
                mine = True
            elif old is not None:
                mine = self._pods.pop(old.uid, None) is not None or mine
        return mine

    @property
    def _there(self) -> Mapping[str, _Pod]:
        return self._pods if self._replica is not None and self._replica is self._source() else {}

    def _search(self, number: int) -> Work:
        interrupted = False
        replica = self._replica
        for looked, uid in enumerate(list(replica.rows) if replica is not None else (), 1):
            row = replica.rows.get(uid) if replica is not None else None
            if row is not None and _node_of(row) == self._node:
                self._put(row)
            if looked % STEP == 0:
                interrupted = True
                yield None
                if number != self._round:
                    return
        self.looking = False
        if interrupted:
            self.found()

    def _put(self, row: Row) -> None:
        whole = row.whole()
        spec, ended = mapping(whole.get("spec")), mapping(whole.get("status")).get("phase") in ("Succeeded", "Failed")
        self._pods[row.uid] = _Pod(row, {}, {}, frozenset()) if ended else _Pod(
            row, demand_of(spec, "requests"), demand_of(spec, "limits"), unlimited(spec))  # fmt: skip


def _node_of(row: Row) -> Any:
    return row.cells[_NODE] if len(row.cells) > _NODE else None


def _asked(name: str, requested: float, limited: float, room: float | None, more: int) -> Asked:
    """`more` pods have no limit of it."""
    words = f"{amount_words(name, requested)} requested"
    words += f", {requested / room:.0%} of {amount_words(name, room)}" if room else ""
    if limited:
        words += f"; limits {amount_words(name, limited)}" + (f", {limited / room:.0%}" if room else "")
        words += f", {pods(more)} may take more" if more else ""
    full = room is not None and requested > 0.95 * room
    return Asked(name, words, "warn" if full else "idle")
