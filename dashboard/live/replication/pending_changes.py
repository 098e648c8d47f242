"""Pending changes of a publisher: the latest row of each changed object, and every single feed entry."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from dashboard.live.replication.snapshot import CHUNK_BYTES, CHUNK_ROWS, entry_size, row_size
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row


class PendingBatch(NamedTuple):
    """The next content to send."""

    changes: dict[str, Row | None]
    """By uid; None: the object is deleted."""
    entries: list[Entry]
    counts: tuple[int, int, int]
    """Objects added, modified, deleted since the last batch."""


class PendingChanges:
    """Changes that are not sent yet. A batch is taken in one step, without waiting, so no delta is lost or sent
    twice.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        """Oldest first."""
        self._changes: dict[str, Row | None] = {}
        self._counts = (0, 0, 0)

    def __bool__(self) -> bool:
        return bool(self._changes or self.entries)

    @property
    def change_count(self) -> int:
        """Number of changed objects."""
        return len(self._changes)

    def put(self, uid: str, row: Row | None) -> None:
        """The object is now `row`, or deleted; versions since the last frame are skipped."""
        self._changes.pop(uid, None)
        self._changes[uid] = row

    def add(self, entry: Entry) -> None:
        """Add a line of the feed, and count its change."""
        self.entries.append(entry)
        added, modified, deleted = self._counts
        op = entry.op
        self._counts = (added + (op == "added"), modified + (op == "modified"), deleted + (op == "deleted"))

    def take_batch(self, max_changes: int | None = None, max_entries: int | None = None) -> PendingBatch:
        """The oldest changes and entries up to the limits, all where there is no limit."""
        if max_changes is None or len(self._changes) <= max_changes:
            changes, self._changes = self._changes, {}
        else:
            changes = {uid: self._changes.pop(uid) for uid in list(islice(self._changes, max_changes))}
        entries, self.entries = (
            self.entries[:max_entries],
            ([] if max_entries is None else self.entries[max_entries:]),
        )
        counts, self._counts = self._counts, (0, 0, 0)
        return PendingBatch(changes, entries, counts)


MAX_FRAME_ENTRIES = 1000
MAX_FRAME_ENTRY_BYTES = 4_000_000
"""Bytes of a frame's entries; one entry has 140 kB at most, and four times as many where its texts are not ASCII.
"""


FrameContent = tuple[tuple[Row, ...], tuple[str, ...], tuple[Entry, ...]]


def split_into_frames(changes: dict[str, Row | None], entries: list[Entry]) -> list[FrameContent]:
    """The content of one tick, split into frames that no layer refuses; usually that is one."""
    parts: list[FrameContent] = []
    rows: list[Row] = []
    deleted: list[str] = []
    size = 0
    for uid, row in changes.items():
        if row is None:
            deleted.append(uid)
        else:
            rows.append(row)
        size += 100 if row is None else row_size(row)
        if len(rows) + len(deleted) >= CHUNK_ROWS or size >= CHUNK_BYTES:
            parts.append((tuple(rows), tuple(deleted), ()))
            rows, deleted, size = [], [], 0
    first, *others = _split_entries(entries)
    parts.append((tuple(rows), tuple(deleted), first))
    parts += [((), (), each) for each in others]
    return [part for part in parts if any(part)]


def _split_entries(entries: list[Entry]) -> Iterator[tuple[Entry, ...]]:
    """Parts of the entries; an empty one where there are none."""
    begin = size = 0
    for index, entry in enumerate(entries):
        size += entry_size(entry)
        if index - begin >= MAX_FRAME_ENTRIES or (size > MAX_FRAME_ENTRY_BYTES and index > begin):
            yield tuple(entries[begin:index])
            begin, size = index, entry_size(entry)
    yield tuple(entries[begin:])
