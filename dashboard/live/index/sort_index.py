"""All rows of a kind in one order, computed once, whatever the number of views that are sorted so."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard.live.index.sort_key_encoding import SortKey, encode_head, encode_key, encode_tail
from dashboard.live.index.sorted_list import STEP, EncodedKey, SortedList
from dashboard.objects.kinds.row import Cell, Row
from dashboard.objects.query.row_order import ByCell
from dashboard.runtime.time_slicing import SlicedWork

KeyChange = tuple[EncodedKey | None, EncodedKey | None]


class SortIndex:
    """Sorted rows. The owner of the rows calls `build` once, then `update` for each change."""

    def __init__(self, key: Callable[[Row], SortKey]) -> None:
        self.sorted_keys = SortedList()
        self.sorted_keys.begin()
        self.key_of: dict[str, EncodedKey] = {}
        self.last_change: KeyChange | None = None
        """Entries that the last `update` removed and added; None where the row did not move."""
        self.error: Exception | None = None
        """The error that made it unreliable; None while there is none."""
        self.is_dropped = False
        """Whether nobody needs it any more: it is not computed to its end."""
        self._key = key

    @property
    def ready(self) -> bool:
        return self.sorted_keys.ready

    def update(self, uid: str, old: Row | None, new: Row | None) -> None:
        """The row was `old` and is now `new`; None: it is deleted."""
        key = self._key(new) if new is not None else None
        if key is not None and old is not None and self._key(old) == key:
            self.last_change = None  # mostly what changed is not what is sorted by
            return
        old_entry = self.key_of.pop(uid, None) if key is None else self.key_of.get(uid)
        entry = None
        if key is not None:
            entry = self.key_of[uid] = encode_key(key)
        self.last_change = (old_entry, entry)
        self.sorted_keys.replace(old_entry, entry)

    def refresh(self, row: Row) -> KeyChange | None:
        """The row is the same and its key may be another, as where it is sorted by what the object uses. Returns its
        old and new entry; None where it did not move, or has not been added yet.
        """
        old_entry = self.key_of.get(row.uid)
        if old_entry is None or (entry := encode_key(self._key(row))) == old_entry:
            return None
        self.key_of[row.uid] = entry
        self.sorted_keys.replace(old_entry, entry)
        return old_entry, entry

    def build(self, rows: Mapping[str, Row], step: int = STEP) -> SlicedWork:
        """Add all rows, `step` rows at a time; they may change in between as long as `update` is called too."""
        heads = _Heads(self._key) if isinstance(self._key, ByCell) else None
        uids = list(rows)
        for start in range(0, len(uids), step):
            batch = [
                row
                for uid in uids[start : start + step]
                if uid not in self.key_of and (row := rows.get(uid)) is not None
            ]
            if heads is None:
                self.key_of.update([(row.uid, encode_key(self._key(row))) for row in batch])
            else:
                self.key_of.update(heads.entries(batch))
            yield None
        yield from self.sorted_keys.finish(list(self.key_of.values()))


class _Heads(dict[Cell, bytes]):
    """Encoded heads of entries by the value that decides them: most columns have few different values."""

    def __init__(self, key: ByCell) -> None:
        self._key = key

    def __missing__(self, value: Cell) -> bytes:
        head = self[value] = encode_head(self._key.head(value))
        return head

    def entries(self, rows: list[Row]) -> list[tuple[str, EncodedKey]]:
        """The entry of each row, by its uid."""
        cell = self._key.cell
        return [(row.uid, self[cell(row)] + encode_tail(row.namespace, row.name, row.uid)) for row in rows]
