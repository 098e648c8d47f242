"""Presence of fields by path: whether any object of a kind has them, because a path without values is usually a typo.

That is known as soon as the first object with the field is found, usually at once, and nothing is kept then. A field
that no object has is looked for in each row that changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard.live.index.path_columns import STEP, PathColumns
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.paths.reader import path_reader, read_path
from dashboard.runtime.time_slicing import SlicedWork, Slices

PresenceListener = Callable[[], None]


class PathPresence:
    """Presence of the fields that lists of one kind use. `rows` is where to look: call `update` for each change."""

    def __init__(self, rows: Mapping[str, Row], columns: PathColumns, slices: Slices) -> None:
        self._rows = rows
        self._columns = columns
        self._slices = slices
        self._views: dict[object, tuple[tuple[FieldPath, ...], PresenceListener]] = {}
        self._is_present: dict[FieldPath, bool | None] = {}
        """None while that is not known."""

    def watch(self, view: object, paths: tuple[FieldPath, ...], on_change: PresenceListener) -> None:
        """Find out whether there are such fields; `on_change` is called when that is known or has changed."""
        if not paths:
            return
        self._views[view] = (paths, on_change)
        for path in paths:
            if path not in self._is_present:
                self._is_present[path] = None
                self._slices.add(self._search(path))

    def unwatch(self, view: object) -> None:
        """The view needs no more reports."""
        self._views.pop(view, None)
        needed = {path for paths, _ in self._views.values() for path in paths}
        self._is_present = {path: seen for path, seen in self._is_present.items() if path in needed}

    def absent(self, paths: tuple[FieldPath, ...]) -> tuple[FieldPath, ...]:
        """Those that certainly no object has."""
        return tuple([path for path in paths if self._rows and self._is_present.get(path) is False])

    def update(self, new: Row | None) -> None:
        """A row is now `new`; None: it is deleted."""
        if new is None or all(self._is_present.values()):
            return
        unseen = tuple([path for path, seen in self._is_present.items() if not seen])
        for path, values in zip(unseen, path_reader(unseen)(new), strict=True):
            if values:
                self._report(path, True)

    def _search(self, path: FieldPath) -> SlicedWork:
        column = self._columns.get(path)
        if column is not None:
            while not column.ready and column.error is None:
                yield "wait"
            if column.ready:
                self._report_presence(path, len(column) > 0)
                return
        for position, uid in enumerate(list(self._rows), start=1):
            row = self._rows.get(uid)
            if row is not None and read_path(path, row):
                self._report(path, True)
                return
            if position % STEP == 0:
                yield None
        self._report_presence(path, False)

    def _report_presence(self, path: FieldPath, seen: bool) -> None:
        """All rows have been read. A row that changed meanwhile may have shown the field already, and is right."""
        if seen or self._is_present.get(path) is None:
            self._report(path, seen)

    def _report(self, path: FieldPath, seen: bool) -> None:
        if self._is_present.get(path, seen) is seen:
            return
        self._is_present[path] = seen
        for paths, listener in tuple(self._views.values()):
            if path in paths:
                listener()
