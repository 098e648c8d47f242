"""Events of the cluster about the object of a page of logs and its pods, as marks among the lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.events import EventLine, ObjectEvents
from dashboard.pages.logs.line_buffer import LogPageMark, time_bytes


class EventMarks:
    """`on_new` is called with marks of Events that are new, or that have happened again."""

    def __init__(
        self,
        kind: KindInfo,
        subject: Row,
        find_replica: Callable[[], ReadableReplica | None],
        on_new: Callable[[list[LogPageMark]], None],
    ) -> None:
        self._on_new = on_new
        self._counts: dict[str, int] = {}
        """How often each Event had happened when it was told of; by its id."""
        self._events = ObjectEvents(find_replica)
        self._events.on_found = self._tell
        self._events.follow(kind, subject)
        self._tell()

    def include(self, members: Iterable[tuple[KindInfo, Row]]) -> None:
        """Tell of these objects, too."""
        self._events.include_members(members)
        self._tell()

    def apply(self, change: Change) -> None:
        """Take in changes of Events."""
        if self._events.apply(change):
            self._tell()

    def _tell(self) -> None:
        new = [line for line in self._events.lines if self._counts.get(line.id) != line.count]
        self._counts |= {line.id: line.count for line in new}
        if new:
            self._on_new([_mark(line) for line in new])


def _mark(line: EventLine) -> LogPageMark:
    moment = datetime.fromisoformat(line.time).timestamp()
    about = f"{line.subject.kind} {line.subject.name}: " if line.subject.name else ""
    times = f" ×{line.count}" if line.count > 1 else ""
    kind = "event-warning" if line.tone == "warn" else "event"
    return LogPageMark(time_bytes(int(moment * 1e9)), kind, f"{about}{line.reason}{times}: {line.message}")
