"""Rows of a replica by uid, namespace and name, owner, subject and node, and the newest lines of the feed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from dashboard.live.replication.row_interner import RowInterner
from dashboard.live.replication.snapshot_pull import RowChange, SnapshotPart
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from dashboard.objects.kinds.row_owners import owner_uids
from dashboard.objects.printers.events import SUBJECT_OF
from dashboard.objects.printers.pods import node_of_pod


class UidIndex:
    """Index of uids by name, kept current by the changes of single rows.

    A look-up and a change cost the same however many rows there are. A name of a single row takes no more memory than
    that: in most clusters half of the owners own one object.
    """

    def __init__(self, names_of: Callable[[Row], Collection[str]]) -> None:
        """`names_of` is constant for one and the same row; an empty name is ignored."""
        self._names_of = names_of
        self._uids: dict[str, str | set[str]] = {}

    def __len__(self) -> int:
        """Number of names."""
        return len(self._uids)

    def __bool__(self) -> bool:
        return bool(self._uids)

    def uids_of(self, name: str) -> Collection[str]:
        """The uids of the rows that have this name, in no order. Do not keep it: it may change with the rows."""
        uids = self._uids.get(name, ())
        return (uids,) if isinstance(uids, str) else uids

    possible_uids_of = uids_of

    def update(self, old: Row | None, new: Row | None) -> None:
        """The row was `old`, None where it is new, and is now `new`; None: it is deleted."""
        before = self._names_of(old) if old is not None else ()
        after = self._names_of(new) if new is not None else ()
        if before == after:
            return
        if old is not None:
            self._remove(_without(before, after), old.uid)
        if new is not None:
            self._add(_without(after, before), new.uid)

    def _add(self, names: Iterable[str], uid: str) -> None:
        for name in names:
            known = self._uids.setdefault(name, uid)
            if isinstance(known, set):
                known.add(uid)
            elif known != uid:
                self._uids[name] = {known, uid}

    def _remove(self, names: Iterable[str], uid: str) -> None:
        for name in names:
            known = self._uids[name]
            if isinstance(known, set):
                known.remove(uid)
                if len(known) == 1:
                    self._uids[name] = known.pop()
            else:
                del self._uids[name]


def _without(names: Collection[str], others: Collection[str]) -> Iterable[str]:
    """Each name once that is not among the others."""
    return [name for name in dict.fromkeys(names) if name and name not in others]


MAX_ENTRIES = 500
STEP = 100
"""Rows in one step of sliced work."""
NAMES_IN_STEP = 2_000
"""Names that are searched in one step: about a tenth of a millisecond where none fits."""


class ReplicaRows:
    """Rows that only the replica changes: one for each namespace and name, whatever comes.

    Each method returns the changes that it made.
    """

    def __init__(self, key: str) -> None:
        """`key` is the resource's: rows of Kubernetes Events are indexed by their subject, too."""
        self.rows: dict[str, Row] = {}
        """By uid."""
        self.by_namespace: dict[str, dict[str, Row]] = {}
        """By namespace, empty where the kind has none, and name."""
        self.by_owner = UidIndex(owner_uids)
        """By the uid of each owner that a row names."""
        self.by_subject = UidIndex(_subjects_of(key))
        """Events by the name of their subject, whatever its kind and namespace."""
        self.by_node = UidIndex((lambda row: (node_of_pod(row),)) if key == "pods" else _nobody)
        """Pods by the name of their node."""
        self.entries: deque[Entry] = deque(maxlen=MAX_ENTRIES)
        """Oldest first; lines of an earlier epoch stay until newer ones push them out."""
        self.interner = RowInterner()

    def get(self, namespace: str, name: str) -> Row | None:
        """The object's row, `namespace` empty where the kind has none."""
        rows = self.by_namespace.get(namespace)
        return rows.get(name) if rows is not None else None

    def rows_in(self, namespace: str) -> Collection[Row]:
        """The rows of a namespace. Do not keep it: it changes with the rows."""
        rows = self.by_namespace.get(namespace)
        return rows.values() if rows is not None else ()

    def find_by_name(self, text: str) -> Iterator[list[Row]]:
        """The rows whose names contain a lower-case text, in steps of about NAMES_IN_STEP names; a step may find none.
        Between two steps rows may change: each one that is there all the time is found.
        """
        some: list[dict[str, Row]] = []
        number = 0
        for namespace in list(self.by_namespace):
            rows = self.by_namespace.get(namespace, {})
            if len(rows) > NAMES_IN_STEP:
                items = list(rows.items())
                for start in range(0, len(items), NAMES_IN_STEP):
                    yield _matching([dict(items[start : start + NAMES_IN_STEP])], text)
                continue
            some.append(rows)
            number += len(rows)
            if number >= NAMES_IN_STEP:
                yield _matching(some, text)
                some, number = [], 0
        yield _matching(some, text)

    def apply_frame(self, rows: Iterable[Row], gone: Iterable[str]) -> list[RowChange]:
        """Apply a frame. Returns the changes, deletes first. An object whose name one of `rows` has under another uid
        is deleted, too, just before that.
        """
        changes = self.remove(gone)
        for row in rows:
            self.interner.intern(row)
            changes += self._remove_namesake(row)
            old = self._set(row)
            if old != row:
                changes.append((old, row))
        return changes

    def remove(self, gone: Iterable[str]) -> list[RowChange]:
        """Remove deleted objects."""
        changes: list[RowChange] = []
        for uid in gone:
            if (old := self.rows.pop(uid, None)) is not None:
                self._forget(old)
                changes.append((old, None))
        return changes

    def apply_snapshot(self, gone: Collection[str], parts: Iterable[SnapshotPart]) -> Iterator[list[RowChange]]:
        """Apply a snapshot's rows, which its pull has interned, STEP at a time. Yields the changes.

        Unchanged rows are taken over too, because they are packed differently. Deletes come last, so that a list of
        entirely new objects is never empty; but an object whose name a new one has is deleted just before that.
        """
        for part in parts:
            for start in range(0, len(part.rows), STEP):
                rows, changes = part.rows[start : start + STEP], list[RowChange]()
                for row in rows:
                    changes += self._remove_namesake(row)
                    old = self._set(row)
                    if row.uid in part.changes or old is None:
                        changes.append(part.changes.get(row.uid, (None, row)))
                yield changes
        left = [uid for uid in gone if uid in self.rows]
        for start in range(0, len(left), STEP):
            yield self.remove(left[start : start + STEP])

    def _remove_namesake(self, row: Row) -> list[RowChange]:
        """Remove another object that has the row's name."""
        known = self.get(row.namespace, row.name)
        return self.remove((known.uid,)) if known is not None and known.uid != row.uid else []

    def _set(self, row: Row) -> Row | None:
        """Set the row. Returns the object's previous row."""
        old = self.rows.get(row.uid)
        self.rows[row.uid] = row
        if old is not None and (old.namespace, old.name) != (row.namespace, row.name):
            self._drop_name(old)
        self.by_namespace.setdefault(row.namespace, {})[row.name] = row
        self._index(old, row)
        return old

    def _forget(self, row: Row) -> None:
        self._index(row, None)
        self._drop_name(row)

    def _drop_name(self, row: Row) -> None:
        rows = self.by_namespace[row.namespace]
        del rows[row.name]
        if not rows:
            del self.by_namespace[row.namespace]

    def _index(self, old: Row | None, new: Row | None) -> None:
        self.by_owner.update(old, new)
        self.by_subject.update(old, new)
        self.by_node.update(old, new)


def _subjects_of(key: str) -> Callable[[Row], Collection[str]]:
    subject_of = SUBJECT_OF.get(key)
    return _nobody if subject_of is None else lambda row: (subject_of(row),)


def _nobody(row: Row) -> Collection[str]:  # noqa: ARG001 - as any other names of a row
    return ()


def _matching(rows_by_name: Sequence[Mapping[str, Row]], text: str) -> list[Row]:
    """The rows whose names contain the text. Most names do not: all are looked at as one text first."""
    if text not in "\n".join(chain.from_iterable(rows_by_name)).lower():
        return []
    return [row for rows in rows_by_name for name, row in rows.items() if text in name.lower()]
