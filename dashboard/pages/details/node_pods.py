"""Pods on a node and their resource requests: found among all pods, then updated by changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.describers.pod_resources import (
    Amounts,
    format_amount,
    pod_resources,
    sum_amounts,
    unlimited_resources,
)
from dashboard.objects.describers.selector_text import list_href
from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.fields.unstructured import as_map, as_text
from dashboard.objects.health.status_words import status_text
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers import columns_for
from dashboard.runtime.counts_and_times import format_pod_count
from dashboard.runtime.text_with_links import object_href
from dashboard.runtime.time_slicing import SlicedWork, run_at_once

PODS = "pods"
MAX_SHOWN = 12
"""Most pods that are listed, unhealthy ones first; the rest is counted."""
STEP = 500
"""Rows in a step of the search, at most a millisecond of work; only rows of the node's pods are decoded."""
_WORST: dict[Tone, int] = {"bad": 0, "warn": 1, "busy": 2, "ok": 3, "idle": 4}
_NODE = next(place for place, column in enumerate(columns_for(PODS)) if column.id == "node")


@dataclass(frozen=True, slots=True)
class PodLine:
    name: str
    namespace: str
    href: str
    status: str
    """``Running``, ``Running, not ready: app is not ready``."""
    tone: Tone


@dataclass(frozen=True, slots=True)
class NodeResourceRequest:
    """Requests and limits of one resource, summed over the node's pods that have not ended."""

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
    """Pods of the followed node; `on_found` is called when a search in slices has ended.

    `find_replica` returns the replica of pods, None while pods are not followed: then there are none, and a new replica
    is searched when it comes.
    """

    def __init__(
        self, find_replica: Callable[[], ReadableReplica | None], schedule: Callable[[SlicedWork], None] = run_at_once
    ) -> None:
        self.on_found: Callable[[], None] = lambda: None
        self.is_searching = False
        self._source = find_replica
        self._schedule = schedule
        self._node = ""
        self._replica: ReadableReplica | None = None
        """The replica in which `_pods` were found."""
        self._pods: dict[str, _Pod] = {}
        self._round = 0

    @property
    def is_watched(self) -> bool:
        return self._source() is not None

    @property
    def is_stale(self) -> bool:
        replica = self._source()
        return replica is not None and not replica.is_live

    @property
    def total(self) -> int:
        return len(self._there)

    @property
    def href(self) -> str:
        """The list of all pods on the node."""
        return list_href(PODS, "", f"node={self._node}")

    @property
    def lines(self) -> tuple[PodLine, ...]:
        """The first MAX_SHOWN pods, unhealthy ones first."""
        rows = (pod.row for pod in self._there.values())
        return tuple(
            PodLine(row.name, row.namespace, object_href(PODS, row.namespace, row.name), status_text(row), row.tone)
            for row in nsmallest(MAX_SHOWN, rows, key=lambda row: (_WORST[row.tone], row.namespace, row.name))
        )

    @property
    def more_count(self) -> int:
        return max(0, self.total - MAX_SHOWN)

    def resource_requests(self, allocatable: Mapping[str, Any]) -> tuple[NodeResourceRequest, ...]:
        """Each requested resource, compared with the node's allocatable amount."""
        pods = self._there.values()
        requests, limits = sum_amounts(pod.requests for pod in pods), sum_amounts(pod.limits for pod in pods)
        more = Counter(name for pod in pods for name in pod.unlimited)
        names = sorted(requests.keys() | limits.keys(), key=lambda name: (name not in ("cpu", "memory"), name))
        return tuple(
            _request_line(
                name,
                requests.get(name, 0.0),
                limits.get(name, 0.0),
                parse_quantity(as_text(allocatable.get(name))),
                more[name],
            )
            for name in names
        )

    def follow(self, node: str) -> None:
        """Follow this node's pods from now on."""
        self._node, self._replica, self._pods, self.is_searching = node, self._source(), {}, True
        self._round += 1
        self._schedule(self._search(self._round))

    def apply(self, change: Change) -> bool:
        """Apply changes of pods; returns whether any of them is on the node."""
        if self._replica is not self._source():
            self.follow(self._node)
            return True
        mine = False
        for old, new in change.rows:
            if new is not None and _node_of(new) == self._node:
                self._store_pod(new)
                mine = True
            elif old is not None:
                mine = self._pods.pop(old.uid, None) is not None or mine
        return mine

    @property
    def _there(self) -> Mapping[str, _Pod]:
        return self._pods if self._replica is not None and self._replica is self._source() else {}

    def _search(self, number: int) -> SlicedWork:
        interrupted = False
        replica = self._replica
        for looked, uid in enumerate(list(replica.rows) if replica is not None else (), 1):
            row = replica.rows.get(uid) if replica is not None else None
            if row is not None and _node_of(row) == self._node:
                self._store_pod(row)
            if looked % STEP == 0:
                interrupted = True
                yield None
                if number != self._round:
                    return
        self.is_searching = False
        if interrupted:
            self.on_found()

    def _store_pod(self, row: Row) -> None:
        whole = row.decode_object()
        spec, ended = as_map(whole.get("spec")), as_map(whole.get("status")).get("phase") in ("Succeeded", "Failed")
        self._pods[row.uid] = _Pod(row, {}, {}, frozenset()) if ended else _Pod(
            row, pod_resources(spec, "requests"), pod_resources(spec, "limits"), unlimited_resources(spec))  # fmt: skip


def _node_of(row: Row) -> Any:
    return row.cells[_NODE] if len(row.cells) > _NODE else None


def _request_line(name: str, requested: float, limited: float, room: float | None, more: int) -> NodeResourceRequest:
    """The line of one resource; `more` pods have no limit of it."""
    words = f"{format_amount(name, requested)} requested"
    words += f", {requested / room:.0%} of {format_amount(name, room)}" if room else ""
    if limited:
        words += f"; limits {format_amount(name, limited)}" + (f", {limited / room:.0%}" if room else "")
        words += f", {format_pod_count(more)} may take more" if more else ""
    full = room is not None and requested > 0.95 * room
    return NodeResourceRequest(name, words, "warn" if full else "idle")
