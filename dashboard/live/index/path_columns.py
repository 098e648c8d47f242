"""Fields by path of one kind's rows: what a path leads to in each, found once for all lists that filter or sort by it.

A new path is looked at in slices; from then on a change costs one reading of the row that changed, however many paths
and lists there are. A column is let go some time after the last list that needs it. What a list only shows is read from
the rows of its window and kept nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from dashboard.live.messages import Row
from dashboard.live.slices import Slices, Work
from dashboard.resources.rows.field_path import FieldPath, Values
from dashboard.resources.rows.path_reader import Read, read_path, reader
from informerd.clock import Clock

MOST_VALUES = 1_000_000
"""Values that a process keeps at most, counting a column of 50,000 rows as so many: they take about 100 MB then."""
MOST_COLUMNS = 100
"""Columns that a kind has at most, however few its rows are: each change reads them all."""
KEPT = 120.0
"""Seconds that a column is kept after the last list that needs it."""
STEP = 64
"""Rows that are read in one step: half a millisecond."""
TOLD = 10
"""How often in all those who wait hear how far a new path has been looked at."""
LONGEST = 256
"""Characters of a text, and number of values of an object, that are kept; what has more is read anew each time."""
ALIKE = 1024
"""Different values of a column that are kept once for all rows; most columns have fewer."""


class PathColumn:
    """What one path leads to, by uid. `values` of a row are right once it is `ready`."""

    def __init__(self, path: FieldPath, now: float) -> None:
        self.path = path
        self.ready = False
        self.looked_at = 0
        """Rows that have been looked at so far."""
        self.error: Exception | None = None
        """Why it will never be ready."""
        self.used = now
        """Monotonic seconds of the last need for it."""
        self.before: Values = ()
        """What it led to in the row that the last change replaced."""
        self._values: dict[str, Values] = {}
        self._longer: set[str] = set()
        self._alike: dict[Values, Values] = {}

    def __len__(self) -> int:
        """Rows that have such a field."""
        return len(self._values)

    def values(self, row: Row) -> Values:
        """What it leads to in a row."""
        return self._values.get(row.uid, ()) if row.uid not in self._longer else read_path(self.path, row)

    def put(self, uid: str, values: Values) -> None:
        """A row has these now."""
        if self._longer:
            self._longer.discard(uid)
        if not values:
            self._values.pop(uid, None)
        elif len(values) > LONGEST or any(isinstance(each, str) and len(each) > LONGEST for each in values):
            self._longer.add(uid)
            self._values[uid] = ()
        else:
            self._values[uid] = self._one_of(values)

    def drop(self, uid: str) -> None:
        """A row is no more."""
        self.put(uid, ())

    def _one_of(self, values: Values) -> Values:
        """The same values, as an object that is shared with the rows that have them too."""
        if len(self._alike) < ALIKE:
            return self._alike.setdefault(values, values)
        return self._alike.get(values, values)


class PathColumns:
    """The columns of one kind. `rows` is what they are made of: say with `take` what changes there.

    `told` is called now and then while a path is looked at, and when that is done.
    """

    def __init__(
        self, rows: Mapping[str, Row], clock: Clock, slices: Slices, told: Callable[[], None] = lambda: None
    ) -> None:
        self._rows = rows
        self._clock = clock
        self._slices = slices
        self._told = told
        self._columns: dict[str, PathColumn] = {}
        self._read: Read | None = None
        """Reads all columns; made when the first row changes after they did."""
        self._replaced: Row | None = None

    def __contains__(self, path: FieldPath) -> bool:
        return path.text in self._columns

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def size(self) -> int:
        """Values that are kept, at most."""
        return len(self._columns) * len(self._rows)

    def get(self, path: FieldPath) -> PathColumn | None:
        """The column of a path, where there is one."""
        return self._columns.get(path.text)

    def use(self, paths: Iterable[FieldPath]) -> tuple[PathColumn, ...]:
        """The columns of these paths. Those that are new are looked at from now on, see `ready`."""
        return tuple([self._columns[path.text] if path in self else self._begin(path) for path in paths])

    def values(self, path: FieldPath, row: Row) -> Values:
        """What a path leads to in a row, which must be that of `rows` or the one that the last change replaced."""
        column = self._columns.get(path.text)
        if column is None:
            return read_path(path, row)
        return column.values(row) if row is not self._replaced else column.before

    def take(self, uid: str, old: Row | None, new: Row | None) -> None:
        """The row was `old` and is now `new`, or no more."""
        if not self._columns:
            return
        if self._read is None:
            self._read = reader(tuple([column.path for column in self._columns.values()]))
        self._replaced = old if old is not new else None
        for column in self._columns.values():
            column.before = column.values(old) if old is not None else ()
        if new is None:
            for column in self._columns.values():
                column.drop(uid)
        else:
            for column, values in zip(self._columns.values(), self._read(new), strict=True):
                column.put(uid, values)

    def sweep(self, needed: Collection[FieldPath], kept: float = KEPT) -> None:
        """Let go of what nobody has needed for `kept` seconds; `needed` are those that somebody does."""
        now = self._clock.now()
        for text, column in list(self._columns.items()):
            if column.path in needed:
                column.used = now
            elif column.used <= now - kept:
                del self._columns[text]
                self._read = None

    def _begin(self, path: FieldPath) -> PathColumn:
        column = self._columns[path.text] = PathColumn(path, self._clock.now())
        self._read = None
        self._slices.add(self._safely(column))
        return column

    def _safely(self, column: PathColumn) -> Work:
        try:
            yield from self._look(column)
        except Exception as error:  # noqa: BLE001 - it is raised again for all who wait
            column.error = error
            if self._columns.get(column.path.text) is column:
                del self._columns[column.path.text]
                self._read = None

    def _look(self, column: PathColumn) -> Work:
        """Read it in all rows. Those that change meanwhile are taken in twice, which does no harm."""
        read = reader((column.path,))
        uids = list(self._rows)
        often = max(STEP, len(uids) // TOLD // STEP * STEP)
        for position, uid in enumerate(uids, start=1):
            if (row := self._rows.get(uid)) is not None:
                column.put(uid, read(row)[0])
            if position % STEP == 0:
                column.looked_at = position
                if position % often == 0:
                    self._told()
                yield None
        column.looked_at = len(uids)
        column.ready = True


def when_ready(columns: tuple[PathColumn, ...], work: Work) -> Work:
    """The work, begun when the columns that it needs are there."""
    while not all(column.ready for column in columns):
        for column in columns:
            if column.error is not None:
                raise column.error
        yield "wait"
    yield from work
