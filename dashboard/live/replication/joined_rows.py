"""Rows, uids and rates of several replicas of one kind, of which each has other objects, read as one."""

from __future__ import annotations

from collections.abc import Callable, Collection, ItemsView, Iterator, Mapping, Sequence, ValuesView
from itertools import chain

from dashboard.live.replication.change_rates import Rate
from dashboard.live.replication.readable_replica import ReadableReplica, RecentRates, UidLookup
from dashboard.objects.kinds.row import Row

Parts = Callable[[], Sequence[ReadableReplica]]
"""Returns the replicas."""


class JoinedRows(Mapping[str, Row]):
    """The rows of all by uid; as current as these."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def __getitem__(self, key: str) -> Row:
        row = self.get(key)
        if row is None:
            raise KeyError(key)
        return row

    def get(self, key: str, default: Row | None = None) -> Row | None:  # type: ignore[override] # no other defaults
        for part in self.parts():
            if (row := part.rows.get(key)) is not None:
                return row
        return default

    def __contains__(self, key: object) -> bool:
        return any(key in part.rows for part in self.parts())

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(part.rows for part in self.parts())

    def __len__(self) -> int:
        return sum(len(part.rows) for part in self.parts())

    def values(self) -> ValuesView[Row]:
        return _Values(self)

    def items(self) -> ItemsView[str, Row]:
        return _Items(self)


class RowsOf(JoinedRows):
    """The rows that one replica has now, also after others have taken the place of its `rows`."""

    def __init__(self, replica: ReadableReplica) -> None:
        super().__init__(lambda: (replica,))


class _Values(ValuesView[Row]):
    """Values in one pass: that of collections.abc looks each up by its key."""

    def __init__(self, rows: JoinedRows) -> None:
        super().__init__(rows)
        self._parts = rows.parts

    def __iter__(self) -> Iterator[Row]:
        return chain.from_iterable(part.rows.values() for part in self._parts())


class _Items(ItemsView[str, Row]):
    def __init__(self, rows: JoinedRows) -> None:
        super().__init__(rows)
        self._parts = rows.parts

    def __iter__(self) -> Iterator[tuple[str, Row]]:
        return chain.from_iterable(part.rows.items() for part in self._parts())


class JoinedUids:
    """UidLookup of the rows of all. A name may be one that rows of several have."""

    def __init__(self, parts: Parts, of_part: Callable[[ReadableReplica], UidLookup]) -> None:
        self._parts = parts
        self._of_part = of_part

    def __bool__(self) -> bool:
        return any(bool(self._of_part(part)) for part in self._parts())

    def uids_of(self, name: str) -> Collection[str]:
        return [uid for part in self._parts() for uid in self._of_part(part).uids_of(name)]

    def possible_uids_of(self, name: str) -> Collection[str]:
        return [uid for part in self._parts() for uid in self._of_part(part).possible_uids_of(name)]


class JoinedRates:
    """Changes per second of all together."""

    def __init__(self, rates: Callable[[], Sequence[RecentRates]]) -> None:
        self._rates = rates

    def recent(self, now: float) -> tuple[Rate, ...]:
        """The seconds of the last 15 minutes before Unix time `now`, oldest first."""
        sums: dict[float, tuple[int, int, int]] = {}
        for rates in self._rates():
            for second, added, modified, deleted in rates.recent(now):
                before = sums.get(second, (0, 0, 0))
                sums[second] = (before[0] + added, before[1] + modified, before[2] + deleted)
        return tuple((second, *counts) for second, counts in sorted(sums.items()))
