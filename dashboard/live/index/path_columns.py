"""Fields by path of one kind's rows: the values of each path, read once for all lists that filter or sort by it.

A new path is read in slices; from then on a change costs one reading of the changed row, however many paths and lists
there are. A column is dropped some time after the last list that needs it. A path that a list only shows is read from
the rows of its window and not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, Values
from dashboard.objects.paths.reader import PathReader, path_reader, read_path
from dashboard.runtime.time_slicing import SlicedWork, Slices
from informerd.clock import Clock

MAX_VALUES = 1_000_000
"""Maximum number of values in a process; a column of 50,000 rows counts as so many. They take about 100 MB."""
MAX_COLUMNS = 100
"""Maximum number of columns of a kind, however few its rows are: each change reads them all."""
COLUMN_TTL = 120.0
"""Seconds that a column is kept after the last list that needs it."""
STEP = 64
"""Rows that are read in one step: half a millisecond."""
PROGRESS_STEPS = 10
"""Number of progress reports to waiting views while a new path is read."""
MAX_KEPT_LENGTH = 256
"""Maximum characters of a text, and number of values of an object, that are kept; larger ones are read again each time.
"""
MAX_INTERNED = 1024
"""Different values of a column that are shared by all rows; most columns have fewer."""


class PathColumn:
    """Values of one path by uid. The `values` of a row are right once it is `ready`."""

    def __init__(self, path: FieldPath, now: float) -> None:
        self.path = path
        self.ready = False
        self.scanned_count = 0
        """Rows that have been read so far."""
        self.error: Exception | None = None
        """The error because of which it will never be ready; None while there is none."""
        self.last_used_at = now
        """Monotonic seconds of the last use."""
        self.replaced_values: Values = ()
        """Values of the row that the last change replaced."""
        self._values: dict[str, Values] = {}
        self._longer: set[str] = set()
        self._alike: dict[Values, Values] = {}

    def __len__(self) -> int:
        """Number of rows that have such a field."""
        return len(self._values)

    def values(self, row: Row) -> Values:
        """Values of the path in a row."""
        return self._values.get(row.uid, ()) if row.uid not in self._longer else read_path(self.path, row)

    def put(self, uid: str, values: Values) -> None:
        """Set the values of a row."""
        if self._longer:
            self._longer.discard(uid)
        if not values:
            self._values.pop(uid, None)
        elif len(values) > MAX_KEPT_LENGTH or any(
            isinstance(each, str) and len(each) > MAX_KEPT_LENGTH for each in values
        ):
            self._longer.add(uid)
            self._values[uid] = ()
        else:
            self._values[uid] = self._intern(values)

    def drop(self, uid: str) -> None:
        """Remove a deleted row."""
        self.put(uid, ())

    def _intern(self, values: Values) -> Values:
        """The same values, as an object that is shared with the rows that have them too."""
        if len(self._alike) < MAX_INTERNED:
            return self._alike.setdefault(values, values)
        return self._alike.get(values, values)


class PathColumns:
    """Columns of one kind. `rows` is what they are read from: call `update` for each change of it.

    `on_progress` is called about PROGRESS_STEPS times while a path is read.
    """

    def __init__(
        self, rows: Mapping[str, Row], clock: Clock, slices: Slices, on_progress: Callable[[], None] = lambda: None
    ) -> None:
        self._rows = rows
        self._clock = clock
        self._slices = slices
        self._on_progress = on_progress
        self._columns: dict[str, PathColumn] = {}
        self._read: PathReader | None = None
        """Reads all columns; made when the first row changes after the set of columns did."""
        self._replaced: Row | None = None

    def __contains__(self, path: FieldPath) -> bool:
        return path.text in self._columns

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def size(self) -> int:
        """Maximum number of values that are kept."""
        return len(self._columns) * len(self._rows)

    def get(self, path: FieldPath) -> PathColumn | None:
        """The column of a path, where there is one."""
        return self._columns.get(path.text)

    def use(self, paths: Iterable[FieldPath]) -> tuple[PathColumn, ...]:
        """The columns of these paths. New ones are read from now on, see `ready`."""
        return tuple([self._columns[path.text] if path in self else self._start_column(path) for path in paths])

    def values(self, path: FieldPath, row: Row) -> Values:
        """Values of a path in a row, which must be one of `rows` or the one that the last change replaced."""
        column = self._columns.get(path.text)
        if column is None:
            return read_path(path, row)
        return column.values(row) if row is not self._replaced else column.replaced_values

    def update(self, uid: str, old: Row | None, new: Row | None) -> None:
        """The row was `old` and is now `new`; None: it is deleted."""
        if not self._columns:
            return
        if self._read is None:
            self._read = path_reader(tuple([column.path for column in self._columns.values()]))
        self._replaced = old if old is not new else None
        for column in self._columns.values():
            column.replaced_values = column.values(old) if old is not None else ()
        if new is None:
            for column in self._columns.values():
                column.drop(uid)
        else:
            for column, values in zip(self._columns.values(), self._read(new), strict=True):
                column.put(uid, values)

    def sweep(self, needed: Collection[FieldPath], ttl: float = COLUMN_TTL) -> None:
        """Drop the columns that nobody has needed for `ttl` seconds; `needed` are those in use."""
        now = self._clock.now()
        for text, column in list(self._columns.items()):
            if column.path in needed:
                column.last_used_at = now
            elif column.last_used_at <= now - ttl:
                del self._columns[text]
                self._read = None

    def _start_column(self, path: FieldPath) -> PathColumn:
        column = self._columns[path.text] = PathColumn(path, self._clock.now())
        self._read = None
        self._slices.add(self._safely(column))
        return column

    def _safely(self, column: PathColumn) -> SlicedWork:
        try:
            yield from self._read_rows(column)
        except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
            column.error = error
            if self._columns.get(column.path.text) is column:
                del self._columns[column.path.text]
                self._read = None

    def _read_rows(self, column: PathColumn) -> SlicedWork:
        """Read it in all rows. Rows that change meanwhile are read twice, which does no harm."""
        read = path_reader((column.path,))
        uids = list(self._rows)
        often = max(STEP, len(uids) // PROGRESS_STEPS // STEP * STEP)
        for position, uid in enumerate(uids, start=1):
            if (row := self._rows.get(uid)) is not None:
                column.put(uid, read(row)[0])
            if position % STEP == 0:
                column.scanned_count = position
                if position % often == 0:
                    self._on_progress()
                yield None
        column.scanned_count = len(uids)
        column.ready = True


def when_ready(columns: tuple[PathColumn, ...], work: SlicedWork) -> SlicedWork:
    """The work, started when the columns that it needs are ready."""
    while not all(column.ready for column in columns):
        for column in columns:
            if column.error is not None:
                raise column.error
        yield "wait"
    yield from work
