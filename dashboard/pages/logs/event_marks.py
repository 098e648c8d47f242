"""Events of the cluster about the object of a page of logs and its pods, as marks among the lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.events import EVENTS, EventLine, ObjectEvents
from dashboard.pages.logs.line_buffer import LogPageMark, time_bytes
from dashboard.runtime.time_slicing import SlicedWork, run_at_once

MAX_MARKS = 200
"""Most Events that a page begins with, the newest: more would push the lines out of its window."""


class EventMarks:
    """`on_new` is called with marks of Events that are new, or that have happened again."""

    def __init__(
        self,
        find_replica: Callable[[], ReadableReplica | None],
        on_new: Callable[[list[LogPageMark]], None],
        schedule: Callable[[SlicedWork], None] = run_at_once,
    ) -> None:
        self._on_new = on_new
        self._counts: dict[str, int] = {}
        """How often each Event had happened when it was told of; by its id."""
        self._subject = ""
        """The uid of the page's object."""
        self._has_said_more = False
        self._events = ObjectEvents(find_replica, schedule, MAX_MARKS)
        self._events.on_found = self._tell

    def include(self, subject: tuple[KindInfo, Row] | None, pods: Sequence[tuple[KindInfo, Row]]) -> None:
        """Tell of the page's object, where it has one, and of these pods."""
        if subject is not None and subject[1].uid != self._subject:
            self._subject = subject[1].uid
            self._events.follow(*subject)
        self._events.include_members(pod for pod in pods if pod[1].uid != self._subject)
        self._tell()

    def apply(self, key: str, change: Change) -> None:
        """Take in changes of Events."""
        if key == EVENTS and self._events.apply(change):
            self._tell()

    def _tell(self) -> None:
        lines = self._events.lines
        new = [line for line in lines if self._counts.get(line.id) != line.count]
        self._counts |= {line.id: line.count for line in new}
        marks = [_mark(line) for line in new]
        if self._events.older_count and not self._has_said_more:
            self._has_said_more = True
            words = f"Events before this are left out: the newest {MAX_MARKS} are shown."
            marks.append(LogPageMark(_time(lines[-1]), "event", words))
        if marks:
            self._on_new(marks)


def _mark(line: EventLine) -> LogPageMark:
    about = f"{line.subject.kind} {line.subject.name}: " if line.subject.name else ""
    times = f" ×{line.count}" if line.count > 1 else ""
    kind = "event-warning" if line.tone == "warn" else "event"
    return LogPageMark(_time(line), kind, f"{about}{line.reason}{times}: {line.message}")


def _time(line: EventLine) -> bytes:
    return time_bytes(int(datetime.fromisoformat(line.time).timestamp() * 1e9))
