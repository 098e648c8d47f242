"""What a replica holds of a resource: rows by uid, name, owner and subject, and the newest lines of the feed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator

from dashboard.live.messages import Entry, Row
from dashboard.live.ownership import owner_uids
from dashboard.live.pull import Part, RowChange
from dashboard.live.uid_index import UidIndex
from dashboard.resources.rows.events import SUBJECT_OF

KEPT_ENTRIES = 500
STEP = 100
"""Rows in a step of a work in slices."""


class Holding:
    """Changed by the replica only. What it takes it says back as changes, so that both always tell the same."""

    def __init__(self, key: str) -> None:
        """`key` of the resource: rows of Kubernetes Events are found by what they are about, too."""
        self.rows: dict[str, Row] = {}
        """By uid."""
        self.by_key: dict[str, Row] = {}
        """By ``namespace/name``."""
        self.by_owner = UidIndex(owner_uids)
        """By the uid of each owner that their row names."""
        self.by_subject = UidIndex(_subjects_of(key))
        """Events by the name of the object that they are about, whatever its kind and namespace."""
        self.entries: deque[Entry] = deque(maxlen=KEPT_ENTRIES)
        """Oldest first; lines of an earlier epoch stay until newer ones push them out."""

    def take(self, rows: Iterable[Row], gone: Iterable[str]) -> list[RowChange]:
        """What a frame brought; what of it is new, deletes first."""
        changes = self.drop(gone)
        for row in rows:
            old = self._set(row)
            if old != row:
                changes.append((old, row))
        return changes

    def drop(self, gone: Iterable[str]) -> list[RowChange]:
        """These objects are no more."""
        changes: list[RowChange] = []
        for uid in gone:
            if (old := self.rows.pop(uid, None)) is not None:
                self._forget(old)
                changes.append((old, None))
        return changes

    def take_over(self, gone: Collection[str], parts: Iterable[Part]) -> Iterator[list[RowChange]]:
        """Take a snapshot's rows over, STEP at a time; what of them differs.

        Those that do not differ are taken too: they are packed otherwise. Deletes come last, so that a list of which
        everything is another one is at no moment empty; but what has a new object's name goes just before that.
        """
        for part in parts:
            for start in range(0, len(part.rows), STEP):
                rows = part.rows[start : start + STEP]
                changes = self.drop(self._namesakes(rows))
                for row in rows:
                    self._set(row)
                yield changes + [change for row in rows if (change := part.changes.get(row.uid)) is not None]
        left = [uid for uid in gone if uid in self.rows]
        for start in range(0, len(left), STEP):
            yield self.drop(left[start : start + STEP])

    def _namesakes(self, rows: Iterable[Row]) -> list[str]:
        """The uids of other objects here that have the names of `rows`."""
        known = ((self.by_key.get(row.key), row) for row in rows)
        return [old.uid for old, row in known if old is not None and old.uid != row.uid]

    def _set(self, row: Row) -> Row | None:
        """Hold it; what was held of the object before."""
        old = self.rows.get(row.uid)
        self.rows[row.uid] = row
        self.by_key[row.key] = row
        self._index(old, row)
        return old

    def _forget(self, row: Row) -> None:
        self._index(row, None)
        current = self.by_key.get(row.key)
        if current is not None and current.uid == row.uid:
            del self.by_key[row.key]

    def _index(self, old: Row | None, new: Row | None) -> None:
        self.by_owner.move(old, new)
        self.by_subject.move(old, new)


def _subjects_of(key: str) -> Callable[[Row], Collection[str]]:
    subject_of = SUBJECT_OF.get(key)
    return _nobody if subject_of is None else lambda row: (subject_of(row),)


def _nobody(row: Row) -> Collection[str]:  # noqa: ARG001 - as any other names of a row
    return ()
