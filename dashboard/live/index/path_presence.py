"""Whether any object of a kind has the fields that lists ask for: a path that leads nowhere is most often a slip.

That is known as soon as the first object with it is met, mostly at once, and nothing is kept then. What none has is
looked for in each row that changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard.live.messages import Row
from dashboard.live.path_columns import STEP, PathColumns
from dashboard.live.slices import Slices, Work
from dashboard.resources.rows.field_path import FieldPath
from dashboard.resources.rows.path_reader import read_path, reader

Told = Callable[[], None]


class PathSightings:
    """The fields that lists of one kind ask for. `rows` is where to look: say with `take` what changes there."""

    def __init__(self, rows: Mapping[str, Row], columns: PathColumns, slices: Slices) -> None:
        self._rows = rows
        self._columns = columns
        self._slices = slices
        self._views: dict[object, tuple[tuple[FieldPath, ...], Told]] = {}
        self._seen: dict[FieldPath, bool | None] = {}
        """None while that is not known."""

    def watch(self, view: object, paths: tuple[FieldPath, ...], told: Told) -> None:
        """Find out whether there are such fields; `told` is called when that is known or has changed."""
        if not paths:
            return
        self._views[view] = (paths, told)
        for path in paths:
            if path not in self._seen:
                self._seen[path] = None
                self._slices.add(self._look(path))

    def leave(self, view: object) -> None:
        """That view needs to know no more."""
        self._views.pop(view, None)
        needed = {path for paths, _ in self._views.values() for path in paths}
        self._seen = {path: seen for path, seen in self._seen.items() if path in needed}

    def absent(self, paths: tuple[FieldPath, ...]) -> tuple[FieldPath, ...]:
        """Those that certainly no object has."""
        return tuple([path for path in paths if self._rows and self._seen.get(path) is False])

    def take(self, new: Row | None) -> None:
        """A row is now `new`, or no more."""
        if new is None or all(self._seen.values()):
            return
        unseen = tuple([path for path, seen in self._seen.items() if not seen])
        for path, values in zip(unseen, reader(unseen)(new), strict=True):
            if values:
                self._say(path, True)

    def _look(self, path: FieldPath) -> Work:
        column = self._columns.get(path)
        if column is not None:
            while not column.ready and column.error is None:
                yield "wait"
            if column.ready:
                self._say_found(path, len(column) > 0)
                return
        for position, uid in enumerate(list(self._rows), start=1):
            row = self._rows.get(uid)
            if row is not None and read_path(path, row):
                self._say(path, True)
                return
            if position % STEP == 0:
                yield None
        self._say_found(path, False)

    def _say_found(self, path: FieldPath, seen: bool) -> None:
        """All rows have been looked at. One that changed meanwhile may have shown it already, and is right."""
        if seen or self._seen.get(path) is None:
            self._say(path, seen)

    def _say(self, path: FieldPath, seen: bool) -> None:
        if self._seen.get(path, seen) is seen:
            return
        self._seen[path] = seen
        for paths, told in tuple(self._views.values()):
            if path in paths:
                told()
