"""All rows of a kind in one order: made once, whatever the number of views that are sorted so."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard.live.messages import Row
from dashboard.live.slices import Work
from dashboard.live.sorted_entries import STEP, Entry, SortedEntries


class RowIndex:
    """Kept by whoever knows the rows: `build` once, then `move` for each change."""

    def __init__(self, key: Callable[[Row], Entry]) -> None:
        self.entries = SortedEntries()
        self.entries.begin()
        self.entry_of: dict[str, Entry] = {}
        self.moved: tuple[Entry | None, Entry | None] = (None, None)
        """What the last `move` took out and put in; one and the same where the row has kept its place."""
        self.error: Exception | None = None
        """Why it cannot be relied on any more."""
        self._key = key

    @property
    def ready(self) -> bool:
        return self.entries.ready

    def move(self, uid: str, new: Row | None) -> None:
        """The row is now `new`, or no more."""
        old_entry = self.entry_of.get(uid)
        if new is None:
            self.entry_of.pop(uid, None)
            self.moved = (old_entry, None)
        else:
            entry = self._key(new)
            if entry == old_entry:  # mostly what changed is not what is sorted by
                self.moved = (old_entry, old_entry)
                return
            self.entry_of[uid] = entry
            self.moved = (old_entry, entry)
        self.entries.move(*self.moved)

    def build(self, rows: Mapping[str, Row]) -> Work:
        """Take in what is there, which may change between two steps as long as each change comes by `move` too."""
        for position, uid in enumerate(list(rows)):
            if uid not in self.entry_of and (row := rows.get(uid)) is not None:
                self.entry_of[uid] = self._key(row)
            if position % STEP == STEP - 1:
                yield None
        yield from self.entries.finish(list(self.entry_of.values()))
