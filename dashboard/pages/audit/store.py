"""Store of the audit log: entries of all requests of this process, appended together, in their order."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from dashboard.pages.audit.chain import StoredEntry, append_entries, cut_entries, retention_due
from dashboard.pages.audit.entry import NewEntry
from dashboard.pages.audit.seal import Sealer
from dashboard.runtime.database_executor import FAILURE_PAUSE, DatabaseExecutor, Unavailable
from informerd.clock import Clock, sleep_or

logger = logging.getLogger(__name__)

MAX_BATCH = 200
"""Most entries of one transaction."""
MAX_PENDING = 20_000
"""Most outcomes that wait for a database that cannot be used; of more the oldest are given up, and logged."""
RETRY_DELAY = FAILURE_PAUSE + 1.0
"""Seconds after which outcomes that could not be stored are tried again."""
RETENTION_INTERVAL = 60.0
"""Seconds between two looks for entries that are too many or too old, while entries come."""
MEBIBYTE = 1024 * 1024
DAY = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Retention:
    """How much is kept. 0 is without limit."""

    mebibytes: int = 0
    days: int = 0

    def max_bytes(self) -> int:
        return self.mebibytes * MEBIBYTE if self.mebibytes else sys.maxsize

    def oldest(self, now: float) -> float:
        """Unix seconds."""
        return now - self.days * DAY if self.days else 0.0


@dataclass
class _Waiting:
    entry: NewEntry
    stored: asyncio.Future[None]
    is_given_up: bool = False
    """Whether it is not stored any more where it fails once: nobody waits for an intent that came too late."""


class AuditStore:
    """Appends entries. Those that come while others are being stored are stored together, in one transaction, so that
    many writers do not wait for one another. `print_line` gets each stored entry as a line of JSON.
    """

    def __init__(
        self,
        clock: Clock,
        database: DatabaseExecutor,
        sealer: Sealer,
        retention: Retention = Retention(),
        print_line: Callable[[str], None] | None = None,
        *,
        reader: DatabaseExecutor | None = None,
    ) -> None:
        self._clock = clock
        self._database = database
        self.reader = reader or database
        """For those who read the audit log. One of their own, so that a slow filter does not keep entries waiting."""
        self._sealer = sealer
        self._retention = retention
        self._print_line = print_line
        self._waiting: list[_Waiting] = []
        self._task: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()
        """Set by what should not wait for RETRY_DELAY."""
        self._is_ending = False
        self._cut_at = float("-inf")

    async def store(self, entry: NewEntry) -> None:
        """Returns once the entry is stored. Raises Unavailable where it is not; it is not tried again."""
        await self._add(entry, is_given_up=True)

    def keep(self, entry: NewEntry) -> asyncio.Future[None]:
        """Have the entry stored, as often as that takes; the result is done once it is stored."""
        if len(self._waiting) >= MAX_PENDING:
            first = next((each for each in self._waiting if not each.is_given_up), None)
            if first is not None:
                self._waiting.remove(first)
                first.stored.cancel()
                logger.error("the outcome of the recorded request %s is given up", first.entry.record)
        return self._add(entry)

    async def stop(self) -> None:
        """Returns once all entries are stored, or were tried once more."""
        self._is_ending = True
        self._woken.set()
        if self._task is not None:
            await self._task
        self._is_ending = False

    def _add(self, entry: NewEntry, *, is_given_up: bool = False) -> asyncio.Future[None]:
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        stored.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may wait for it any more
        self._waiting.append(_Waiting(entry, stored, is_given_up))
        self._woken.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._store_all(), name="the audit log")
        return stored

    async def _store_all(self) -> None:
        while self._waiting:
            await self._store_waiting()
            await self._cut()  # more may come meanwhile

    async def _store_waiting(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            batch = [each for each in batch if not (each.is_given_up and each.stored.cancelled())]
            was_ending = self._is_ending
            if not batch or await self._is_stored(batch):
                continue
            if was_ending and self._waiting:
                logger.error("%d outcomes are not in the audit log: the process ends", len(self._waiting))
                self._waiting.clear()
                return
            if self._waiting and not any(each.is_given_up for each in self._waiting):
                self._woken.clear()
                await sleep_or(self._woken, RETRY_DELAY, self._clock)

    async def _is_stored(self, batch: list[_Waiting]) -> bool:
        try:
            stored = await self._database.ask(append_entries, self._sealer, [each.entry for each in batch])
        except Unavailable as error:
            again = []
            for each in batch:
                if each.is_given_up:
                    if not each.stored.done():
                        each.stored.set_exception(error)
                else:
                    again.append(_Waiting(replace(each.entry, may_be_stored=True), each.stored))
            self._waiting = again + self._waiting
            return False
        for each in batch:
            if not each.stored.done():
                each.stored.set_result(None)
        self._print(stored)
        return True

    def _print(self, stored: tuple[StoredEntry, ...]) -> None:
        if self._print_line is None:
            return
        try:
            for each in stored:
                self._print_line(each.line)
        except OSError as error:
            logger.warning("the audit log cannot be written to stdout: %s", error)

    async def _cut(self) -> None:
        """Delete what is too much or too old."""
        now = self._clock.time()
        if self._clock.now() - self._cut_at < RETENTION_INTERVAL:
            return
        self._cut_at = self._clock.now()
        max_bytes, oldest = self._retention.max_bytes(), self._retention.oldest(now)
        try:
            while await self._database.ask(retention_due, max_bytes, oldest):
                checkpoint = await self._database.ask(cut_entries, self._sealer, max_bytes, oldest, now)
                if checkpoint is None or self._is_ending:
                    return
                self._print((checkpoint,))
                logger.info("the audit log's oldest entries were deleted, as DELTABOARD_AUDIT_MEGABYTES and _DAYS say")
        except Unavailable as error:
            logger.debug("the audit log's oldest entries could not be deleted: %s", error)
