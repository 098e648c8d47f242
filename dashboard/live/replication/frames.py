"""What a publisher has not sent yet: of each object that changed the latest row, and every single feed entry."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from dashboard.live.messages import Entry, Row


class Taken(NamedTuple):
    """What is to be sent now."""

    changes: dict[str, Row | None]
    """By uid; None: it is gone."""
    entries: list[Entry]
    counts: tuple[int, int, int]
    """Objects added, modified, deleted since the last time that anything was taken."""


class Pending:
    """Taking is one step, without waiting: no delta can slip in between what is taken and what is left."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        """Oldest first."""
        self._changes: dict[str, Row | None] = {}
        self._counts = (0, 0, 0)

    def __bool__(self) -> bool:
        return bool(self._changes or self.entries)

    @property
    def changes(self) -> int:
        """How many objects changed."""
        return len(self._changes)

    def put(self, uid: str, row: Row | None) -> None:
        """The object is now so, or gone; what it was since the last frame is nobody's business."""
        self._changes.pop(uid, None)
        self._changes[uid] = row

    def add(self, entry: Entry) -> None:
        """A line for the feed, counted by what it says was done."""
        self.entries.append(entry)
        added, modified, deleted = self._counts
        op = entry.op
        self._counts = (added + (op == "added"), modified + (op == "modified"), deleted + (op == "deleted"))

    def take(self, most_changes: int | None = None, most_entries: int | None = None) -> Taken:
        """The oldest so many, all where there is no such limit."""
        if most_changes is None or len(self._changes) <= most_changes:
            changes, self._changes = self._changes, {}
        else:
            changes = {uid: self._changes.pop(uid) for uid in list(islice(self._changes, most_changes))}
        entries, self.entries = (
            self.entries[:most_entries],
            ([] if most_entries is None else self.entries[most_entries:]),
        )
        counts, self._counts = self._counts, (0, 0, 0)
        return Taken(changes, entries, counts)
