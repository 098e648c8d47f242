"""Changes of history in a feed whose span reaches farther back than memory does: lines, counts and gaps."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing

from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.version import Version
from dashboard.live.moments.recorded_feed import SEAM, KnownChanges, RecordedFeed, RecordedGap
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.time_range import step_for
from informerd.clock import Clock

logger = logging.getLogger(__name__)

SHORT_SEARCH = 20_000
"""Most changes that are searched where no span is chosen."""
LONG_SEARCH = 2_000_000
"""Most changes that are searched in a chosen span."""
SHOW_INTERVAL = 1.0
"""Shortest time between two updates of the page while it is read, in seconds."""
Known = Sequence[tuple[str, Entry]]


class RecordedChanges:
    """What history has of a feed's span before `memory_from`, the Unix seconds from when on memory has all changes of
    each kind. `read` reads it once; `on_change` is called when there is more to show.
    """

    def __init__(
        self,
        recorded: RecordedFeed,
        query: FeedQuery,
        keys: Sequence[str],
        steady: Sequence[str],
        memory_from: Mapping[str, float],
        clock: Clock,
        on_change: Callable[[], None],
    ) -> None:
        """`steady` are the kinds whose gaps are told. Of kinds of which nothing may be seen, nothing is told."""
        self.query = query
        self.begin: float | None = None
        """Unix seconds of the oldest change that history may have; None where it has none, or is not read yet."""
        self.known_from = math.inf
        """From when on all kinds but `unrecorded` were recorded, gaps aside; infinite where it is not known."""
        self.unrecorded: frozenset[str] = frozenset()
        """Kinds of `steady` that never were."""
        self.entries: list[tuple[str, Entry]] = []
        """Newest first, without those that memory has."""
        self.complete_from = math.inf
        """Unix seconds after which `entries` is complete."""
        self.searched = 0
        """Changes that were looked at."""
        self.is_limited = False
        """Whether the search has ended before the span did, because it was long."""
        self.is_searching = False
        self.gaps: list[RecordedGap] = []
        self.gaps_until = -math.inf
        """Unix seconds up to which `gaps` has all."""
        self.counts: Mapping[int, Sequence[int]] | None = None
        """How many changes were added, modified and deleted before `memory_from`, by the Unix second at which a bar of
        the histogram begins. None: they are not read yet, or cannot answer the filter.
        """
        self.uncounted: list[str] = []
        """Kinds that `counts` lacks, because only some of their objects may be seen."""
        self.problem = ""
        """Why history cannot be read, as a clause."""
        self.is_used = False
        """Whether the span reaches back to where memory does not have everything, and history has something."""
        self.done = asyncio.Event()
        self._recorded = recorded
        self._keys = tuple(key for key in keys if not recorded.is_hidden(key))
        self._steady = tuple(key for key in steady if not recorded.is_hidden(key)) or self._keys
        self._not_in_memory = frozenset(key for key in keys if memory_from.get(key, math.inf) > clock.time())
        self.memory_from = {key: min(memory_from.get(key, math.inf), clock.time()) for key in keys}
        self._clock = clock
        self._on_change = on_change
        self._shown_at = -math.inf

    async def read(self, known: Known, has_enough: Callable[[], bool]) -> None:
        """Read all there is to read. `known` are the entries of memory; lines are read until `has_enough`."""
        try:
            await self._read(known, has_enough)
        except HistoryUnavailable as error:
            self.problem = str(error)
        except Exception:
            logger.exception("the feed could not be read from history")
            self.problem = "see the log of Deltaboard"
        if self.problem:
            self.known_from = math.inf
        self.is_searching = False
        self.done.set()
        self._on_change()

    async def _read(self, known: Known, has_enough: Callable[[], bool]) -> None:
        self.begin = await self._recorded.begin()
        since, until = self._since(), self._until()
        late = [key for key in self._keys if self.memory_from[key] > since]
        if self.begin is None or not late or until <= self.begin:
            return
        recorded = await self._recorded.recorded_since(self._steady)
        if not recorded:
            return
        self.known_from, self.is_used = max(recorded.values()), True
        self.unrecorded = frozenset(self._steady) - recorded.keys()
        self.gaps_until = min(until, self._memory_edge(late))
        self.gaps = await self._recorded.gaps(recorded, max(since, self.known_from), self.gaps_until)
        await self._count(late)
        self._show()
        if not has_enough():
            await self._search(late, since, known, has_enough)

    async def _count(self, late: Sequence[str]) -> None:
        begin, end = self.bounds()
        if not self.query.is_countable or begin >= self._memory_edge(late):
            return
        step, found = step_for(end - begin), dict[int, list[int]]()
        for edge in sorted({self.memory_from[key] for key in late}):
            keys = [key for key in late if self.memory_from[key] == edge]
            if begin < edge:
                until = min(edge, self._until())
                counts = await self._recorded.counts(keys, self.query.may_match, begin, until, step)
                for second, numbers in counts.items():
                    found[second] = [a + b for a, b in zip(found.get(second, (0, 0, 0)), numbers, strict=True)]
        self.counts, self.uncounted = found, self._recorded.uncounted(late)

    async def _search(self, late: Sequence[str], since: float, known: Known, has_enough: Callable[[], bool]) -> None:
        limit = LONG_SEARCH if self.query.span.begin or self.query.span.end or self.query.span.last else SHORT_SEARCH
        until = {key: min(self._until(), self.memory_from[key] + SEAM) for key in late}
        in_memory = KnownChanges(known)
        self.is_searching = True
        pages = self._recorded.search(
            late, since, until, wants_version=self._wants_version, wants_entry=self.query.matches
        )
        async with aclosing(pages) as each_page:
            async for page in each_page:
                is_first, found = not self.entries, [each for each in page.entries if not in_memory.has(*each)]
                self.entries += found
                self.complete_from, self.searched = page.back_to, page.searched
                if page.entries and has_enough():
                    return
                if page.searched >= limit:
                    self.is_limited = True
                    return
                if (found and is_first) or self._clock.now() - self._shown_at >= SHOW_INTERVAL:
                    self._show()
        self.complete_from = -math.inf

    def has(self, key: str, entry: Entry) -> bool:
        """Whether an entry that comes into memory only now is read from history: those of a moment of the past do."""
        return self.is_used and key in self._not_in_memory and entry.time < self.memory_from[key]

    def bounds(self) -> tuple[float, float]:
        """Begin and end of the histogram."""
        return self.query.span.histogram_bounds(self._clock.time(), min(self.known_from, self._memory_edge(self._keys)))

    def _wants_version(self, version: Version) -> bool:
        about, op = version.object, version.operation.counts_as
        return op is not None and self.query.may_match(about.kind, op, about.namespace, about.name)

    def _memory_edge(self, keys: Sequence[str]) -> float:
        return max((self.memory_from[key] for key in keys), default=-math.inf)

    def _since(self) -> float:
        since = self.query.span.since(self._clock.time())
        return (self.begin or 0.0) if since is None else max(since, self.begin or 0.0)

    def _until(self) -> float:
        """The end of the span, which it includes."""
        end = self.query.span.end
        now = self._clock.time()
        return now if end is None else min(end + 1e-6, now)

    def _show(self) -> None:
        self._shown_at = self._clock.now()
        self._on_change()
