"""The present problems by cause, found once for all pages of people of equal rights.

It is a view of their hub, opened as any other, that no page shows whole: the overview draws it, incident pages take out
what they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from dashboard.live.hub.hub import Hub
from dashboard.live.hub.hub_kinds import HubKinds
from dashboard.live.hub.kind_summaries import KindSummary
from dashboard.live.hub.live_view import LiveView
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.printers.pods import node_of_pod
from dashboard.pages.causes.crash_loops import CrashLoops
from dashboard.pages.causes.grouped_problems import GroupedProblems, group_problems
from dashboard.pages.causes.last_change import LastChanges
from dashboard.pages.causes.shown_causes import Causes, shown_causes
from dashboard.pages.causes.top_owner import Subject
from dashboard.pages.causes.unhealthy_object import PODS, UnhealthyObject, restarts_again
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.clock import Clock

MIN_INTERVAL = 0.25
"""Seconds between two computations: half of those between two draws of the overview, which shows each change so."""


class LiveCauses(LiveView):
    """Causes in some namespaces. They are computed when somebody asks, where what they depend on has changed since, and
    MIN_INTERVAL seconds after the last time at the earliest.
    """

    template: ClassVar[str] = "causes"

    def __init__(
        self,
        kinds: HubKinds,
        history: ReadableHistory,
        clock: Clock,
        *,
        namespaces: tuple[str, ...] = (),
        schedule: Callable[[SlicedWork], None] = run_at_once,
    ) -> None:
        """`schedule` gets the searches in `history`."""
        super().__init__(self.state_key(namespaces), keys=(), clock=clock)
        self._kinds = kinds
        self._namespaces = namespaces
        self._changes = LastChanges(history, schedule, self._forget_shown)
        self._loops = CrashLoops(history, schedule, self._outdate)
        self._problems: GroupedProblems | None = None
        self._shown: Causes | None = None
        self._is_outdated = True
        self._versions: list[tuple[KindSummary, int]] = []
        self._grouped_at = float("-inf")

    @staticmethod
    def state_key(namespaces: tuple[str, ...]) -> str:
        """The canonical state of the causes in these namespaces."""
        return ",".join(namespaces)

    @property
    def found(self) -> Causes:
        """The worst causes."""
        problems = self._grouped()
        if self._shown is None:
            self._shown = shown_causes(problems, problems.members, self._changes, self._namespaces)
        return self._shown

    def about(self, is_wanted: Callable[[Subject, Sequence[UnhealthyObject]], bool]) -> Causes:
        """The worst of the causes that are wanted, by their subjects and their objects; never warnings without one."""
        problems = self._grouped()
        chosen = [key for key, subject in problems.subjects.items() if is_wanted(subject, problems.members[key])]
        return shown_causes(problems, chosen, self._changes, self._namespaces)

    def listens_to(self, key: str) -> bool:  # noqa: ARG002 -- owners may be of any kind
        return True

    def apply(self, key: str, change: Change) -> None:
        if self._changes.apply(key, change) or change.missed_entries or change.unannounced:
            self._forget_shown()
        if not self._is_outdated and self._problems is not None:
            self._is_outdated = change.has_new_health or not self._problems.looked_up.isdisjoint(_names(key, change))

    def take_kinds(self, kinds: tuple[KindInfo, ...]) -> None:  # noqa: ARG002 -- with their replicas
        self._is_outdated = True

    def render_window(self, render: Renderer) -> str:  # noqa: ARG002 -- pages draw their own part
        return ""

    def _render_update(self, render: Renderer) -> str:  # noqa: ARG002
        return ""

    def _forget_update(self) -> None:
        """Nothing: no page shows it."""

    def _grouped(self) -> GroupedProblems:
        now = self.clock.now()
        if self._problems is not None and (now < self._grouped_at + MIN_INTERVAL or not self._has_changed()):
            return self._problems
        self._problems = self._group()
        self._is_outdated = False
        restarted = [line.row for lines in self._problems.members.values() for line in lines if restarts_again(line)]
        self._loops.search(restarted)
        if self._is_outdated:  # what was searched has been found at once
            self._problems = self._group()
        self._changes.keep_only({subject.place for subject in self._problems.subjects.values()})
        self._grouped_at, self._versions, self._is_outdated = now, self._present_versions(), False
        self._forget_shown()
        return self._problems

    def _group(self) -> GroupedProblems:
        followed, summaries = self._kinds.with_replicas(), self._kinds.summaries
        return group_problems(followed, summaries, self._namespaces, self._loops.get)

    def _has_changed(self) -> bool:
        return self._is_outdated or self._versions != self._present_versions()

    def _present_versions(self) -> list[tuple[KindSummary, int]]:
        """What is unhealthy: time alone changes that, too."""
        return [(summary, summary.version) for summary in self._kinds.summaries.values()]

    def _outdate(self) -> None:
        self._is_outdated = True

    def _forget_shown(self) -> None:
        self._shown = None


def _names(key: str, change: Change) -> Iterator[str]:
    """The names of the objects that it is about, and of the nodes of pods."""
    for old, new in change.rows:
        if (row := new or old) is not None:
            yield row.name
            if key == PODS:
                yield node_of_pod(row)
    yield from (entry.name for entry in change.entries)


def open_causes(hub: Hub, namespaces: tuple[str, ...] = ()) -> LiveCauses:
    """The causes that the people of `hub` see, in all namespaces or in some."""
    namespaces = tuple(sorted(set(namespaces)))

    def make() -> LiveCauses:
        return LiveCauses(hub.hub_kinds, hub.history, hub.clock, namespaces=namespaces, schedule=hub.index.slices.add)

    return hub.open_view(LiveCauses, LiveCauses.state_key(namespaces), make)
