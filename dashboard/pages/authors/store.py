"""Store of authors in Django's database, shared by all web processes and kept as long as drafts."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass

from dashboard.access.identity import Identity
from dashboard.pages.authors.models import Authored
from dashboard.runtime.app_state import Key
from dashboard.runtime.database_executor import FAILURE_PAUSE, DatabaseExecutor, Unavailable
from informerd.clock import Clock, sleep_or

logger = logging.getLogger(__name__)

RETENTION = 14 * 24 * 3600.0
"""Seconds; drafts are kept no longer either."""
MAX_PENDING = 5_000
"""Most writes that wait for a slow database; above it the oldest are dropped."""
BATCH_DELAY = 0.1
"""Seconds: writes that follow another one within this time are stored together, as in a bulk run."""
RETRY_DELAY = FAILURE_PAUSE + 1.0
"""Seconds after which a failed save is tried again, once."""
MAX_LENGTH = 64
"""Longest uid or resourceVersion that is stored; the API server's have 36 and fewer than 20 characters."""
MAX_WRITES = 20
"""Most writes of one object that are compared."""


@dataclass(frozen=True, slots=True)
class Write:
    """One write that the API server accepted; see dashboard.pages.authors.models.Authored."""

    uid: str
    version: str
    at: str
    identity: Identity


class AuthorStore:
    """Never raises, and no page waits for a save: where the database cannot be used, authors are unknown."""

    def __init__(self, clock: Clock, database: DatabaseExecutor | None = None) -> None:
        self._clock = clock
        self._database = database or DatabaseExecutor(clock, content="names of who wrote")
        self._waiting: deque[tuple[Write, float]] = deque(maxlen=MAX_PENDING)
        self._saving: tuple[tuple[Write, float], ...] = ()
        self._task: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    def remember(self, write: Write) -> None:
        """Store the write soon. Writes of users with neither a sign-in nor a browser cookie are not stored."""
        if (
            not (write.identity.owner or write.identity.browser)
            or max(map(len, (write.uid, write.version))) > MAX_LENGTH
        ):
            return
        self._waiting.append((write, self._clock.time()))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep(), name="the names of who wrote")

    async def writes_of(self, uid: str) -> tuple[Write, ...]:
        """The known writes of an object, stored or about to be, newest first, at most MAX_WRITES."""
        unsaved = tuple(write for write, _ in reversed((*self._saving, *self._waiting)) if write.uid == uid)
        try:
            stored = await self._database.ask(_of, uid)
        except Unavailable:
            stored = ()
        return (*(write for write in unsaved if write not in stored), *stored)[:MAX_WRITES]

    async def stop(self) -> None:
        """Returns once pending writes are stored, or have failed."""
        self._ending.set()
        if self._task is not None:
            await self._task
        self._ending.clear()

    async def _keep(self) -> None:
        while self._waiting:
            self._saving = tuple(self._waiting)
            self._waiting.clear()
            if not await self._is_stored(self._saving):
                await sleep_or(self._ending, RETRY_DELAY, self._clock)
                await self._is_stored(self._saving)
            self._saving = ()
            if self._waiting:
                await sleep_or(self._ending, BATCH_DELAY, self._clock)

    async def _is_stored(self, writes: tuple[tuple[Write, float], ...]) -> bool:
        try:
            await self._database.ask(_keep, writes, self._clock.time())
        except Unavailable as error:
            logger.debug("the authors of %d writes were not stored: %s", len(writes), error)
            return False
        return True


AUTHORS: Key[AuthorStore] = Key("authors")


def _keep(alias: str, writes: tuple[tuple[Write, float], ...], now: float) -> None:
    Authored.objects.using(alias).filter(made__lt=now - RETENTION).delete()
    Authored.objects.using(alias).bulk_create(
        Authored(
            uid=write.uid,
            version=write.version,
            at=write.at,
            owner=write.identity.owner,
            browser=write.identity.browser,
            made=made_at,
        )
        for write, made_at in writes
    )


def _of(alias: str, uid: str) -> tuple[Write, ...]:
    records = Authored.objects.using(alias).filter(uid=uid).order_by("-pk")[:MAX_WRITES]
    return tuple(Write(each.uid, each.version, each.at, Identity(each.owner, each.browser)) for each in records)
