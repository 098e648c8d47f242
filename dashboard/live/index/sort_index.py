"""All rows of a kind in one order: made once, whatever the number of views that are sorted so."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard.live.messages import Cell, Row
from dashboard.live.packed_key import Key, packed, packed_head, packed_tail
from dashboard.live.slices import Work
from dashboard.live.sorted_entries import STEP, Entry, SortedEntries
from dashboard.resources.row_order import ByCell

Moved = tuple[Entry | None, Entry | None]


class RowIndex:
    """Kept by whoever knows the rows: `build` once, then `move` for each change."""

    def __init__(self, key: Callable[[Row], Key]) -> None:
        self.entries = SortedEntries()
        self.entries.begin()
        self.entry_of: dict[str, Entry] = {}
        self.moved: Moved | None = None
        """What the last `move` took out and put in; None where the row has kept its place."""
        self.error: Exception | None = None
        """Why it cannot be relied on any more."""
        self._key = key

    @property
    def ready(self) -> bool:
        return self.entries.ready

    def move(self, uid: str, old: Row | None, new: Row | None) -> None:
        """The row was `old` and is now `new`, or no more."""
        key = self._key(new) if new is not None else None
        if key is not None and old is not None and self._key(old) == key:
            self.moved = None  # mostly what changed is not what is sorted by
            return
        old_entry = self.entry_of.pop(uid, None) if key is None else self.entry_of.get(uid)
        entry = None
        if key is not None:
            entry = self.entry_of[uid] = packed(key)
        self.moved = (old_entry, entry)
        self.entries.move(old_entry, entry)

    def build(self, rows: Mapping[str, Row], step: int = STEP) -> Work:
        """Take in what is there, `step` rows at a time; it may change in between as long as `move` is told too."""
        heads = _Heads(self._key) if isinstance(self._key, ByCell) else None
        uids = list(rows)
        for start in range(0, len(uids), step):
            batch = [
                row
                for uid in uids[start : start + step]
                if uid not in self.entry_of and (row := rows.get(uid)) is not None
            ]
            if heads is None:
                self.entry_of.update([(row.uid, packed(self._key(row))) for row in batch])
            else:
                self.entry_of.update(heads.entries(batch))
            yield None
        yield from self.entries.finish(list(self.entry_of.values()))


class _Heads(dict[Cell, bytes]):
    """What entries begin with, by the value that decides it: most columns have few."""

    def __init__(self, key: ByCell) -> None:
        self._key = key

    def __missing__(self, value: Cell) -> bytes:
        found = self[value] = packed_head(self._key.head(value))
        return found

    def entries(self, rows: list[Row]) -> list[tuple[str, Entry]]:
        """The entry of each row, by its uid."""
        cell = self._key.cell
        return [(row.uid, self[cell(row)] + packed_tail(row.namespace, row.name, row.uid)) for row in rows]
