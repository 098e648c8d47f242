"""The newest change to what an object asks for (its spec) shortly before its problem began, as the feed tells it.

It tells an order in time, not a cause.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from dashboard.live.rendering.time_texts import duration_text, rfc3339, utc_text
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.live.replication.replica_change import Change
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.causes.top_owner import Place, Subject
from dashboard.runtime.time_slicing import SlicedWork

LONGEST_BEFORE = 3_600.0
"""Seconds before a problem in which a change is told."""
SAME_TIME = 5.0
"""Seconds within which the order is not known: clocks differ, and objects say whole seconds."""
MAX_WORDS = 160
_COLUMNS = frozenset({"images", "containers", "selector", "node selector", "desired", "schedule", "suspend", "paused"})
"""Columns that show what somebody asks for; other columns show what is."""
_SET_BY_CLUSTER = ("spec.taints", "spec.nodeName", "spec.volumeName", "spec.claimRef", "spec.finalizers")
"""Fields of specs that Kubernetes sets itself, some of them because of a problem."""


@dataclass(frozen=True, slots=True)
class LastChange:
    """A change before a problem, or at about the same time."""

    words: str
    time: str
    """RFC 3339."""
    when: str
    """``2m30s after``: the problem began so long after the change. ``about the same time as`` within SAME_TIME."""
    is_before: bool


@dataclass(slots=True)
class _Search:
    """The search for the change before one problem; `begin` is that of the problem, in Unix seconds."""

    begin: float
    entry: Entry | None = None
    is_over: bool = False

    def note(self, key: str, entry: Entry) -> None:
        """Take a line about the object, where it is the one that is searched, as far as is known."""
        is_newest = self.entry is None or self.entry.time <= entry.time
        if is_newest and self.begin - LONGEST_BEFORE <= entry.time <= self.begin + SAME_TIME and is_of_spec(key, entry):
            self.entry = entry


class LastChanges:
    """Last changes before the problems of some objects, from all of the feed's history.

    Problems that are asked for are searched once, by `schedule`, one search at a time; `apply` follows from then on. A
    search reads the changes of their kinds from the hour before them: the history's limits bound it.
    """

    def __init__(
        self, history: ReadableHistory, schedule: Callable[[SlicedWork], None], on_found: Callable[[], None]
    ) -> None:
        """`on_found` is called when a search is over."""
        self._history = history
        self._schedule = schedule
        self._on_found = on_found
        self._searches: dict[Place, _Search] = {}
        self._is_searching = False

    def search(self, begins: Mapping[Place, float]) -> None:
        """Search for these problems, as far as that has not happened. `begins` are Unix seconds.

        While a search runs, ask again when it is over.
        """
        new = {place: _Search(begin) for place, begin in begins.items() if self._begin_of(place) != begin}
        if new and not self._is_searching:
            self._is_searching = True
            self._searches |= new
            self._schedule(self._find(new))

    def keep_only(self, places: Collection[Place]) -> None:
        """Forget what was found for others."""
        self._searches = {place: search for place, search in self._searches.items() if place in places}

    def get(self, subject: Subject) -> LastChange | None:
        """The change before the problem that was searched last; None where none is known."""
        search = self._searches.get(subject.place)
        entry = search.entry if search is not None else None
        if search is None or entry is None:
            return None
        seconds = search.begin - entry.time
        is_before = seconds > SAME_TIME
        when = f"{duration_text(seconds)} after" if is_before else "about the same time as"
        return LastChange(limit_text(entry.words, MAX_WORDS), rfc3339(round(entry.time)), when, is_before)

    def doubt(self, subject: Subject) -> str:
        """Why there may have been another change, or one at all, as a sentence; empty where that is known."""
        search = self._searches.get(subject.place)
        if search is None or not search.is_over:
            return "The feed is being searched for changes before it."
        known = self._history.complete_from(subject.kind.key)
        if known <= (search.entry.time if search.entry is not None else search.begin - LONGEST_BEFORE):
            return ""
        if known == math.inf:
            return f"Changes of {subject.kind.title} are not known."
        return f"Changes of {subject.kind.title} before {utc_text(known)} are not in the feed."

    def apply(self, key: str, change: Change) -> bool:
        """Take the feed's new lines of a kind; returns whether one is about an object that was searched for."""
        found = False
        for entry in change.entries:
            search = self._searches.get((key, entry.namespace, entry.name))
            if search is not None:
                search.note(key, entry)
                found = True
        return found

    def _begin_of(self, place: Place) -> float | None:
        search = self._searches.get(place)
        return search.begin if search is not None else None

    def _find(self, searches: Mapping[Place, _Search]) -> SlicedWork:
        """Read the history from the newest line back, until all are found; yields after each slice."""
        begins = [search.begin for search in searches.values()]
        keys = sorted({key for key, _, _ in searches})
        try:
            for chunk in self._history.chunks(keys, min(begins) - LONGEST_BEFORE, max(begins) + SAME_TIME):
                for entry in reversed(chunk.entries()):
                    search = searches.get((chunk.key, entry.namespace, entry.name))
                    if search is not None and (search.entry is None or search.entry.time < entry.time):
                        search.note(chunk.key, entry)
                if all(search.entry is not None for search in searches.values()):
                    break
                yield None
            for search in searches.values():
                search.is_over = True
        finally:
            self._is_searching = False
        self._on_found()


def is_of_spec(key: str, entry: Entry) -> bool:
    """Whether a line about an object of a kind tells a change to what somebody asks for."""
    if entry.op != "modified":
        return False
    columns = _COLUMNS - {"desired"} if key == "daemonsets.apps" else _COLUMNS  # there it counts nodes
    return any(path in columns or _is_asked_for(path) for path, _ in entry.fields)


def _is_asked_for(path: str) -> bool:
    return (path == "spec" or path.startswith("spec.")) and not path.startswith(_SET_BY_CLUSTER)
