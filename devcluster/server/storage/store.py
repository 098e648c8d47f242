"""In-memory store of all objects under one revision counter, with a bounded history of changes.

Guarantees: revisions grow by one with each change; `changes_since` gives every change after a revision or raises
Compacted; `records_at` rebuilds a bucket as it was at any revision in the window. Objects are stored as the JSON bytes
that go over the wire, with the few values that selectors and the garbage collector read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

Operation = Literal["ADDED", "MODIFIED", "DELETED"]
Key = tuple[str, str]
"""(namespace, name); the namespace is empty for cluster-scoped objects."""


class Compacted(Exception):
    """The requested revision is older than the history."""


@dataclass(frozen=True, slots=True)
class Record:
    """One object at one revision. `raw` is its JSON, kind and apiVersion first."""

    key: Key
    uid: str
    revision: int
    raw: bytes
    labels: dict[str, str]
    fields: dict[str, str]
    """What field selectors can ask for, metadata.name and metadata.namespace excepted."""
    owners: tuple[str, ...] = ()
    """uids of ownerReferences."""
    deleting: bool = False


@dataclass(slots=True)
class Change:
    """One step of the history. For DELETED `record` is the last state, carrying the revision of the deletion."""

    revision: int
    bucket: str
    operation: Operation
    record: Record
    previous: Record | None
    _line: bytes | None = field(default=None, init=False)
    _is_delivered: bool = field(default=False, init=False)

    def line(self) -> bytes:
        """The watch event as one line, encoded once for all present watchers."""
        line = self._line or event_line(self.operation, self.record.raw)
        self._line = None if self._is_delivered else line
        return line

    def release_line(self) -> None:
        """Drop the encoded line, after all watchers have it."""
        self._line, self._is_delivered = None, True


def event_line(operation: str, raw: bytes) -> bytes:
    """A watch event as it goes over the wire."""
    return b'{"type":"%b","object":%b}\n' % (operation.encode(), raw)


Listener = Callable[[Change], None]


class Store:
    """Buckets of records (one for each kind) and the changes that led to them.

    `max_changes` and `max_bytes` bound the history, whichever is reached first.
    """

    def __init__(self, *, max_changes: int = 10_000, max_bytes: int = 32 << 20) -> None:
        self._buckets: dict[str, dict[Key, Record]] = {}
        self._history: deque[Change] = deque()
        self._history_bytes = 0
        self._max_changes = max_changes
        self._max_bytes = max_bytes
        self._listeners: dict[str, list[Listener]] = {}
        self._dependents: dict[str, set[tuple[str, Key]]] = {}
        self._uids: dict[str, tuple[str, Key]] = {}
        self.revision = 1
        """The newest revision. Nothing has revision 0: it means "any" in requests."""
        self.compacted = 1
        """The newest revision whose change is no longer in the history."""

    def get(self, bucket: str, key: Key) -> Record | None:
        return self._buckets.get(bucket, {}).get(key)

    def records(self, bucket: str) -> dict[Key, Record]:
        """The bucket as it is now; not to be changed by the caller."""
        return self._buckets.get(bucket, {})

    def put(self, bucket: str, record: Record) -> Change:
        """Add or replace. The record must carry `next_revision`."""
        previous = self.get(bucket, record.key)
        self._buckets.setdefault(bucket, {})[record.key] = record
        self._index(bucket, previous, record)
        return self._append(Change(record.revision, bucket, "MODIFIED" if previous else "ADDED", record, previous))

    def remove(self, bucket: str, record: Record) -> Change:
        """Delete. `record` is the last state, carrying `next_revision`."""
        previous = self._buckets[bucket].pop(record.key)
        self._index(bucket, previous, None)
        return self._append(Change(record.revision, bucket, "DELETED", record, previous))

    @property
    def next_revision(self) -> int:
        return self.revision + 1

    def changes_since(self, revision: int, bucket: str) -> Iterator[Change]:
        """The bucket's changes after `revision`, oldest first. Raises Compacted at once where some are gone."""
        if revision < self.compacted:
            raise Compacted
        later = islice(self._history, min(revision - self.compacted, len(self._history)), None)
        return iter([change for change in later if change.bucket == bucket])

    def records_at(self, bucket: str, revision: int) -> dict[Key, Record]:
        """The bucket as it was at `revision`. Raises Compacted."""
        state = dict(self.records(bucket))
        for change in reversed(list(self.changes_since(revision, bucket))):
            if change.previous is None:
                state.pop(change.record.key, None)
            else:
                state[change.record.key] = change.previous
        return state

    def compact(self) -> None:
        """Forget the whole history: everything older than now is Compacted."""
        self._history.clear()
        self._history_bytes = 0
        self.compacted = self.revision

    def listen(self, bucket: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every change of the bucket as it happens; the result ends that."""
        self._listeners.setdefault(bucket, []).append(listener)
        return lambda: self._listeners[bucket].remove(listener)

    def dependents(self, uid: str) -> Iterable[tuple[str, Key]]:
        """Bucket and key of the objects that name `uid` as their owner."""
        return tuple(self._dependents.get(uid, ()))

    def has_uid(self, uid: str) -> bool:
        return uid in self._uids

    def locate(self, uid: str) -> tuple[str, Key] | None:
        """Bucket and key of the object with this uid."""
        return self._uids.get(uid)

    def _index(self, bucket: str, old: Record | None, new: Record | None) -> None:
        if old is not None:
            self._uids.pop(old.uid, None)
            for uid in old.owners:
                places = self._dependents.get(uid, set())
                places.discard((bucket, old.key))
                if not places:
                    self._dependents.pop(uid, None)
        if new is not None:
            self._uids[new.uid] = (bucket, new.key)
            for uid in new.owners:
                self._dependents.setdefault(uid, set()).add((bucket, new.key))

    def _append(self, change: Change) -> Change:
        if change.revision != self.next_revision:
            raise ValueError(f"revision {change.revision} out of turn, expected {self.next_revision}")
        self.revision = change.revision
        self._history.append(change)
        self._history_bytes += len(change.record.raw)
        while len(self._history) > self._max_changes or self._history_bytes > self._max_bytes:
            dropped = self._history.popleft()
            self._history_bytes -= len(dropped.record.raw)
            self.compacted = dropped.revision
        for listener in tuple(self._listeners.get(change.bucket, ())):
            listener(change)
        change.release_line()
        return change
