"""Rollouts of the workloads whose pods a page of logs shows, as marks among the lines.

A rollout is a change of a workload's pod template or images; its words are the feed's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.live.replication.replica_change import Change
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.details.owned_objects import Member
from dashboard.pages.details.owner_graph import KindReplicas
from dashboard.pages.details.owner_tree import Ancestors
from dashboard.pages.logs.line_buffer import LogPageMark, time_bytes
from dashboard.runtime.time_slicing import SlicedWork, run_at_once

MAX_WORDS = 300


class RolloutMarks:
    """`on_new` is called with marks of rollouts, those of before as the feed's history has them.

    The history is read once for each new workload, in slices, and only the changes of its kind.
    """

    def __init__(
        self,
        history: ReadableHistory,
        kinds: KindReplicas,
        on_new: Callable[[list[LogPageMark]], None],
        schedule: Callable[[SlicedWork], None] = run_at_once,
    ) -> None:
        self._history = history
        self._kinds = kinds
        self._on_new = on_new
        self._schedule = schedule
        self._workloads: dict[str, KindInfo] = {}
        """Kinds of the workloads, by their uids."""
        self._told: set[tuple[str, str, int]] = set()
        """Kind, epoch and number of each line of the feed that was told."""

    def include(self, subject: tuple[KindInfo, Row] | None, pods: Sequence[tuple[KindInfo, Row]]) -> None:
        """Tell of the page's object, where it has one, and of what these pods belong to."""
        members = [subject] if subject is not None else []
        for _, pod in pods:
            members += Ancestors(pod, self._find_row).members.values()
        new = {row.uid: kind for kind, row in members if kind.key != PODS and row.uid not in self._workloads}
        if new:
            self._workloads |= new
            self._schedule(self._find(new))

    def apply(self, key: str, change: Change) -> None:
        """Take in new lines of the feed."""
        if any(kind.key == key for kind in self._workloads.values()):
            self._tell(key, change.entries, self._workloads)

    def _find(self, new: dict[str, KindInfo]) -> SlicedWork:
        """Read the history of these workloads."""
        keys = sorted({kind.key for kind in new.values()})
        for chunk in self._history.chunks(keys, -math.inf, math.inf):
            self._tell(chunk.key, chunk.entries(), new)
            yield None

    def _tell(self, key: str, entries: Collection[Entry], workloads: dict[str, KindInfo]) -> None:
        marks = []
        for entry in entries:
            kind = workloads.get(entry.uid)
            if kind is None or kind.key != key or not entry.is_rollout:
                continue
            if (number := (key, entry.epoch, entry.seq)) not in self._told:
                self._told.add(number)
                words = f"Rollout of {kind.singular} {entry.name}: {limit_text(entry.words, MAX_WORDS)}"
                marks.append(LogPageMark(time_bytes(int(entry.time * 1e9)), "rollout", words))
        if marks:
            self._on_new(marks)

    def _find_row(self, uid: str) -> Member | None:
        return next(((kind, row) for kind, replica in self._kinds() if (row := replica.rows.get(uid))), None)
