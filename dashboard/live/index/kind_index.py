"""The results of one kind: what its rows are filtered and sorted to, each found once for all who look at it.

A change costs O(log n) for each order, filter and result that it touches, not for each view, and nothing for filters
of other namespaces. A great many changes at once, as after a relist, are taken in by slices: until then `rows`, and
with them all that is shown, is what it was.
"""

from __future__ import annotations

import logging
from collections import deque

from dashboard.live.change import Change
from dashboard.live.matches import Census, Matches
from dashboard.live.messages import Row
from dashboard.live.path_columns import STEP as PATH_STEP
from dashboard.live.path_columns import PathColumns, when_ready
from dashboard.live.path_sightings import PathSightings
from dashboard.live.replica import Replica
from dashboard.live.result import Result
from dashboard.live.row_index import RowIndex
from dashboard.live.row_values import RowValues
from dashboard.live.slices import Slices, Work
from dashboard.live.sorted_entries import Entry
from dashboard.live.touched import Touched
from dashboard.resources.query import Query, is_path
from dashboard.resources.rows.field_path import FieldPath
from dashboard.resources.terms import PathTerm, Term
from informerd.clock import Clock

logger = logging.getLogger(__name__)

KEPT = 60.0
"""Seconds that orders, filters and results are kept after the last view of them."""
SPARE = 32
"""Results that are kept without a view, at most: of 50,000 rows each may take some megabytes."""

AT_A_STEP = 32
"""Changes that are taken in at one step of a work in slices."""

Sort = tuple[str, bool]
Filter = tuple[tuple[str, ...], tuple[Term, ...]]
Place = tuple[Filter, Sort]
EVERYTHING: Filter = ((), ())


class Results:
    """Open one with `open`; give it the replica's changes, and let time pass. Who looks is in a result's `views`."""

    def __init__(self, replica: Replica, clock: Clock, slices: Slices) -> None:
        self.rows: dict[str, Row] = dict(replica.rows)
        """By uid: what everything here is made of. The replica may be ahead by some slices."""
        self._census = Census()
        self._clock = clock
        self._slices = slices
        self._indexes: dict[Sort, RowIndex] = {}
        self._matches: dict[Filter, Matches] = {}
        self._results: dict[Place, Result] = {}
        self._used: dict[Place, float] = {}
        self._of_filter: dict[Filter, list[Result]] = {}
        self._everywhere: list[Filter] = []
        self._in_namespace: dict[str, list[Filter]] = {}
        self.error: Exception | None = None
        """What made all of it worthless: it takes nothing in any more, and is to be made anew."""
        self._waiting: deque[tuple[str, Row | None]] = deque()
        self._taking = False
        self._touched = Touched()
        self.fields = PathColumns(self.rows, clock, slices, self._tell_waiting)
        self.sightings = PathSightings(self.rows, self.fields, slices)
        self.values = RowValues(self.rows, clock, slices)
        slices.add(self._census.build(list(self.rows.values())))

    def open(self, query: Query) -> Result:
        """The result of a query; found at once where there are few rows, else in slices, see `Result.found`."""
        place = (_filter_of(query), query.sort)
        result = self._results.get(place)
        self._used[place] = self._clock.now()
        if result is None:
            matches, base = self._found(query), self._found(query.without_statuses()) or self._census
            index = self._index(query)
            columns = self.fields.use(query.kept_paths)
            result = self._results[place] = Result(
                self.rows,
                index,
                matches=matches,
                base=base,
                columns=columns,
                sightings=self.sightings,
                values=self.values,
            )
            self._of_filter.setdefault(place[0], []).append(result)
            self._slices.add(self._safely(result.build(), result))
        return result

    def sweep_fields(self) -> None:
        """Let go of every field by path that no order or filter needs now."""
        self.fields.sweep(self._paths(), 0.0)

    def idle_by_path(self) -> list[tuple[float, Place]]:
        """The results that need fields by path and that nobody looks at or waits for, each with its last use."""
        return [
            (self._used[place], place)
            for place, result in self._results.items()
            if result.by_path and result.ready and not result.views
        ]

    def drop(self, place: Place) -> None:
        """Forget an idle result now, and the fields by path that no other needs."""
        del self._results[place], self._used[place]
        self._forget_unused()
        self.sweep_fields()

    def apply(self, change: Change) -> None:
        """Take in what changed in the replica; what takes long is done in slices."""
        if self.error is not None:
            return
        self._waiting.extend((each.uid, new) for old, new in change.rows if (each := new or old) is not None)
        if self._waiting and not self._taking:
            self._taking = True
            self._slices.add(self._work_off())

    def next_due(self) -> float | None:
        """Unix seconds at which time alone will change a result; None: never."""
        return min((due for each in self._matches.values() if (due := each.next_due()) is not None), default=None)

    def pass_time(self, now: float) -> None:
        """`now` (Unix seconds) has come: take in what time alone changes."""
        for place, matches in list(self._matches.items()):
            if matches.stale(now):
                self._slices.add(self._safely(matches.look_again(), matches))
            for uid in matches.due(now):
                if (row := self.rows.get(uid)) is not None:
                    self._match(place, uid, row, row)
        self._touched.tell()

    def sweep(self) -> None:
        """Forget what nobody has looked at for KEPT seconds, and of the rest all but the SPARE latest."""
        now = self._clock.now()
        spare: list[Place] = []
        for place, result in self._results.items():
            if result.views or not result.ready:
                self._used[place] = now
            else:
                spare.append(place)
        spare.sort(key=self._used.__getitem__, reverse=True)
        for number, place in enumerate(spare):
            if number >= SPARE or self._used[place] < now - KEPT:
                del self._results[place], self._used[place]
        self._forget_unused()
        self.values.sweep()

    def _work_off(self) -> Work:
        try:
            while self._waiting:
                for _ in range(min(AT_A_STEP, len(self._waiting))):
                    self._take(*self._waiting.popleft())
                self._touched.tell()
                yield None
        except Exception as error:
            logger.exception("what lists of a kind are made of failed on a change; they are made anew")
            self._fail_all(error)
        finally:
            self._taking = False

    def _take(self, uid: str, new: Row | None) -> None:
        """The row is now `new`, or no more."""
        old = self.rows.get(uid)
        if new is not None:
            self.rows[uid] = new
        elif old is None:
            return
        else:
            del self.rows[uid]
        self._census.move(old, new)
        self.fields.take(uid, old, new)
        self.sightings.take(new)
        self.values.take(old, new)
        for index in tuple(self._indexes.values()):
            try:
                index.move(uid, old, new)
            except Exception as error:  # noqa: BLE001 - one order that fails must not keep the others from moving
                self._fail(index, error)
        for result in self._of_filter.get(EVERYTHING, ()):
            self._touched.note(result, uid, new)
        for place in tuple(self._filters_for(new or old)):
            self._match(place, uid, old, new)

    def _filters_for(self, row: Row | None) -> list[Filter]:
        """Those that a row may come through, by its namespace."""
        narrowed = self._in_namespace.get(row.namespace) if row is not None else None
        return self._everywhere + narrowed if narrowed else self._everywhere

    def _match(self, place: Filter, uid: str, old: Row | None, new: Row | None) -> None:
        matches = self._matches.get(place)
        if matches is None:  # it has failed just now
            return
        try:
            was, now = matches.move(uid, old, new)
        except Exception as error:  # noqa: BLE001 - nor one filter the others
            self._fail(matches, error)
            return
        if was or now:
            for result in self._of_filter.get(place, ()):
                moved = result.index.moved if old is not new else None
                if moved is not None or was != now:
                    result.move(was, now, *(moved or _standing(result, uid)))
                self._touched.note(result, uid, new)

    def _tell_waiting(self) -> None:
        """A new path has been looked at in some more rows."""
        for result in self._results.values():
            if not result.ready:
                for tell in tuple(result.views.values()):
                    tell(set(), set())

    # --- what fails ---

    def _safely(self, work: Work, part: Result | RowIndex | Matches) -> Work:
        try:
            yield from work
        except Exception as error:  # noqa: BLE001 - it is raised again for all who read it
            self._fail(part, error)

    def _fail_all(self, error: Exception) -> None:
        """A change was taken in by halves: no list here is to be believed any more."""
        self.error = error
        results = list(self._results.values())
        for parts in (self._results, self._used, self._matches, self._indexes, self._of_filter, self._waiting):
            parts.clear()
        for result in results:
            result.fail(error)

    def _fail(self, part: Result | RowIndex | Matches, error: Exception) -> None:
        """Results made of a part that failed are worth nothing; who asks for them has them made anew."""
        part.error = error
        for place, result in list(self._results.items()):
            if part in (result, result.index, result.matches, result.base):
                del self._results[place], self._used[place]
                result.fail(error)
        self._forget_unused()

    # --- what is found once ---

    def _index(self, query: Query) -> RowIndex:
        index = self._indexes.get(query.sort)
        if index is None:
            index = self._indexes[query.sort] = RowIndex(query.sort_key_by(self.fields.values))
            paths = () if query.sort_path is None else (query.sort_path,)
            work = index.build(self.rows, PATH_STEP) if paths else index.build(self.rows)
            self._slices.add(self._safely(when_ready(self.fields.use(paths), work), index))
        return index

    def _found(self, query: Query) -> Matches | None:
        """What its filter lets through; None for everything."""
        place = _filter_of(query)
        if place == EVERYTHING:
            return None
        matches = self._matches.get(place)
        if matches is None:
            matches = self._matches[place] = Matches(query, self.rows, self._clock, self.fields.values)
            for filters in self._lists_of(place):
                filters.append(place)
            work = when_ready(self.fields.use(query.filter_paths), matches.build())
            self._slices.add(self._safely(work, matches))
        return matches

    def _lists_of(self, place: Filter) -> list[list[Filter]]:
        """Where a filter stands among those that a change is shown to."""
        if not place[0]:
            return [self._everywhere]
        return [self._in_namespace.setdefault(namespace, []) for namespace in place[0]]

    def _forget_unused(self) -> None:
        """Orders and filters that no result needs any more."""
        results = self._results.values()
        self._of_filter = {}
        for (place, _), result in self._results.items():
            self._of_filter.setdefault(place, []).append(result)
        indexes = {result.index for result in results}
        self._indexes = {sort: index for sort, index in self._indexes.items() if index in indexes}
        needed = {result.matches for result in results} | {result.base for result in results}
        for place, matches in list(self._matches.items()):
            if matches not in needed:
                del self._matches[place]
                for filters in self._lists_of(place):
                    filters.remove(place)
        if len(self.fields):
            self.fields.sweep(self._paths())

    def _paths(self) -> set[FieldPath]:
        """The fields by path that orders and filters need."""
        sorts = {FieldPath(name) for name, _ in self._indexes if is_path(name)}
        return sorts | {term.path for _, terms in self._matches for term in terms if isinstance(term, PathTerm)}

    def __len__(self) -> int:
        return len(self._results)


def _filter_of(query: Query) -> Filter:
    return (query.namespaces, query.terms)


def _standing(result: Result, uid: str) -> tuple[Entry | None, Entry | None]:
    """The entry of a row that has kept its place."""
    entry = result.index.entry_of.get(uid)
    return entry, entry
