"""Results of all kinds that are listed; the index of a kind is made when its first list is opened."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import replace
from typing import NamedTuple

from dashboard.live.index.kind_index import KindIndex
from dashboard.live.index.path_columns import MAX_COLUMNS, MAX_VALUES
from dashboard.live.index.result_set import ResultSet
from dashboard.live.index.searchable_text_counts import TextCount
from dashboard.live.index.sort_key_encoding import decode_uid
from dashboard.live.index.usage_lookup import NO_USAGE, UsageLookup
from dashboard.live.index.value_counts import ValueSource
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.query.list_query import Query, QueryProblem
from dashboard.runtime.time_slicing import TimeSlicer
from informerd.clock import Clock, within

NO_ROOM = (
    "this server keeps at most {}, and other open lists use all of them. Try again in a few minutes, "
    "or show the field as a column, which needs no room."
)


class CacheLimit(NamedTuple):
    """A limit that keeps a path out."""

    words: str
    is_per_kind: bool
    """Whether only the path's own kind counts."""


VALUES_LIMIT = CacheLimit(f"{MAX_VALUES:,} values of fields by path", is_per_kind=False)
COLUMNS_LIMIT = CacheLimit(f"{MAX_COLUMNS} fields by path of a kind", is_per_kind=True)
ROWS_PER_STEP = 2048
"""Rows that are collected in one step."""
WAIT_TIMEOUT = 0.05
"""Seconds that a page waits for its rows, before it is shown without them and says so."""
DropIdle = Callable[[Collection[str]], bool]
"""Drops the oldest unviewed list of these kinds that keeps fields by path; False: there is none."""


class PathCacheFull(Exception):
    """Rows cannot be found because fields by path have no room. The message is for users."""


class IndexStore:
    """Results by kind. Long work is done in slices, for all kinds in turn."""

    def __init__(
        self,
        replicas: ReplicaSource,
        clock: Clock,
        drop_idle: DropIdle = lambda _: False,
        usage: UsageLookup = NO_USAGE,
    ) -> None:
        self._usage = usage
        self._drop_idle = drop_idle
        self._replicas = replicas
        self._clock = clock
        self.slices = TimeSlicer()
        """Where long work is done, also that of others."""
        self._by_key: dict[str, KindIndex] = {}

    def open_result(self, kind: KindInfo, query: Query) -> ResultSet:
        """The result of a query, which may not be ready yet. Raises KeyError for a kind that is not followed."""
        return self._results(kind).open_result(query)

    def fit_query(self, kind: KindInfo, query: Query) -> Query:
        """The query without new paths for which there is no room, neither filtered nor sorted by them; a problem for
        each.

        Idle results make room, the longest idle first.
        """
        results = self._results(kind)
        left, cap = self._lacking(results, query)
        if left:
            for each in self._by_key.values():
                each.sweep_path_columns()
            left, cap = self._lacking(results, query)
        while left and self._make_room({kind.key} if cap.is_per_kind else self._by_key.keys()):
            left, cap = self._lacking(results, query)
        if not left:
            return query
        problems = tuple(
            QueryProblem("paths", 0, 0, f"{path} is left out: {NO_ROOM.format(cap.words)}") for path in left
        )
        without = query.without_paths({path.text for path in left})
        return replace(without, input_text=query.input_text, problems=query.problems + problems)

    def _lacking(self, results: KindIndex, query: Query) -> tuple[list[FieldPath], CacheLimit]:
        """The new paths that there is no room for, the query's last ones, and the limit that keeps them out."""
        new = [path for path in query.required_paths if path not in results.path_columns]
        values = MAX_VALUES - sum(each.path_columns.size for each in self._by_key.values())
        by_values, by_columns = values // max(1, results.row_count), MAX_COLUMNS - len(results.path_columns)
        return new[max(0, min(by_values, by_columns)) :], COLUMNS_LIMIT if by_columns <= by_values else VALUES_LIMIT

    def _make_room(self, keys: Collection[str]) -> bool:
        """Drop one idle result that holds fields by path; False where there is none."""
        kinds = [self._by_key[key] for key in keys]
        idle = [(used, number, place) for number, each in enumerate(kinds) for used, place in each.idle_path_results()]
        if not idle:
            return self._drop_idle(keys)
        _, number, place = min(idle, key=lambda each: each[0])
        kinds[number].drop(place)
        return True

    def _results(self, kind: KindInfo) -> KindIndex:
        results = self._by_key.get(kind.key)
        if results is None or results.error is not None:
            results = KindIndex(self._replicas.get(kind.key), self._clock, self.slices, self._usage)
            self._by_key[kind.key] = results
        return results

    async def most_common_values(self, kind: KindInfo, source: ValueSource, part: str) -> list[TextCount]:
        """The values of a column or label that contain `part`, once they are counted; none where they cannot be."""
        column = self._results(kind).value_counts.use(source)
        if column is None:
            return []
        await column.counted_event.wait()
        return column.texts.most_common(part) if column.ready else []

    async def wait_for_rows(self, kind: KindInfo, query: Query) -> None:
        """Wait until the rows are found, at most WAIT_TIMEOUT: many rows take some slices."""
        result = self.open_result(kind, query)
        if not result.ready:
            with contextlib.suppress(TimeoutError):
                async with within(WAIT_TIMEOUT, self._clock):
                    await result.found_event.wait()

    async def count_rows(self, kind: KindInfo, query: Query) -> int:
        """Number of rows of the query, once they are found. Raises PathCacheFull as `all_rows` does."""
        async with self._ready_result(kind, query) as result:
            if result.error is not None:
                raise result.error
            return len(result)

    async def all_rows(self, kind: KindInfo, query: Query) -> list[Row]:
        """Every row of the query in its order, as of the moment they are found.

        Raises PathCacheFull where fields by path would have to be left out.
        """
        async with self._ready_result(kind, query) as result:
            entries, rows = result.sort_keys(), dict(result.rows)  # as they are now, whatever changes between the steps
        found_rows: list[Row] = []
        for start in range(0, len(entries), ROWS_PER_STEP):
            found_rows += [rows[decode_uid(entry)] for entry in entries[start : start + ROWS_PER_STEP]]
            await asyncio.sleep(0)
        return found_rows

    @contextlib.asynccontextmanager
    async def _ready_result(self, kind: KindInfo, query: Query) -> AsyncIterator[ResultSet]:
        """The result of the whole query, once it is ready or has failed."""
        fitted = self.fit_query(kind, query)
        if fitted.required_paths != query.required_paths:
            raise PathCacheFull(" ".join(each.message for each in fitted.problems[len(query.problems) :]))
        result, waits = self.open_result(kind, query), object()
        result.listeners[waits] = lambda *_: None  # so that it is not dropped before its rows are taken
        try:
            await result.found_event.wait()
            yield result
        finally:
            del result.listeners[waits]

    def apply(self, key: str, change: Change) -> None:
        """Apply a change of a kind."""
        if (results := self._by_key.get(key)) is not None:
            results.apply(change)

    def refresh_usage(self) -> None:
        """What objects use is known anew."""
        for results in self._by_key.values():
            results.refresh_usage()

    def pass_time(self, moment: float) -> None:
        """Apply what time alone has changed by `moment`, Unix seconds."""
        for results in self._by_key.values():
            if (due := results.next_due()) is not None and due <= moment:
                results.pass_time(moment)

    def sweep(self) -> None:
        """Drop what nobody has viewed for a while."""
        for key, results in list(self._by_key.items()):
            results.sweep()
            if not len(results):
                del self._by_key[key]

    def forget(self, key: str) -> None:
        """Drop a kind that is no longer followed, or whose rows have other columns."""
        self._by_key.pop(key, None)

    async def stop(self) -> None:
        """Stop unfinished searches."""
        await self.slices.stop()
