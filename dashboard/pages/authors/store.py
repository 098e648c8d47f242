"""Who wrote what: kept in Django's database, so that all web processes know, and for as long as a draft may wait."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass

from dashboard.authors.models import Authored
from dashboard.drafts.database import REST, Database, Unavailable
from dashboard.drafts.draft import Whose
from informerd.clock import Clock, sleep_or

logger = logging.getLogger(__name__)

KEPT_FOR = 14 * 24 * 3600.0
"""Seconds; a draft that was begun before that is kept no longer either."""
MOST_WAITING = 5_000
"""Writes that wait for a database that is slow; the oldest are forgotten above it."""
GATHERED = 0.1
"""Seconds: what comes after a write that was kept at once is kept together, as of a run over many objects."""
AGAIN = REST + 1.0
"""Seconds after which what could not be kept is tried once more, and then no more."""
LONGEST = 64
"""Characters of a uid or resourceVersion that is kept; the API server's have 36 and fewer than 20."""
NEWEST = 20
"""Writes of one object that are looked at."""


@dataclass(frozen=True, slots=True)
class Write:
    """One write that the API server took; see dashboard.authors.models.Authored."""

    uid: str
    version: str
    at: str
    whose: Whose


class Authors:
    """Never raises, and no page waits for what is remembered: where the database cannot be used, nobody is named."""

    def __init__(self, clock: Clock, database: Database | None = None) -> None:
        self._clock = clock
        self._database = database or Database(clock, keeps="names of who wrote")
        self._waiting: deque[tuple[Write, float]] = deque(maxlen=MOST_WAITING)
        self._task: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    def remember(self, write: Write) -> None:
        """Keep it, soon. Of somebody who neither signed in nor has the cookie of a browser nothing is kept."""
        if not (write.whose.owner or write.whose.browser) or max(map(len, (write.uid, write.version))) > LONGEST:
            return
        self._waiting.append((write, self._clock.time()))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep(), name="the names of who wrote")

    async def of(self, uid: str) -> tuple[Write, ...]:
        """The writes of an object that are known, newest first, at most NEWEST."""
        try:
            return await self._database.ask(_of, uid)
        except Unavailable:
            return ()

    async def stop(self) -> None:
        """Returns once what was to be remembered is kept, or cannot be."""
        self._ending.set()
        if self._task is not None:
            await self._task
        self._ending.clear()

    async def _keep(self) -> None:
        while self._waiting:
            writes = tuple(self._waiting)
            self._waiting.clear()
            if not await self._kept(writes):
                await sleep_or(self._ending, AGAIN, self._clock)
                await self._kept(writes)
            if self._waiting:
                await sleep_or(self._ending, GATHERED, self._clock)

    async def _kept(self, writes: tuple[tuple[Write, float], ...]) -> bool:
        try:
            await self._database.ask(_keep, writes, self._clock.time())
        except Unavailable as error:
            logger.debug("%d writes are nobody's: %s", len(writes), error)
            return False
        return True


def _keep(alias: str, writes: tuple[tuple[Write, float], ...], now: float) -> None:
    Authored.objects.using(alias).filter(made__lt=now - KEPT_FOR).delete()
    Authored.objects.using(alias).bulk_create(
        Authored(
            uid=write.uid,
            version=write.version,
            at=write.at,
            owner=write.whose.owner,
            browser=write.whose.browser,
            made=made,
        )
        for write, made in writes
    )


def _of(alias: str, uid: str) -> tuple[Write, ...]:
    found = Authored.objects.using(alias).filter(uid=uid).order_by("-pk")[:NEWEST]
    return tuple(Write(each.uid, each.version, each.at, Whose(each.owner, each.browser)) for each in found)
