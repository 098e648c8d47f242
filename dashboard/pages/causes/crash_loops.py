"""First restarts of crash loops, from all of the feed's history: a container's status has its last two ends only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers.pod_health import BACK_OFF_MEMORY
from dashboard.pages.causes.unhealthy_object import PODS, FirstRestart
from dashboard.runtime.time_slicing import SlicedWork

LONGEST_BACK_OFF = 300.0
LONGEST_BETWEEN = BACK_OFF_MEMORY + LONGEST_BACK_OFF
"""Most seconds between two restarts of one crash loop: a wait, and a run that is too short to end the loop."""


@dataclass(slots=True)
class _Search:
    """The search for the first restart of one pod, from the newest line of the feed back."""

    created: float
    first: FirstRestart | None = None
    is_over: bool = False

    def note(self, entry: Entry) -> None:
        """Take the line of a restart."""
        number = next((value for name, value in entry.fields if name == "restarts"), "")
        if self.is_over or not number.isdecimal():
            return
        if self.first is not None and self.first.at - entry.time > LONGEST_BETWEEN:
            self.is_over = True  # it ran well for so long that this restart was of another crash loop
            return
        self.first = FirstRestart(entry.time, int(number))
        self.is_over = self.first.count == 1


class CrashLoops:
    """First restarts of some pods. Each pod is searched once, by `schedule`, one search at a time."""

    def __init__(
        self, history: ReadableHistory, schedule: Callable[[SlicedWork], None], on_found: Callable[[], None]
    ) -> None:
        """`on_found` is called when a search is over."""
        self._history = history
        self._schedule = schedule
        self._on_found = on_found
        self._searches: dict[str, _Search] = {}
        self._found: dict[str, FirstRestart] = {}
        self._is_searching = False

    def search(self, pods: Iterable[Row]) -> None:
        """Search for the first restarts of these pods, as far as that has not happened, and forget all others. While a
        search runs, ask again when it is over.
        """
        if self._is_searching:
            return
        wanted = {pod.uid: pod for pod in pods}
        self._forget_others(wanted)
        new = {uid: _Search(pod.created or 0.0) for uid, pod in wanted.items() if uid not in self._searches}
        if new:
            self._is_searching = True
            self._searches |= new
            self._schedule(self._find(new))

    def get(self, uid: str) -> FirstRestart | None:
        """The first restart of a pod's crash loop; None where there may have been one before."""
        return self._found.get(uid)

    def _forget_others(self, uids: Collection[str]) -> None:
        self._searches = {uid: search for uid, search in self._searches.items() if uid in uids}
        self._found = {uid: first for uid, first in self._found.items() if uid in uids}

    def _find(self, searches: dict[str, _Search]) -> SlicedWork:
        """Read the history from the newest line back, until all are found; yields after each slice."""
        begin = min(search.created for search in searches.values())
        try:
            for chunk in self._history.chunks([PODS], begin, float("inf")):
                for entry in reversed(chunk.entries()):
                    if (search := searches.get(entry.uid)) is not None:
                        search.note(entry)
                if all(search.is_over for search in searches.values()):
                    break
                yield None
            known = self._history.complete_from(PODS)
            for uid, search in searches.items():
                first = search.first
                if first is not None and (first.count == 1 or known <= first.at - LONGEST_BETWEEN):
                    self._found[uid] = first
        finally:
            self._is_searching = False
        self._on_found()
