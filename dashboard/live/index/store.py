"""The results of all kinds that somebody lists: of each kind made when its first list is opened."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import replace
from typing import NamedTuple

from dashboard.live.change import Change
from dashboard.live.messages import Row
from dashboard.live.packed_key import uid_of
from dashboard.live.path_columns import MOST_COLUMNS, MOST_VALUES
from dashboard.live.result import Result
from dashboard.live.results import Results
from dashboard.live.row_values import Source
from dashboard.live.shown_kinds import ReplicaSource
from dashboard.live.slices import Slices
from dashboard.resources.kinds import KindInfo
from dashboard.resources.query import Problem, Query
from dashboard.resources.rows.field_path import FieldPath
from dashboard.resources.values_there import Counted
from informerd.clock import Clock, within

NO_ROOM = (
    "this server keeps {} at most, and other lists that somebody looks at leave no room. Try again in a few minutes, "
    "or have it as a column, which is not kept."
)


class Cap(NamedTuple):
    """What keeps a path out."""

    words: str
    alone: bool
    """Whether only the path's own kind counts."""


VALUES = Cap(f"{MOST_VALUES:,} values of fields by path", alone=False)
COLUMNS = Cap(f"{MOST_COLUMNS} fields by path of a kind", alone=True)
AT_A_STEP = 2048
"""Rows that are collected at one step."""
PATIENCE = 0.1
"""Seconds that a page waits for the rows it asks for, before it is shown without them and says so."""
DropIdle = Callable[[Collection[str]], bool]
"""Drops the oldest list of these kinds that keeps fields by path and that nobody looks at; False: there is none."""


class NoRoom(Exception):
    """Rows cannot be found, since fields by path have no room. Its text says so to people."""


class ResultStore:
    """Results by kind. What takes long is done in slices, for all kinds by turns."""

    def __init__(self, replicas: ReplicaSource, clock: Clock, drop_idle: DropIdle = lambda _: False) -> None:
        self._drop_idle = drop_idle
        self._replicas = replicas
        self._clock = clock
        self.slices = Slices()
        """Where long work is done, that of others too."""
        self._by_key: dict[str, Results] = {}

    def open(self, kind: KindInfo, query: Query) -> Result:
        """The result of a query, which may not be found yet. Raises KeyError for a kind that is not watched."""
        return self._results(kind).open(query)

    def fitting(self, kind: KindInfo, query: Query) -> Query:
        """The query, neither filtered nor sorted by new paths that there is no room for; it has a problem for each.

        What nobody looks at makes room, that which has been so for longest first.
        """
        results = self._results(kind)
        left, cap = self._lacking(results, query)
        if left:
            for each in self._by_key.values():
                each.sweep_fields()
            left, cap = self._lacking(results, query)
        while left and self._make_room({kind.key} if cap.alone else self._by_key.keys()):
            left, cap = self._lacking(results, query)
        if not left:
            return query
        problems = tuple(Problem("paths", 0, 0, f"{path} is left out: {NO_ROOM.format(cap.words)}") for path in left)
        without = query.without_paths({path.text for path in left})
        return replace(without, typed=query.typed, problems=query.problems + problems)

    def _lacking(self, results: Results, query: Query) -> tuple[list[FieldPath], Cap]:
        """The new paths that there is no room for, the query's last ones, and which cap keeps them out."""
        new = [path for path in query.kept_paths if path not in results.fields]
        values = MOST_VALUES - sum(each.fields.size for each in self._by_key.values())
        by_values, by_columns = values // max(1, len(results.rows)), MOST_COLUMNS - len(results.fields)
        return new[max(0, min(by_values, by_columns)) :], COLUMNS if by_columns <= by_values else VALUES

    def _make_room(self, keys: Collection[str]) -> bool:
        """Drop one thing that holds fields by path and that nobody looks at; False where there is none."""
        kinds = [self._by_key[key] for key in keys]
        idle = [(used, number, place) for number, each in enumerate(kinds) for used, place in each.idle_by_path()]
        if not idle:
            return self._drop_idle(keys)
        _, number, place = min(idle, key=lambda each: each[0])
        kinds[number].drop(place)
        return True

    def _results(self, kind: KindInfo) -> Results:
        results = self._by_key.get(kind.key)
        if results is None or results.error is not None:
            results = Results(self._replicas.get(kind.key), self._clock, self.slices)
            self._by_key[kind.key] = results
        return results

    async def commonest(self, kind: KindInfo, source: Source, part: str) -> list[Counted]:
        """The values of a column or label that hold `part`, once they have been counted; none where they cannot be."""
        column = self._results(kind).values.use(source)
        if column is None:
            return []
        await column.found.wait()
        return column.texts.commonest(part) if column.ready else []

    async def find(self, kind: KindInfo, query: Query) -> None:
        """Wait until the rows are found, PATIENCE at most: where there are many that takes some slices."""
        result = self.open(kind, query)
        if not result.ready:
            with contextlib.suppress(TimeoutError):
                async with within(PATIENCE, self._clock):
                    await result.found.wait()

    async def number(self, kind: KindInfo, query: Query) -> int:
        """How many rows the query has, once they are found. Raises NoRoom as `all_rows` does."""
        async with self._found(kind, query) as result:
            if result.error is not None:
                raise result.error
            return len(result)

    async def all_rows(self, kind: KindInfo, query: Query) -> list[Row]:
        """Every row of the query in its order, as of the moment in which they are found.

        Raises NoRoom where fields by path would have to be left out.
        """
        async with self._found(kind, query) as result:
            entries, rows = result.entries(), dict(result.rows)  # as they are now, whatever changes between the steps
        found: list[Row] = []
        for start in range(0, len(entries), AT_A_STEP):
            found += [rows[uid_of(entry)] for entry in entries[start : start + AT_A_STEP]]
            await asyncio.sleep(0)
        return found

    @contextlib.asynccontextmanager
    async def _found(self, kind: KindInfo, query: Query) -> AsyncIterator[Result]:
        """The result of the whole query, once it is found or has failed."""
        fitted = self.fitting(kind, query)
        if fitted.kept_paths != query.kept_paths:
            raise NoRoom(" ".join(each.message for each in fitted.problems[len(query.problems) :]))
        result, waits = self.open(kind, query), object()
        result.views[waits] = lambda *_: None  # so that it is not dropped before its rows are taken
        try:
            await result.found.wait()
            yield result
        finally:
            del result.views[waits]

    def apply(self, key: str, change: Change) -> None:
        """Take in what changed in a kind."""
        if (results := self._by_key.get(key)) is not None:
            results.apply(change)

    def pass_time(self, moment: float) -> None:
        """Take in what time alone has changed by `moment`, Unix seconds."""
        for results in self._by_key.values():
            if (due := results.next_due()) is not None and due <= moment:
                results.pass_time(moment)

    def sweep(self) -> None:
        """Forget what nobody has looked at for a while."""
        for key, results in list(self._by_key.items()):
            results.sweep()
            if not len(results):
                del self._by_key[key]

    def forget(self, key: str) -> None:
        """Forget a kind: it goes, or its rows have other columns."""
        self._by_key.pop(key, None)

    async def stop(self) -> None:
        """Let go of what is still being found."""
        await self.slices.stop()
