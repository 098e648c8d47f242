"""Feed entries of recorded changes: those that a worker would have made then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import Operation
from dashboard.live.moments.past_rows import PastRows
from dashboard.live.replication.entry_builder import build_entry
from dashboard.live.worker.row_handler import RowHandler
from dashboard.objects.kinds import feed_entry
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, Tone

MICROSECONDS = 1_000_000
EPOCH = "history"
MISSING = "deleted while nothing was recorded"
_ADDED = frozenset({Operation.ADDED})
_UNTOLD = frozenset({Operation.FOUND, Operation.UNSEEN})
"""What is no change: the object was there, or may no longer be seen."""


class _EntryList:
    """Takes the place of the publisher of a kind: it keeps the entries."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.entries: list[Entry] = []
        self.time = 0.0

    def put(self, row: Row) -> None:
        self.rows[row.uid] = row

    def remove(self, uid: str) -> None:
        self.rows.pop(uid, None)

    def add_entry(
        self,
        op: feed_entry.Operation,
        row: Row,
        words: str,
        tone: Tone,
        **rest: Any,
    ) -> None:
        self.entries.append(build_entry(len(self.entries) + 1, self.time, EPOCH, op, row, words, tone, **rest))


def build_entries(key: str, rows: PastRows, changes: Iterable[ChangedState]) -> list[Entry]:
    """The entries of a kind's changes, oldest first. May be called from any thread."""
    kept = _EntryList()
    handler = RowHandler(key, kept, rows.printer, missed="while nothing was recorded")
    for change in changes:
        operation = change.version.operation
        if operation in _UNTOLD:
            continue
        kept.rows.clear()
        kept.time = change.version.time / MICROSECONDS
        after = rows.decode(change.json)
        if operation.is_end:
            kept.put(rows.row(after))
            handler.on_delete(after, final_state_unknown=False)
            if operation is Operation.MISSING:
                kept.entries[-1] = msgspec.structs.replace(kept.entries[-1], words=MISSING)
        elif change.before is None or operation in _ADDED:
            handler.on_add(after, is_in_initial_list=False)
        else:
            before = rows.decode(change.before)
            kept.put(rows.row(before))
            handler.on_update(before, after)
    return kept.entries
