"""Bounded queue of changes from the event loop to the recorder's thread, and the ring of a recorder that stands by."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from dashboard.live.history.version import Operation
from informerd.objects import Object

MAX_CHANGES = 50_000
MAX_BYTES = 128 * 2**20
"""Most changes that wait, and bytes of their compressed objects, most of which the informers' stores have, too."""
WORTH_A_BATCH = 5_000
"""Items for which the thread is woken."""
RING_SECONDS = 120.0
"""Seconds of changes that a recorder keeps which stands by, within the same bounds."""
CHANGE_BYTES = 300
"""Bytes that a change takes beside its object, approximately."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of an object, or an object of a list."""

    kind: str
    operation: Operation
    obj: Object
    time: int
    """Unix microseconds."""


@dataclass(frozen=True, slots=True)
class ListBegin:
    """All objects of a kind follow, as changes with the operation FOUND. Their number is not bounded: the informer's
    store has them all.
    """

    kind: str


@dataclass(frozen=True, slots=True)
class ListEnd:
    """All have come: what did not is gone, but for namespaces that were not listed."""

    kind: str
    time: int
    unreadable: frozenset[str] = frozenset()
    """Keys of the objects that exist and could not be read."""
    namespaces: frozenset[str] | None = None
    """Namespaces that were listed; None: all."""

    def has_listed(self, namespace: str) -> bool:
        """Whether objects of a namespace, empty for those that have none, would be in the list."""
        return self.namespaces is None or not namespace or namespace in self.namespaces


@dataclass(frozen=True, slots=True)
class NamespaceLost:
    """The account may no longer list a namespace."""

    kind: str
    namespace: str
    time: int


@dataclass(frozen=True, slots=True)
class Covered:
    """Every change of a kind since `since` and before `until` (Unix microseconds) stands before this in the queue."""

    kind: str
    since: int
    until: int
    reason: str
    """Why there may be a gap before `since`."""


@dataclass(frozen=True, slots=True)
class Tick:
    """What is covered now; after it a batch may be written though it is small."""

    covered: tuple[Covered, ...]


Item = Change | ListBegin | ListEnd | NamespaceLost | Tick


class ChangeQueue:
    """The event loop puts, one thread takes. While `is_ring`, the oldest changes give way, and lists are left out."""

    def __init__(self, max_changes: int = MAX_CHANGES, max_bytes: int = MAX_BYTES) -> None:
        self._max_changes = max_changes
        self._max_bytes = max_bytes
        self._items: deque[Item] = deque()
        self._changes = 0
        self._bytes = 0
        self._lock = threading.Condition()
        self._is_due = False
        self.is_ring = True
        self._gone_until = 0
        """Time of the newest change that was taken or gave way; 0 for none."""

    def __len__(self) -> int:
        """Changes that wait; those of lists are not counted."""
        return self._changes

    @property
    def size(self) -> int:
        """Bytes of memory, approximately."""
        return self._bytes

    @property
    def has_room(self) -> bool:
        """Whether it is half empty, after an overflow."""
        return not self.is_ring and self._changes <= self._max_changes // 2 and self._bytes <= self._max_bytes // 2

    def put(self, item: Item) -> bool:
        """Add an item, at once. False where it is a change for which there is no room."""
        with self._lock:
            if isinstance(item, Change) and item.operation is not Operation.FOUND:
                if self.is_ring:
                    self._make_room(item.time)
                elif self._changes >= self._max_changes or self._bytes >= self._max_bytes:
                    return False
                self._changes += 1
                self._bytes += _size(item)
            elif self.is_ring:
                return True
            self._items.append(item)
            if isinstance(item, Tick) or len(self._items) >= WORTH_A_BATCH:
                self._is_due = True
                self._lock.notify()
        return True

    def take(self, most: int, seconds: float) -> list[Item]:
        """Up to `most` items. Waits until they are worth a batch, or a Tick has come, `seconds` at most. Nothing while
        it is a ring.
        """
        with self._lock:
            if not self._is_due or self.is_ring:
                self._lock.wait(seconds)
            if self.is_ring:
                return []
            self._is_due = len(self._items) > most
            taken = [self._items.popleft() for _ in range(min(most, len(self._items)))]
            for item in taken:
                if isinstance(item, Change) and item.operation is not Operation.FOUND:
                    self._forget(item)
            return taken

    def become_ring(self) -> None:
        """Stand by: keep the last changes only."""
        with self._lock:
            self.is_ring = True
            self._items = deque(
                item for item in self._items if isinstance(item, Change) and item.operation is not Operation.FOUND
            )

    def become_queue(self) -> int:
        """Keep every change from now on. Returns the time since which all changes are there, where it was a ring; 0:
        since the beginning.
        """
        with self._lock:
            was_ring, self.is_ring = self.is_ring, False
            return self._gone_until if was_ring else 0

    def wake(self) -> None:
        """Let `take` return."""
        with self._lock:
            self._lock.notify()

    def _make_room(self, now: int) -> None:
        while self._items and (
            self._changes >= self._max_changes
            or self._bytes >= self._max_bytes
            or self._oldest < now - int(RING_SECONDS * 1e6)
        ):
            gone = self._items.popleft()
            if isinstance(gone, Change):
                self._forget(gone)

    def _forget(self, change: Change) -> None:
        self._gone_until = max(self._gone_until, change.time)
        self._changes -= 1
        self._bytes -= _size(change)

    @property
    def _oldest(self) -> int:
        first = self._items[0]
        return first.time if isinstance(first, Change) else 0


def _size(change: Change) -> int:
    return CHANGE_BYTES + (len(change.obj.blob.data) if change.obj.blob is not None else 0)
