"""The visible ones among a replica's rows, uids and feed lines, found when they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, ItemsView, Iterable, Iterator, Mapping, ValuesView

from dashboard.live.replication.readable_replica import ReadableReplica, UidLookup
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row


class VisibleRows(Mapping[str, Row]):
    """The visible ones among rows by uid; as current as these.

    `rows` returns all rows, `parts` rows among which all of the visible ones are, each once.
    """

    def __init__(
        self,
        rows: Callable[[], Mapping[str, Row]],
        sees_row: Callable[[Row], bool],
        count: Callable[[], int],
        parts: Callable[[], Iterable[Iterable[Row]]],
    ) -> None:
        self._all_rows = rows
        self._sees_row = sees_row
        self._count = count
        self._parts = parts

    @property
    def _rows(self) -> Mapping[str, Row]:
        return self._all_rows()

    def __getitem__(self, key: str) -> Row:
        row = self._rows[key]
        if not self._sees_row(row):
            raise KeyError(key)
        return row

    def __contains__(self, key: object) -> bool:
        row = self._rows.get(key) if isinstance(key, str) else None
        return row is not None and self._sees_row(row)

    def get(self, key: str, default: Row | None = None) -> Row | None:  # type: ignore[override] # no other defaults
        row = self._rows.get(key)
        return row if row is not None and self._sees_row(row) else default

    def __iter__(self) -> Iterator[str]:
        return (row.uid for row in self.visible_rows())

    def __len__(self) -> int:
        return self._count()

    def __bool__(self) -> bool:
        return self._count() > 0

    def values(self) -> ValuesView[Row]:
        return _Values(self)

    def items(self) -> ItemsView[str, Row]:
        return _Items(self)

    def visible_rows(self) -> Iterator[Row]:
        for part in self._parts():
            yield from filter(self._sees_row, part)

    def visible_items(self) -> Iterator[tuple[str, Row]]:
        return ((row.uid, row) for row in self.visible_rows())


class _Values(ValuesView[Row]):
    """Values in one pass: that of collections.abc looks each up by its key."""

    def __init__(self, rows: VisibleRows) -> None:
        super().__init__(rows)
        self._visible = rows

    def __iter__(self) -> Iterator[Row]:
        return self._visible.visible_rows()


class _Items(ItemsView[str, Row]):
    def __init__(self, rows: VisibleRows) -> None:
        super().__init__(rows)
        self._visible = rows

    def __iter__(self) -> Iterator[tuple[str, Row]]:
        return self._visible.visible_items()


class VisibleUids:
    """UidLookup of the visible rows alone."""

    def __init__(self, uids: Callable[[], UidLookup], rows: VisibleRows) -> None:
        self._all_uids = uids
        self._rows = rows

    @property
    def _uids(self) -> UidLookup:
        return self._all_uids()

    def __bool__(self) -> bool:
        return bool(self._rows) and bool(self._uids)

    def uids_of(self, name: str) -> Collection[str]:
        return [uid for uid in self._uids.uids_of(name) if uid in self._rows]

    def possible_uids_of(self, name: str) -> Collection[str]:
        return self._uids.possible_uids_of(name)


class VisibleEntries(Collection[Entry]):
    """The visible ones among lines of the feed, oldest first."""

    def __init__(self, base: ReadableReplica, sees_entry: Callable[[Entry], bool]) -> None:
        self._base = base
        self._sees_entry = sees_entry

    def __iter__(self) -> Iterator[Entry]:
        return filter(self._sees_entry, self._base.entries)

    def __reversed__(self) -> Iterator[Entry]:
        return filter(self._sees_entry, reversed(self._base.entries))

    def __contains__(self, entry: object) -> bool:
        return any(entry == each for each in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)
