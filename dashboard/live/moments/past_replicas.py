"""All followed kinds as they were at a moment of the past. They are read one after the other, those that a page asks
for at once. What cannot be read is tried again.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Iterator
from contextlib import suppress

from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.moments.past_entries import MICROSECONDS, build_entries
from dashboard.live.moments.past_objects import PastObjects
from dashboard.live.moments.past_replica import PastReplica
from dashboard.live.moments.past_rows import PastRows
from dashboard.live.rendering.time_texts import utc_text
from dashboard.live.replication.replicas import ReplicaSource
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.thread_pools import run_in_thread
from informerd.clock import Clock

logger = logging.getLogger(__name__)

FEED_SECONDS = 3600.0
"""Seconds before the moment whose changes are in the feed; where it is in a gap, before the gap."""
MAX_ENTRIES = 2_000
"""Newest changes of a kind that are in the feed."""
RETRY_INTERVAL = 5.0
"""Seconds after which what could not be read is tried again."""
NOT_RECORDED = "History has nothing of {title}"
NOT_YET_RECORDED = "History of {title} begins later than this moment, at {since}"


class PastReplicas:
    """The kinds of `base` at Unix time `at`, as `history` has them. `run` reads them."""

    def __init__(self, base: ReplicaSource, history: PastObjects, at: float, clock: Clock) -> None:
        self.at = at
        self._clock = clock
        self.kinds: tuple[KindInfo, ...] = base.kinds
        self._history = history
        self._replicas = {kind.key: PastReplica(kind.key, at, base.get(kind.key).table) for kind in self.kinds}
        self._unread = [kind.key for kind in self.kinds]
        self._has_unread = asyncio.Event()
        self._known_until: dict[str, float] = {}
        """Kinds whose rows are all there, with the Unix seconds whose state these are."""
        self._unavailable: list[str] = []
        """Kinds for which history could not be read."""
        self._readers: asyncio.TaskGroup | None = None
        """Reads kinds side by side, while `run` reads them."""

    @property
    def channel_problem(self) -> str:
        """Nothing is received from a worker."""
        return ""

    def __iter__(self) -> Iterator[PastReplica]:
        return iter([*self._replicas.values()])

    def __contains__(self, key: str) -> bool:
        return key in self._replicas

    def get(self, key: str) -> PastReplica:
        """The replica of a kind. Raises KeyError for a kind that is not followed."""
        return self._replicas[key]

    def read_first(self, key: str) -> None:
        """Read this kind now, beside the one that is being read, or first of all."""
        if key not in self._unread:
            return
        self._unread.remove(key)
        if self._readers is None:
            self._unread.insert(0, key)
        else:
            self._readers.create_task(self._read(key))

    def add(self, kind: KindInfo) -> None:
        """Have a kind that is not followed now, and read it: it may have been followed then."""
        if kind.key in self._replicas:
            return
        self._replicas[kind.key] = PastReplica(kind.key, self.at)
        self.kinds += (kind,)
        self._unread.append(kind.key)
        self.read_first(kind.key)
        self._has_unread.set()

    async def run(self) -> None:
        """Read all kinds and those that are added, until cancelled. What cannot be read is tried again."""
        while True:
            await self.read_all()
            if self._unavailable:
                await self._clock.sleep(RETRY_INTERVAL)
                self._unread += self._unavailable
                self._unavailable.clear()
            elif not self._unread:
                self._has_unread.clear()
                await self._has_unread.wait()

    async def read_all(self) -> None:
        """Read all kinds that have not been read, then the changes before the moment."""
        known = {*self._known_until}
        with suppress(HistoryUnavailable):  # each kind says so
            await self._history.wait_until_recorded([*self._unread], self.at)
        try:
            async with asyncio.TaskGroup() as self._readers:
                while self._unread:
                    await self._read(self._unread.pop(0))
        finally:
            self._readers = None
        for key in [key for key in self._known_until if key not in known]:
            await self._read_changes(key)

    async def _read(self, key: str) -> None:
        kind, replica = self._kind(key), self._replicas[key]
        try:
            known = await self._history.known_at(key, self.at)
            if not known.is_recorded:
                since = await self._history.recorded_since(key)
                later = utc_text(math.ceil(since)) if since is not None else ""
                replica.fail((NOT_YET_RECORDED if later else NOT_RECORDED).format(title=kind.title, since=later))
                return
            rows = PastRows(kind.resource, replica.table)
            async for page in self._history.objects_at(key, self.at):
                replica.add(await run_in_thread(rows.build, page.objects), page.remaining)
                await asyncio.sleep(0)
        except HistoryUnavailable as error:
            self._unavailable.append(key)
            replica.fail(f"History cannot be read: {error}")
            return
        except Exception:
            logger.exception("%s could not be read from history", key)
            replica.fail("History could not be read: see the log of Deltaboard")
            return
        replica.finish(problem=known.gap_reason, since=known.gap_since)
        self._known_until[key] = self.at if known.gap_since is None else known.gap_since

    async def _read_changes(self, key: str) -> None:
        """Read the feed before the moment, of a kind whose rows are there."""
        replica, kind = self._replicas[key], self._kind(key)
        try:
            seconds = self.at - self._known_until[key] + FEED_SECONDS
            found = await self._history.changes_before(key, self.at, seconds, MAX_ENTRIES)
            rows = PastRows(kind.resource, replica.table)
            entries = await run_in_thread(build_entries, key, rows, found.changes)
        except HistoryUnavailable as error:
            logger.warning("the changes of %s could not be read from history: %s", key, error)
        except Exception:
            logger.exception("the changes of %s could not be read from history", key)
        else:
            gaps = {
                (gap.since / MICROSECONDS, min(math.inf if gap.until is None else gap.until / MICROSECONDS, self.at)): (
                    gap.reason
                )
                for gap in found.gaps
            }
            replica.add_entries(entries, found.complete_from / MICROSECONDS, gaps)

    def _kind(self, key: str) -> KindInfo:
        return next(kind for kind in self.kinds if kind.key == key)
