"""The newest events of one container's log, bounded by their bytes: what somebody gets who comes later."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from informerd.logs.log_events import LogEvent, LogLines

OBJECT_BYTES = 41
"""Bytes of memory that a line takes beside its own, in CPython: the object and its place in a list."""


class LogRing:
    """Events, oldest first. `max_bytes` is how much their lines may take together; the newest event always stays."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.size = 0
        self.has_dropped = False
        """Whether events went for newer ones."""
        self._events: deque[tuple[LogEvent, int]] = deque()

    def __iter__(self) -> Iterator[LogEvent]:
        return (event for event, _ in self._events)

    def append(self, event: LogEvent) -> None:
        size = size_of(event)
        self._events.append((event, size))
        self.size += size
        while self.size > self.max_bytes and len(self._events) > 1:
            self.size -= self._events.popleft()[1]
            self.has_dropped = True


def size_of(event: LogEvent) -> int:
    """Bytes of memory that an event takes."""
    if isinstance(event, LogLines):
        return sum(map(len, event.lines)) + OBJECT_BYTES * len(event.lines)
    return len(event.words) + OBJECT_BYTES
