"""Results of the lists of one kind: filtered and sorted rows, computed once for all viewers.

A change costs O(log n) for each order, filter and result that it touches, not for each view, and nothing for filters of
other namespaces. Many changes at once, as after a relist, are applied in slices: until that is done `rows`, and with
them everything shown, stay as they were.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType

from dashboard.live.index.matches import FacetCounter, Matches
from dashboard.live.index.path_columns import STEP as PATH_STEP
from dashboard.live.index.path_columns import PathColumns, when_ready
from dashboard.live.index.path_presence import PathPresence
from dashboard.live.index.result_set import DirtyUids, ResultSet
from dashboard.live.index.sort_index import KeyChange, SortIndex
from dashboard.live.index.sorted_list import EncodedKey
from dashboard.live.index.usage_lookup import NO_USAGE, UsageLookup
from dashboard.live.index.value_counts import ValueCounts
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, Values
from dashboard.objects.query.list_query import Query, is_path
from dashboard.objects.query.terms import PathTerm, Term, UsageTerm
from dashboard.objects.usage.usage_field import UsageField
from dashboard.runtime.time_slicing import DelayedSlices, SlicedWork, Slices
from informerd.clock import Clock

logger = logging.getLogger(__name__)

RESULT_TTL = 60.0
"""Seconds that orders, filters and results are kept after the last view of them."""
MAX_IDLE_RESULTS = 32
"""Maximum number of results kept without a view: each may take some megabytes with 50,000 rows."""
MAX_UNVIEWED_BUILDS = 8
UNVIEWED_BUILD_TTL = 10.0
"""Maximum number of results that are computed without a view, and seconds for which each is: a page opens its view once
its browser has it. Who asks for one filter after the other must not leave work behind for all of them.
"""

LOADED_IN_STEP = 256
"""Rows that are looked for in one step."""
CHANGES_PER_STEP = 32
"""Changes that are applied in one step."""

SortOrder = tuple[str, bool]
FilterKey = tuple[tuple[str, ...], tuple[Term, ...]]
ResultKey = tuple[FilterKey, SortOrder]
NO_FILTER: FilterKey = ((), ())
NOTHING_MOVED: Mapping[SortIndex, KeyChange] = MappingProxyType({})


class KindIndex:
    """Open a result with `open_result`, pass the replica's changes and let time pass. A result's `listeners` are its
    viewers.
    """

    def __init__(self, replica: ReadableReplica, clock: Clock, slices: Slices, usage: UsageLookup = NO_USAGE) -> None:
        self.rows: dict[str, Row] = {} if replica.is_partial else dict(replica.rows.items())
        """Rows by uid, on which all results are built. The replica may be ahead by some slices."""
        self._is_loaded = not replica.is_partial
        """Whether `rows` has all of them. What is to be built waits for that."""
        self._census = FacetCounter()
        self._clock = clock
        self._replica = replica
        self._usage = usage
        self._is_refreshing = self._is_outdated = False
        self._slices: Slices = DelayedSlices(slices, lambda: self._is_loaded or self.error is not None)
        self._indexes: dict[SortOrder, SortIndex] = {}
        self._matches: dict[FilterKey, Matches] = {}
        self._results: dict[ResultKey, ResultSet] = {}
        self._used: dict[ResultKey, float] = {}
        self._of_filter: dict[FilterKey, list[ResultSet]] = {}
        self._everywhere: list[FilterKey] = []
        self._in_namespace: dict[str, list[FilterKey]] = {}
        self.error: Exception | None = None
        """The error that invalidated all results; the object accepts no more changes and is to be replaced."""
        self._waiting: deque[tuple[str, Row | None]] = deque()
        self._is_applying = False
        self._dirty_uids = DirtyUids()
        self._usage_sorts: set[SortOrder] = set()
        self.path_columns = PathColumns(self.rows, clock, self._slices, self._notify_waiting)
        self.path_presence = PathPresence(self.rows, self.path_columns, self._slices)
        self.value_counts = ValueCounts(self.rows, clock, self._slices)
        if not self._is_loaded:
            slices.add(self._load(), urgent=True)
        self._slices.add(self._census.build(self.rows))

    def open_result(self, query: Query) -> ResultSet:
        """The result of a query; ready at once where there are few rows, else computed in slices, see
        `ResultSet.ready`.
        """
        place = (_filter_of(query), query.sort)
        result = self._results.get(place)
        self._used[place] = self._clock.now()
        if query.sorts_by_usage:
            self._usage_sorts.add(query.sort)
        if result is None:
            matches, base = self._find_matches(query), self._find_matches(query.without_statuses()) or self._census
            index = self._index(query)
            columns = self.path_columns.use(query.required_paths)
            result = self._results[place] = ResultSet(
                self.rows,
                index,
                matches=matches,
                base=base,
                columns=columns,
                sightings=self.path_presence,
                values=self.value_counts,
            )
            self._of_filter.setdefault(place[0], []).append(result)
            self._slices.add(self._safely(result.build(), result))
            self._drop_abandoned()
        return result

    def sweep_path_columns(self) -> None:
        """Drop every column of a field by path that no order or filter needs now."""
        self.path_columns.sweep(self._paths(), 0.0)

    def idle_path_results(self) -> list[tuple[float, ResultKey]]:
        """Results that need fields by path and that nobody views or waits for, each with its last use."""
        return [
            (self._used[place], place)
            for place, result in self._results.items()
            if result.uses_paths and result.ready and not result.listeners
        ]

    def drop(self, key: ResultKey) -> None:
        """Drop an idle result now, and the columns that no other result needs."""
        self._drop(key)
        self._forget_unused()
        self.sweep_path_columns()

    def apply(self, change: Change) -> None:
        """Apply a change of the replica; long work is done in slices."""
        if self.error is not None:
            return
        if not self._is_loaded:
            self._apply_while_loading(change)
            return
        self._waiting.extend((each.uid, new) for old, new in change.rows if (each := new or old) is not None)
        if self._waiting and not self._is_applying:
            self._is_applying = True
            self._slices.add(self._work_off(), urgent=True)

    def refresh_usage(self) -> None:
        """Filter and sort again by what objects use, which is known anew; nothing to do where no list does."""
        self._usage_sorts &= self._indexes.keys()
        has_terms = any(isinstance(term, UsageTerm) for _, terms in self._matches for term in terms)
        if not (self._usage_sorts or has_terms):
            return
        self._is_outdated = True
        if not self._is_refreshing:
            self._is_refreshing = True
            self._slices.add(self._refresh_usage())

    def _refresh_usage(self) -> SlicedWork:
        try:
            while self._is_outdated:  # once more where it has become known anew meanwhile
                self._is_outdated = False
                uids = list(self.rows)
                for start in range(0, len(uids), CHANGES_PER_STEP):
                    for uid in uids[start : start + CHANGES_PER_STEP]:
                        if (row := self.rows.get(uid)) is not None:
                            self._refresh_row(uid, row)
                    self._dirty_uids.notify()
                    yield None
        finally:
            self._is_refreshing = False

    def _refresh_row(self, uid: str, row: Row) -> None:
        moved: dict[SortIndex, KeyChange] = {}
        for sort in self._usage_sorts & self._indexes.keys():
            index = self._indexes[sort]
            if (change := index.refresh(row)) is not None:
                moved[index] = change
        for result in self._of_filter.get(NO_FILTER, ()):
            if result.sort_index in moved:
                self._dirty_uids.note(result, uid, row)
        for place in tuple(self._filters_for(row)):
            self._match(place, uid, row, row, moved)

    @property
    def row_count(self) -> int:
        """Number of rows, also while they are being loaded."""
        return max(len(self.rows), len(self._replica.rows))

    def _load(self) -> SlicedWork:
        """Find the rows of a replica that has to look for them. Changes may come from the first step on."""
        uids = self._replica.possible_uids()
        try:
            for start in range(0, len(uids), LOADED_IN_STEP):
                for uid in uids[start : start + LOADED_IN_STEP]:
                    if uid not in self.rows and (row := self._replica.rows.get(uid)) is not None:
                        self.rows[uid] = row
                yield None
            self._is_loaded = True
        except Exception as error:
            logger.exception("the rows of a kind could not be found; the list index is built again")
            self._fail_all(error)

    def _apply_while_loading(self, change: Change) -> None:
        """Nothing is built on the rows yet."""
        for old, new in change.rows:
            if new is not None:
                self.rows[new.uid] = new
            elif old is not None:
                self.rows.pop(old.uid, None)

    def next_due(self) -> float | None:
        """Unix seconds at which time alone will change a result; None: never."""
        return min((due for each in self._matches.values() if (due := each.next_due()) is not None), default=None)

    def pass_time(self, now: float) -> None:
        """Apply what time alone has changed by `now` (Unix seconds)."""
        for place, matches in list(self._matches.items()):
            if matches.needs_rescan(now):
                self._slices.add(self._safely(matches.rescan(), matches))
            for uid in matches.pop_due(now):
                if (row := self.rows.get(uid)) is not None:
                    self._match(place, uid, row, row)
        self._dirty_uids.notify()

    def sweep(self) -> None:
        """Drop what nobody has viewed for RESULT_TTL seconds, and of the rest all but the latest MAX_IDLE_RESULTS; also
        what is computed and nobody has viewed for UNVIEWED_BUILD_TTL seconds.
        """
        now = self._clock.now()
        spare: list[ResultKey] = []
        for place, result in list(self._results.items()):
            if result.listeners:
                self._used[place] = now
            elif result.ready:
                spare.append(place)
            elif self._used[place] < now - UNVIEWED_BUILD_TTL:
                self._drop(place)
        spare.sort(key=self._used.__getitem__, reverse=True)
        for number, place in enumerate(spare):
            if number >= MAX_IDLE_RESULTS or self._used[place] < now - RESULT_TTL:
                self._drop(place)
        self._forget_unused()
        self.value_counts.sweep()

    def _work_off(self) -> SlicedWork:
        try:
            while self._waiting:
                for _ in range(min(CHANGES_PER_STEP, len(self._waiting))):
                    self._apply_row(*self._waiting.popleft())
                self._dirty_uids.notify()
                yield None
        except Exception as error:
            logger.exception("the list index of a kind failed on a change; it is built again")
            self._fail_all(error)
        finally:
            self._is_applying = False

    def _apply_row(self, uid: str, new: Row | None) -> None:
        """The row is now `new`; None: it is deleted."""
        old = self.rows.get(uid)
        if new is not None:
            self.rows[uid] = new
        elif old is None:
            return
        else:
            del self.rows[uid]
        self._census.update(old, new)
        self.path_columns.update(uid, old, new)
        self.path_presence.update(new)
        self.value_counts.update(old, new)
        for index in tuple(self._indexes.values()):
            try:
                index.update(uid, old, new)
            except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
                self._fail(index, error)
        for result in self._of_filter.get(NO_FILTER, ()):
            self._dirty_uids.note(result, uid, new)
        for place in tuple(self._filters_for(new or old)):
            self._match(place, uid, old, new)

    def _filters_for(self, row: Row | None) -> list[FilterKey]:
        """The filters that can match a row, by its namespace."""
        narrowed = self._in_namespace.get(row.namespace) if row is not None else None
        return self._everywhere + narrowed if narrowed else self._everywhere

    def _match(
        self,
        key: FilterKey,
        uid: str,
        old: Row | None,
        new: Row | None,
        refreshed: Mapping[SortIndex, KeyChange] = NOTHING_MOVED,
    ) -> None:
        matches = self._matches.get(key)
        if matches is None:  # it has failed just now
            return
        try:
            was, now = matches.update(uid, old, new)
        except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
            self._fail(matches, error)
            return
        if was or now:
            for result in self._of_filter.get(key, ()):
                index = result.sort_index
                moved = index.last_change if old is not new else refreshed.get(index)
                if moved is not None or was != now:
                    result.update(was, now, *(moved or _unmoved_entries(result, uid)))
                self._dirty_uids.note(result, uid, new)

    def _notify_waiting(self) -> None:
        """Report to waiting views that a new path has been read in some more rows."""
        for result in self._results.values():
            if not result.ready:
                for tell in tuple(result.listeners.values()):
                    tell(set(), set())

    def _values(self, field: FieldPath | UsageField, row: Row) -> Values:
        """Values of a field by path, or of what the object uses."""
        if isinstance(field, FieldPath):
            return self.path_columns.values(field, row)
        return field.values(self._usage.get(self._replica.key, row))

    # --- what fails ---

    def _safely(self, work: SlicedWork, part: ResultSet | SortIndex | Matches) -> SlicedWork:
        """The work, until `part` is dropped."""
        try:
            for step in work:
                yield step
                if part.is_dropped:
                    return
        except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
            self._fail(part, error)

    def _fail_all(self, error: Exception) -> None:
        """A change was applied only in part: no list of this kind is reliable any more."""
        self.error = error
        results = list(self._results.values())
        for parts in (self._results, self._used, self._matches, self._indexes, self._of_filter, self._waiting):
            parts.clear()
        for result in results:
            result.fail(error)

    def _fail(self, part: ResultSet | SortIndex | Matches, error: Exception) -> None:
        """Mark the results that use a failed part as failed; the next request builds them again."""
        part.error = error
        for place, result in list(self._results.items()):
            if part in (result, result.sort_index, result.matches, result.facet_base):
                del self._results[place], self._used[place]
                result.fail(error)
        self._forget_unused()

    # --- what nobody looks at ---

    def _drop_abandoned(self) -> None:
        """Drop the results that are computed without a view, all but the latest MAX_UNVIEWED_BUILDS."""
        unviewed = [place for place, each in self._results.items() if not each.ready and not each.listeners]
        unviewed.sort(key=self._used.__getitem__)
        for place in unviewed[:-MAX_UNVIEWED_BUILDS]:
            self._drop(place)
        if len(unviewed) > MAX_UNVIEWED_BUILDS:
            self._forget_unused()

    def _drop(self, key: ResultKey) -> None:
        self._results.pop(key).is_dropped = True
        del self._used[key]

    # --- what is found once ---

    def _index(self, query: Query) -> SortIndex:
        index = self._indexes.get(query.sort)
        if index is None:
            index = self._indexes[query.sort] = SortIndex(query.sort_key_by(self._values))
            paths = () if query.sort_path is None else (query.sort_path,)
            work = index.build(self.rows, PATH_STEP) if paths else index.build(self.rows)
            self._slices.add(self._safely(when_ready(self.path_columns.use(paths), work), index))
        return index

    def _find_matches(self, query: Query) -> Matches | None:
        """The rows that match its filter; None for all rows."""
        place = _filter_of(query)
        if place == NO_FILTER:
            return None
        matches = self._matches.get(place)
        if matches is None:
            matches = self._matches[place] = Matches(query, self.rows, self._clock, self._values)
            for filters in self._lists_of(place):
                filters.append(place)
            work = when_ready(self.path_columns.use(query.filter_paths), matches.build())
            self._slices.add(self._safely(work, matches))
        return matches

    def _lists_of(self, key: FilterKey) -> list[list[FilterKey]]:
        """The lists of filters that contain this filter and are checked for a change."""
        if not key[0]:
            return [self._everywhere]
        return [self._in_namespace.setdefault(namespace, []) for namespace in key[0]]

    def _forget_unused(self) -> None:
        """Drop the orders and filters that no result needs."""
        results = self._results.values()
        self._of_filter = {}
        for (place, _), result in self._results.items():
            self._of_filter.setdefault(place, []).append(result)
        indexes = {result.sort_index for result in results}
        for sort, index in list(self._indexes.items()):
            if index not in indexes:
                self._indexes.pop(sort).is_dropped = True
        needed = {result.matches for result in results} | {result.facet_base for result in results}
        for place, matches in list(self._matches.items()):
            if matches not in needed:
                self._matches.pop(place).is_dropped = True
                for filters in self._lists_of(place):
                    filters.remove(place)
        if len(self.path_columns):
            self.path_columns.sweep(self._paths())

    def _paths(self) -> set[FieldPath]:
        """The fields by path that orders and filters need."""
        sorts = {FieldPath(name) for name, _ in self._indexes if is_path(name)}
        return sorts | {term.path for _, terms in self._matches for term in terms if isinstance(term, PathTerm)}

    def __len__(self) -> int:
        return len(self._results)


def _filter_of(query: Query) -> FilterKey:
    return (query.namespaces, query.terms)


def _unmoved_entries(result: ResultSet, uid: str) -> tuple[EncodedKey | None, EncodedKey | None]:
    """The entry of a row that did not move, as old and new entry."""
    entry = result.sort_index.key_of.get(uid)
    return entry, entry
