"""The results of one kind: what its rows are filtered and sorted to, each found once for all who look at it.

A change costs O(log n) for each order, filter and result that it touches, not for each view, and nothing for filters
of other namespaces. A great many changes at once, as after a relist, are taken in by slices: until then `rows`, and
with them all that is shown, is what it was.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from dashboard.live.matches import Facets, Matches, uncount
from dashboard.live.messages import Row
from dashboard.live.replica import Change, Replica
from dashboard.live.result import Result
from dashboard.live.row_index import RowIndex
from dashboard.live.slices import Slices, Work
from dashboard.live.sorted_entries import Entry
from dashboard.resources.query import Query
from dashboard.resources.terms import Term
from informerd.clock import Clock

KEPT = 60.0
"""Seconds that orders, filters and results are kept after the last view of them."""

AT_A_STEP = 32
"""Changes that are taken in at one step of a work in slices."""

Sort = tuple[str, bool]
Filter = tuple[tuple[str, ...], tuple[Term, ...]]
EVERYTHING: Filter = ((), ())


@dataclass(slots=True)
class _Touched:
    changed: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)


class Results:
    """Open one with `open`; give it the replica's changes, and let time pass. Who looks is in a result's `views`."""

    def __init__(self, replica: Replica, clock: Clock, slices: Slices) -> None:
        self.rows: dict[str, Row] = dict(replica.rows)
        """By uid: what everything here is made of. The replica may be ahead by some slices."""
        self.facets: Facets = Facets()
        self._clock = clock
        self._slices = slices
        self._indexes: dict[Sort, RowIndex] = {}
        self._matches: dict[Filter, Matches] = {}
        self._results: dict[tuple[Filter, Sort], Result] = {}
        self._used: dict[tuple[Filter, Sort], float] = {}
        self._of_filter: dict[Filter, list[Result]] = {}
        self._everywhere: list[Filter] = []
        self._in_namespace: dict[str, list[Filter]] = {}
        self._waiting: deque[tuple[str, Row | None]] = deque()
        self._touched: dict[Result, _Touched] = {}
        for row in self.rows.values():
            self.facets[row.status, row.tone] += 1

    def open(self, query: Query) -> Result:
        """The result of a query; found at once where there are few rows, else in slices, see `Result.found`."""
        place = (_filter_of(query), query.sort)
        result = self._results.get(place)
        self._used[place] = self._clock.now()
        if result is None:
            matches, base = self._found(query), self._found(query.without_statuses())
            facets = self.facets if base is None else base.facets
            index = self._index(query)
            result = self._results[place] = Result(self.rows, index, matches=matches, base=base, facets=facets)
            self._of_filter.setdefault(place[0], []).append(result)
            self._slices.add(self._safely(result.build(), result))
        return result

    def apply(self, change: Change) -> None:
        """Take in what changed in the replica; what takes long is done in slices."""
        idle = not self._waiting
        self._waiting.extend((each.uid, new) for old, new in change.rows if (each := new or old) is not None)
        if idle and self._waiting:
            self._slices.add(self._work_off())

    def next_due(self) -> float | None:
        """Unix seconds at which time alone will change a result; None: never."""
        return min((due for each in self._matches.values() if (due := each.next_due()) is not None), default=None)

    def pass_time(self, now: float) -> None:
        """`now` (Unix seconds) has come: take in what time alone changes."""
        for place, matches in self._matches.items():
            for uid in matches.due(now):
                if (row := self.rows.get(uid)) is not None:
                    self._match(place, uid, row, row)
        self._tell()

    def sweep(self) -> None:
        """Forget what nobody has looked at for KEPT seconds."""
        now = self._clock.now()
        for place, result in list(self._results.items()):
            if result.views or not result.ready:
                self._used[place] = now
            elif self._used[place] < now - KEPT:
                del self._results[place], self._used[place]
        self._forget_unused()

    def _work_off(self) -> Work:
        while self._waiting:
            for _ in range(min(AT_A_STEP, len(self._waiting))):
                uid, new = self._waiting[0]
                self._take(uid, new)
                self._waiting.popleft()  # afterwards, so that it is never empty while there is work
            self._tell()
            yield None

    def _take(self, uid: str, new: Row | None) -> None:
        """The row is now `new`, or no more."""
        old = self.rows.get(uid)
        if new is not None:
            self.rows[uid] = new
        elif old is None:
            return
        else:
            del self.rows[uid]
        self._count(old, new)
        for index in tuple(self._indexes.values()):
            try:
                index.move(uid, new)
            except Exception as error:  # noqa: BLE001 - one order that fails must not keep the others from moving
                self._fail(index, error)
        for result in self._of_filter.get(EVERYTHING, ()):
            self._note(result, uid, new)
        for place in tuple(self._filters_for(new or old)):
            self._match(place, uid, old, new)

    def _count(self, old: Row | None, new: Row | None) -> None:
        if old is not None:
            uncount(self.facets, old)
        if new is not None:
            self.facets[new.status, new.tone] += 1

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
                result.move(was, now, *(result.index.moved if old is not new else _standing(result, uid)))
                self._note(result, uid, new)

    def _note(self, result: Result, uid: str, new: Row | None) -> None:
        if result.views:
            touched = self._touched.setdefault(result, _Touched())
            if new is None:
                touched.gone.add(uid)
                touched.changed.discard(uid)
            else:
                touched.changed.add(uid)
                touched.gone.discard(uid)

    def _tell(self) -> None:
        told, self._touched = self._touched, {}
        for result, touched in told.items():
            for tell in tuple(result.views.values()):
                tell(touched.changed, touched.gone)

    # --- what fails ---

    def _safely(self, work: Work, part: Result | RowIndex | Matches) -> Work:
        try:
            yield from work
        except Exception as error:  # noqa: BLE001 - it is raised again for all who read it
            self._fail(part, error)

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
            index = self._indexes[query.sort] = RowIndex(query.sort_key)
            self._slices.add(self._safely(index.build(self.rows), index))
        return index

    def _found(self, query: Query) -> Matches | None:
        """What its filter lets through; None for everything."""
        place = _filter_of(query)
        if place == EVERYTHING:
            return None
        matches = self._matches.get(place)
        if matches is None:
            matches = self._matches[place] = Matches(query, self._clock)
            for filters in self._lists_of(place):
                filters.append(place)
            self._slices.add(self._safely(matches.build(self.rows), matches))
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

    def __len__(self) -> int:
        return len(self._results)


def _filter_of(query: Query) -> Filter:
    return (query.namespaces, query.terms)


def _standing(result: Result, uid: str) -> tuple[Entry | None, Entry | None]:
    """The entry of a row that has not changed itself."""
    entry = result.index.entry_of.get(uid)
    return entry, entry
