"""Comparisons of a list at two moments, which are worked out in the background and kept for the pages that show them.

Only what is needed to read an object again is kept of it, so that 50,000 differences take some 45 MB.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

from dashboard.live.history.list_differences import ChangedPart, Difference, DifferenceStep, changed_part
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.version import Gap
from dashboard.live.moments.history_objects import MICROSECONDS, HistoryObjects
from dashboard.live.moments.past_objects import KnownAt
from dashboard.live.moments.past_rows import PastRows
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import TableDefinition
from dashboard.objects.query.batch_filter import BatchFilter
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import read_field
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all
from informerd.clock import Clock, within

logger = logging.getLogger(__name__)

MAX_COMPARISONS = 4
"""Comparisons that are kept at the same time."""
COMPARISON_TTL = 120.0
"""Seconds that a comparison is kept after its last page."""
ABANDONED = 30.0
"""Seconds without a page after which one that is not finished is given up."""
MAX_LISTED = 50_000
"""Differences that are kept, those that changed last; the others are counted."""
BINS = 60
"""Spans of time in which last changes are counted."""


class Group(StrEnum):
    """How an object differs, in the order of the page."""

    CHANGED = "changed"
    """Something else than its status changed, or another object has its name."""
    ADDED = "added"
    REMOVED = "removed"
    ENTERED = "entered"
    """It was there at both moments and matches the filter at the later one only."""
    LEFT = "left"
    """It was there at both moments and matches the filter at the earlier one only."""
    STATUS = "status"
    """Nothing but its status changed."""


class TooManyComparisons(Exception):
    """As many comparisons as can be kept are being worked out."""

    def __init__(self) -> None:
        super().__init__(f"{MAX_COMPARISONS} other comparisons are being worked out. Try again in a few seconds.")


@dataclass(frozen=True)
class ComparisonRequest:
    """What is to be compared, and for whom. Equal requests share a comparison."""

    kind: KindInfo
    since: float
    until: float
    """Unix seconds of both moments, the earlier one first."""
    query: Query
    """Namespaces and filter; its order and columns do not matter."""
    rights: str
    """Fingerprint of the rights by which `may_list` judges."""
    may_list: Callable[[str, str], bool] = field(compare=False)
    """Whether an object of this namespace and name may be told of; it is called in a thread."""
    namespaces: frozenset[str] | None = field(compare=False)
    """Namespaces in which all objects are that may be told of; None: they may be anywhere."""
    sees_all: bool = field(compare=False)
    """Whether all objects of the kind may be told of."""
    table: TableDefinition | None = field(compare=False)
    """Columns of the kind, where they are not known beforehand."""

    @property
    def chosen_namespaces(self) -> frozenset[str] | None:
        """Namespaces in which objects are compared; None: in all."""
        chosen = frozenset(self.query.namespaces)
        return chosen & self.namespaces if chosen and self.namespaces is not None else chosen or self.namespaces


@dataclass
class ListComparison:
    """A comparison, as far as it has come. It changes on the event loop only."""

    request: ComparisonRequest
    used_at: float
    """Monotonic seconds of the last page."""
    by_group: dict[Group, list[Difference]] = field(default_factory=lambda: {group: [] for group in Group})
    """Differences without their JSON, those that changed last first."""
    counts: Counter[Group] = field(default_factory=Counter)
    changes: list[int] = field(default_factory=lambda: [0] * BINS)
    """Last changes of objects in each of BINS equal spans of the time between the moments."""
    unseen: int = 0
    """Objects whose namespace could not be listed at one of the moments."""
    gaps: Sequence[Gap] = ()
    """Times between the moments in which not all was recorded."""
    known: tuple[KnownAt, KnownAt] = (KnownAt(True), KnownAt(True))
    """What history has of both moments."""
    done: float = 0.0
    """From 0 to 1."""
    problem: str = ""
    """Why it could not be worked out, as a sentence."""
    finished: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def is_cut(self) -> bool:
        """Whether more differences were counted than are kept."""
        return self.total > sum(map(len, self.by_group.values()))

    def add(self, found: Iterable[tuple[Group, Difference]]) -> None:
        """Add some differences."""
        begin, span = self.request.since * MICROSECONDS, (self.request.until - self.request.since) * MICROSECONDS
        for group, difference in found:
            self.counts[group] += 1
            if difference.time is not None and span > 0:
                place = int(BINS * (difference.time - begin) / span)
                self.changes[max(0, min(place, BINS - 1))] += 1
            if self.total <= MAX_LISTED:
                self.by_group[group].append(difference)


class ListComparisons:
    """The comparisons of a process."""

    def __init__(self, history: HistoryObjects, clock: Clock) -> None:
        self._history = history
        self._clock = clock
        self._kept: dict[ComparisonRequest, ListComparison] = {}
        self._tasks: dict[ComparisonRequest, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def open(self, request: ComparisonRequest) -> ListComparison:
        """The comparison, which is being worked out. Raises TooManyComparisons."""
        found = self._kept.get(request)
        if found is None:
            if len(self._kept) >= MAX_COMPARISONS:
                self._make_room()
            found = self._kept[request] = ListComparison(request, self._clock.now())
            self._tasks[request] = asyncio.create_task(self._run(found), name="comparing a list")
        found.used_at = self._clock.now()
        return found

    async def wait(self, comparison: ListComparison, seconds: float) -> None:
        """Wait until it is finished, so many seconds at most."""
        with suppress(TimeoutError):
            async with within(seconds, self._clock):
                await comparison.finished.wait()

    async def drop_all(self) -> None:
        """Drop all, because the process ends or they are of another cluster."""
        tasks = [*self._tasks.values()]
        self._kept.clear()
        self._tasks.clear()
        await cancel_all(tasks)

    def _make_room(self) -> None:
        finished = [each for each in self._kept.values() if each.finished.is_set()]
        if not finished:
            raise TooManyComparisons
        self._drop(min(finished, key=lambda each: each.used_at).request)

    def _drop(self, request: ComparisonRequest) -> None:
        self._tasks[request].cancel()
        self._forget(self._kept[request])

    def _forget(self, comparison: ListComparison) -> None:
        if self._kept.get(comparison.request) is comparison:
            del self._kept[comparison.request], self._tasks[comparison.request]

    async def _run(self, comparison: ListComparison) -> None:
        try:
            await self._compare(comparison)
        except _Abandoned:
            self._forget(comparison)
            return
        except HistoryUnavailable as error:
            comparison.problem = f"History cannot be read: {error}."
        except Exception:
            logger.exception("two moments of %s could not be compared", comparison.request.kind.key)
            comparison.problem = "History could not be read: see the log of Deltaboard."
        comparison.finished.set()
        while (left := comparison.used_at + COMPARISON_TTL - self._clock.now()) > 0:
            await self._clock.sleep(left)
        self._forget(comparison)

    async def _compare(self, comparison: ListComparison) -> None:
        request, history = comparison.request, self._history
        key, since, until = request.kind.key, request.since, request.until
        await history.wait_until_recorded([key], until)
        comparison.known = (await history.known_at(key, since), await history.known_at(key, until))
        if not all(known.is_recorded for known in comparison.known):
            return
        comparison.gaps = await history.whole_gaps(key, since, until)
        grouping = _Grouping(request)
        steps = history.list_differences(
            key, since, until, request.chosen_namespaces, grouping.read, reads_all=bool(request.query.terms)
        )
        async for found, unseen, done in steps:
            comparison.add(found)
            comparison.unseen += unseen
            comparison.done = done
            if self._clock.now() - comparison.used_at > ABANDONED:
                raise _Abandoned
            await asyncio.sleep(0)
        comparison.done = 1.0


LIST_COMPARISONS: Key[ListComparisons | None] = Key("list_comparisons")
"""None where no history is kept."""


class _Abandoned(Exception):
    """Nobody looks at it any more."""


class _Grouping:
    """Groups the differences of one comparison; `read` is called by one thread at a time."""

    def __init__(self, request: ComparisonRequest) -> None:
        self._request = request
        self._rows = PastRows(request.kind.resource, request.table)
        self._filter = BatchFilter(request.query, read_field)

    def read(self, step: DifferenceStep) -> tuple[list[tuple[Group, Difference]], int, float]:
        """The differences of a step that may be told of, without JSON, with their groups; how many objects were not
        seen, and how far this is.
        """
        request = self._request
        told = [each for each in step.differences if self._may_list(each)]
        before = self._matching([each.was for each in told], request.since)
        after = self._matching([each.json for each in told], request.until)
        found: list[tuple[Group, Difference]] = []
        for each, was_shown, is_shown in zip(told, before, after, strict=True):
            if (group := _group_of(each, was_shown, is_shown)) is not None:
                found.append((group, _without_states(each)))
        unseen = step.unseen if request.sees_all else 0
        return found, unseen, step.done

    def _may_list(self, difference: Difference) -> bool:
        return self._request.may_list(difference.name.namespace, difference.name.name)

    def _matching(self, states: Sequence[bytes | None], at: float) -> list[bool]:
        """Which of these states the filter matches at a moment; all where there is no filter but namespaces."""
        if not self._request.query.terms:
            return [True] * len(states)
        rows = [self._rows.row(self._rows.decode(json)) if json is not None else None for json in states]
        matching = {id(row) for row in self._filter.through([row for row in rows if row is not None], at)}
        return [row is not None and id(row) in matching for row in rows]


def _without_states(difference: Difference) -> Difference:
    """What is kept: without JSON, and with one name for both versions."""
    before, after = difference.before, difference.after
    if before is not None and after is not None and before.version.object == after.version.object:
        after = replace(after, version=replace(after.version, object=before.version.object))
    return Difference(before, after, difference.time)


def _group_of(difference: Difference, was_shown: bool, is_shown: bool) -> Group | None:
    """None where it is no difference of the list."""
    before, after = difference.before, difference.after
    if before is None:
        return Group.ADDED if is_shown else None
    if after is None:
        return Group.REMOVED if was_shown else None
    if was_shown != is_shown:
        return Group.ENTERED if is_shown else Group.LEFT
    if not is_shown:
        return None
    if before.version.object.uid != after.version.object.uid or difference.was is None or difference.json is None:
        return Group.CHANGED
    part = changed_part(difference.was, difference.json)
    return {ChangedPart.NOTHING: None, ChangedPart.STATUS: Group.STATUS}.get(part, Group.CHANGED)
