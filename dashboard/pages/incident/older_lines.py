"""Lines of a family that only history has: of its members by their names, and of Events and objects that are gone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import islice

from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.version import Version
from dashboard.live.moments.recorded_feed import SEAM, KnownChanges, RecordedFeed, RecordedGap, change_identity
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.incident.family import Family
from informerd.clock import Clock, within

logger = logging.getLogger(__name__)

EVENTS = "events"
READ_SECONDS = 3.0
"""Seconds that history is read for a page."""
MAX_NAMED = 30
"""Most members whose changes are read by their names."""
MAX_OF_EACH = 50
"""Most changes of a member."""
MAX_SEARCHED = 20_000
"""Most changes that are searched for Events, and for objects that are gone."""
MAX_FOUND = 600


@dataclass(slots=True)
class OlderLines:
    """What history has of a family."""

    lines: list[tuple[str, Entry]] = field(default_factory=list)
    """Kind and entry, newest first, without those that memory has."""
    gaps: list[RecordedGap] = field(default_factory=list)
    complete_from: dict[str, float] = field(default_factory=dict)
    """By kind, Unix seconds from when on every change of the family is known, gaps aside."""


async def read_older_lines(
    recorded: RecordedFeed | None,
    history: ReadableHistory,
    family: Family,
    known: Sequence[tuple[str, Entry]],
    clock: Clock,
    *,
    is_told: Callable[[str, Entry, Family], bool],
) -> OlderLines:
    """What history has that is older than `history`, for READ_SECONDS at most. `is_told` says which lines are wanted;
    `known` are those of memory.
    """
    older = OlderLines()
    if recorded is None:
        return older
    try:
        async with within(READ_SECONDS, clock):
            await _Reading(recorded, history, family, clock, is_told, older, known).read()
    except TimeoutError:
        logger.info("history was read for %g s for the time line of %s, and not to its end", READ_SECONDS, family.name)
    except HistoryUnavailable as error:
        logger.info("the time line of %s lacks what is in history: %s", family.name, error)
    older.lines.sort(key=lambda each: each[1].time, reverse=True)
    return older


class _Reading:
    def __init__(
        self,
        recorded: RecordedFeed,
        history: ReadableHistory,
        family: Family,
        clock: Clock,
        is_told: Callable[[str, Entry, Family], bool],
        older: OlderLines,
        known: Sequence[tuple[str, Entry]],
    ) -> None:
        self._recorded = recorded
        self._family = family
        self._is_told = is_told
        self._older = older
        self._known = KnownChanges(known)
        self._taken: set[tuple[str, str, str, float]] = set()
        now = clock.time()
        keys = [key for key in (*family.keys, EVENTS) if key in KINDS or key in family.keys]
        self._until = {key: min(history.complete_from(key) + SEAM, now) for key in dict.fromkeys(keys)}
        names = {name for _, _, name in family.places}
        self._names = frozenset(names)
        self._prefixes = tuple(f"{name}{mark}" for name in names for mark in "-.")

    async def read(self) -> None:
        """Read all, the members first."""
        begin = await self._recorded.begin()
        self._until = {key: until for key, until in self._until.items() if begin is not None and begin < until}
        if begin is None or not self._until:
            return
        recorded = await self._recorded.recorded_since(self._until)
        self._older.gaps = await self._recorded.gaps(recorded, begin, max(self._until.values()) - SEAM)
        for key, namespace, name in islice([self._family.place, *self._family.places], MAX_NAMED):
            if key in self._until:
                found = await self._recorded.entries_of(key, namespace, name, self._until[key], MAX_OF_EACH)
                self._take(found)
        searched_from = await self._search(begin)
        self._older.complete_from |= {key: max(since, searched_from) for key, since in recorded.items()}

    async def _search(self, begin: float) -> float:
        """Search Events and what is gone. Returns how far back that is done, in Unix seconds."""
        pages = self._recorded.search(
            [*self._until], begin, self._until, wants_version=self._may_be_told, wants_entry=self._wants
        )
        async with aclosing(pages) as each_page:
            async for page in each_page:
                self._take(page.entries)
                if page.searched >= MAX_SEARCHED or len(self._older.lines) >= MAX_FOUND:
                    return page.back_to
                await asyncio.sleep(0)
        return begin

    def _may_be_told(self, version: Version) -> bool:
        name = version.object.name
        return name in self._names or name.startswith(self._prefixes)

    def _wants(self, key: str, entry: Entry) -> bool:
        return self._is_told(key, entry, self._family)

    def _take(self, lines: Sequence[tuple[str, Entry]]) -> None:
        for each in lines:
            change = *change_identity(*each), each[1].time
            if change not in self._taken and not self._known.has(*each) and self._wants(*each):
                self._taken.add(change)
                self._older.lines.append(each)
