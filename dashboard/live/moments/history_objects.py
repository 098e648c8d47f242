"""Reads of history for moments, in threads: the event loop waits for none of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from dashboard.live.history.list_differences import DifferenceStep, list_differences
from dashboard.live.history.part import FOREVER, HistoryUnavailable
from dashboard.live.history.part_reader import ChangeCounts
from dashboard.live.history.reader import (
    GRACE,
    MANY,
    ChangedState,
    ChangesWithStates,
    HistoryReader,
    RecordedWrite,
    SearchStep,
    VersionPlace,
)
from dashboard.live.history.version import CHANGES, Gap, ObjectName, StoredVersion, Version
from dashboard.live.history.version_codec import DamagedVersion
from dashboard.live.moments.past_objects import KnownAt, PastPage
from dashboard.runtime.app_state import Key
from informerd.clock import Clock
from informerd.log_throttle import LogThrottle

logger = logging.getLogger(__name__)
T = TypeVar("T")
MICROSECONDS = 1_000_000
THREADS = 2
RETRY = 0.5
"""Seconds between two looks whether the newest changes are written."""
FIRST_WINDOW = 60
"""Seconds after a moment that are read first for the next change; then four times as many, and so on."""


NOT_READABLE = "its database cannot be used now, and Deltaboard's log says why"
MAX_SEARCHED = 200_000
"""Most changes that are looked at for the next one of a list: some seconds."""


class SearchLimit(Exception):
    """A search has ended before it has found anything; `at` is how far it came, in Unix seconds."""

    def __init__(self, at: float) -> None:
        super().__init__(f"nothing was found among {MAX_SEARCHED:,} changes")
        self.at = at


class HistoryObjects:
    """PastObjects of the history that `reader` returns; it returns None while there is none."""

    def __init__(self, reader: Callable[[], HistoryReader | None], clock: Clock) -> None:
        self._reader = reader
        self._clock = clock
        self._now = clock.time
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="history")
        self._failures = LogThrottle(clock)

    async def begin(self) -> float | None:
        """Unix seconds of the oldest moment that can be shown; None where there is none."""
        begin = await self._ask(lambda reader: reader.begin())
        return None if begin is None else begin / MICROSECONDS

    async def recorded_since(self, key: str) -> float | None:
        """Unix seconds of the oldest moment at which a kind was recorded; None where it never was."""
        since = await self._ask(lambda reader: reader.recorded_since(key))
        return None if since is None else since / MICROSECONDS

    async def wait_until_recorded(self, keys: Sequence[str], at: float) -> None:
        """Wait until all changes of these kinds up to a moment are recorded: for one of the last seconds, a little."""
        while self._now() - at < GRACE / MICROSECONDS:
            if await self._ask(lambda reader: all(reader.is_recorded(key, _micro(at)) for key in keys)):
                return
            await self._clock.sleep(RETRY)

    async def known_at(self, key: str, at: float) -> KnownAt:
        """What there is of a kind at Unix time `at`."""
        gap = await self._ask(lambda reader: reader.gap_at(key, _micro(at)))
        if gap is None:
            return KnownAt(True)
        if not gap.since:
            return KnownAt(False, gap_reason=gap.reason)
        return KnownAt(True, gap.since / MICROSECONDS, gap.reason)

    async def changes_before(self, key: str, at: float, seconds: float, most: int) -> ChangesWithStates:
        """The newest changes of a kind in the seconds before a moment, `most` at most, the moment's own included."""
        since, until = _micro(at - seconds), _micro(at) + 1
        return await self._ask(lambda reader: reader.changes_with_states(key, since, until, most))

    async def object_at(self, key: str, namespace: str, name: str, at: float) -> bytes | None:
        """The JSON of one object as it was then, of one that had just been deleted its last state; None where there was
        none.
        """
        found = await self._ask(lambda reader: reader.object_at(key, namespace, name, _micro(at)))
        return None if found is None else found.json

    async def objects_at(self, key: str, at: float) -> AsyncIterator[PastPage]:
        """The kind's objects as they were then, in pages."""
        steps = await self._ask(lambda reader: reader.objects_at(key, _micro(at)))
        while (step := await self._ask(lambda _: next(steps, None))) is not None:
            yield PastPage([stored.json for stored in step.objects], step.total - step.done)

    async def changes(self, keys: Sequence[str], since: float, until: float) -> AsyncGenerator[SearchStep]:
        """The changes of these kinds from `since` and before `until`, newest first, in steps that are read as they are
        taken, those that find none, too. What was only found, or is no longer seen, is none.
        """
        steps = await self._ask(lambda reader: reader.search(_micro(since), _micro(until), keys, CHANGES))
        while (step := await self._ask(lambda _: next(steps, None))) is not None:
            yield step

    async def with_states(self, versions: Sequence[Version]) -> list[ChangedState]:
        """These changes with the states before and after them, in no order."""
        return await self._ask(lambda reader: reader.with_states(versions))

    async def change_counts(self, keys: Sequence[str], since: float, until: float, step: int) -> list[ChangeCounts]:
        """How many changes there were from `since` and before `until`, in steps of `step` seconds."""
        return await self._ask(lambda reader: reader.change_counts(_micro(since), _micro(until), step, keys))

    async def next_change(
        self,
        at: float,
        kinds: Sequence[str],
        is_shown: Callable[[Version], bool],
        *,
        place: tuple[str, str] | None = None,
        earlier: bool = False,
    ) -> float | None:
        """Unix seconds of the first change after `at` of what is shown, or the last one before; None: there is none.

        With `place`, a namespace and a name, of this object of the one kind. Otherwise SearchLimit is raised after
        MAX_SEARCHED changes of others.
        """
        if place is not None:
            return await self._ask(partial(_next_of_object, _micro(at), kinds[0], place, is_shown, earlier, self._now))
        return await self._ask(partial(_next_change, _micro(at), kinds, is_shown, earlier, self._now))

    async def newest_states(self, name: ObjectName, before: float | None, most: int) -> list[ChangedState]:
        """The newest versions before Unix time `before` of the objects of a name, of its uid where it has one; None: of
        all. Newest first, each with the state before it.
        """
        until = FOREVER if before is None else _micro(before)
        return await self._ask(
            lambda reader: reader.newest_states(name.kind, name.namespace, name.name, until, most, name.uid)
        )

    async def version_at(self, name: ObjectName, at: float) -> StoredVersion | None:
        """The last version at a moment or before of the object that had the name then; None where there was none."""
        return await self._ask(lambda reader: reader.object_at(name.kind, name.namespace, name.name, _micro(at)))

    async def write_of(self, name: ObjectName, resource_version: str, since: float = 0.0) -> RecordedWrite | None:
        """The write that made a resourceVersion of an object, at Unix time `since` or later; None where there is
        none.
        """
        return await self._ask(lambda reader: reader.write_of(name, resource_version, _micro(since)))

    async def state_before_deletion(self, name: ObjectName, resource_version: str) -> StoredVersion | None:
        """The last version of an object before its deletion was asked for, on top of that resourceVersion; None where
        it is not known.
        """
        return await self._ask(lambda reader: reader.state_before_deletion(name, resource_version))

    async def list_differences(
        self,
        key: str,
        since: float,
        until: float,
        namespaces: frozenset[str] | None,
        read_step: Callable[[DifferenceStep], T],
        *,
        reads_all: bool,
    ) -> AsyncIterator[T]:
        """What `read_step` makes of each step of the differences of a kind between two moments; it is called in a
        thread. See dashboard.live.history.list_differences.
        """
        steps = await self._ask(
            lambda reader: list_differences(reader, key, _micro(since), _micro(until), namespaces, reads_all=reads_all)
        )

        def read_next(_: HistoryReader) -> tuple[T] | None:
            step = next(steps, None)
            return None if step is None else (read_step(step),)

        while (found := await self._ask(read_next)) is not None:
            yield found[0]

    async def states_of(self, places: Sequence[VersionPlace], at: float) -> dict[str, bytes]:
        """The JSON of versions of one moment by uid, of those that are still there."""
        return await self._ask(lambda reader: reader.states_of(places, _micro(at)))

    async def gaps(self, key: str, since: float, until: float) -> list[Gap]:
        """The times in which not all changes of a kind were recorded."""
        return await self._ask(lambda reader: reader.gaps(key, _micro(since), _micro(until)))

    async def whole_gaps(self, key: str, since: float, until: float) -> list[Gap]:
        """The same, but one that began before `since` has its own beginning."""
        return await self._ask(lambda reader: reader.whole_gaps(key, _micro(since), _micro(until)))

    async def find_ended(self, text: str, key: str, limit: int, is_wanted: Callable[[Version], bool]) -> list[Version]:
        """Objects of a kind that are not there any more and have `text` in their names, those that ended last first.
        `is_wanted` says of each whether it is one of the `limit`; it is called in a thread.
        """
        return await self._ask(lambda reader: reader.find_ended(text, key, limit, is_wanted))

    async def _ask(self, question: Callable[[HistoryReader], T]) -> T:
        reader = self._reader()
        if reader is None:
            raise HistoryUnavailable("no history is open yet")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, question, reader)
        except DamagedVersion as error:
            raise HistoryUnavailable(f"what is stored is damaged: {error}") from error
        except HistoryUnavailable as error:  # its words have the database's address, which is not for everybody
            if count := self._failures.count("read"):
                logger.warning("the history cannot be read (failure %d): %s", count, error)
            raise HistoryUnavailable(NOT_READABLE) from error


HISTORY: Key[HistoryObjects | None] = Key("history")
"""None where no history is kept."""


def _micro(at: float) -> int:
    return round(at * MICROSECONDS)


def _next_of_object(
    at: int,
    kind: str,
    place: tuple[str, str],
    is_shown: Callable[[Version], bool],
    earlier: bool,
    now: Callable[[], float],
    reader: HistoryReader,
) -> float | None:
    """By the index of names, however much else has changed."""
    if earlier:
        versions = reader.newest_versions(kind, *place, at, 1)
    else:
        following = reader.next_version(kind, *place, at + 1)
        versions = [following] if following is not None and following.time <= _micro(now()) else []
    return next((version.time / MICROSECONDS for version in versions if is_shown(version)), None)


def _next_change(
    at: int,
    kinds: Sequence[str],
    is_shown: Callable[[Version], bool],
    earlier: bool,
    now: Callable[[], float],
    reader: HistoryReader,
) -> float | None:
    searched = 0
    if earlier:
        for step in reader.changes(0, at, kinds):
            found = next((version.time for version in step if is_shown(version)), None)
            if found is not None:
                return found / MICROSECONDS
            searched += len(step)
            if searched >= MAX_SEARCHED:
                raise SearchLimit(step[-1].time / MICROSECONDS)
        return None
    since, window, last = at + 1, FIRST_WINDOW * MICROSECONDS, _micro(now())
    while since <= last:
        until, number, found = min(since + window, last + 1), 0, None
        for step in reader.changes(since, until, kinds):
            number += len(step)
            found = min((version.time for version in step if is_shown(version)), default=found)
        if found is not None:
            return found / MICROSECONDS
        searched += number
        if searched >= MAX_SEARCHED and until <= last:
            raise SearchLimit((until - 1) / MICROSECONDS)
        since, window = until, window * 4 if number < MANY else max(MICROSECONDS, window // 2)
    return None
