"""Recorder of what people do: an entry before a request is sent, and one with what came of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from dashboard.pages.audit.entry import Actor, NewEntry, Operation, Outcome, intent_entry, new_record, outcome_entry
from dashboard.pages.audit.store import AuditStore
from dashboard.runtime.app_state import Key
from dashboard.runtime.database_executor import Unavailable
from informerd.clock import Clock
from informerd.errors import CallRefused
from informerd.lru_cache import LruCache

OUTCOME_WAIT = 3.0
"""Seconds that an answer waits for its outcome to be stored; it is stored later then."""
READ_INTERVAL = 300.0
"""Seconds in which further reads of the same Secret by the same person are no entries of their own: an editor reads it
again with each check.
"""
MAX_READS = 10_000
"""Most reads that are remembered for that."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A request whose intent is stored."""

    record: str
    server: str
    actor: Actor
    operation: Operation


@dataclass
class OutcomeSlot:
    """Where the body of `AuditRecorder.recorded` says what came of it; unknown, unless it says something."""

    outcome: Outcome = Outcome("unknown")  # noqa: RUF009 -- it is immutable


class AuditRecorder:
    """Records what is done with the clients of `dashboard.pages.audit.observer`, and what is done inside `recorded`.

    Without a `store` nothing is recorded.
    """

    def __init__(self, clock: Clock, store: AuditStore | None = None) -> None:
        self._clock = clock
        self.store = store
        self._reads: LruCache[tuple[str, ...], float] = LruCache(MAX_READS)

    @property
    def is_on(self) -> bool:
        return self.store is not None

    @property
    def _used_store(self) -> AuditStore:
        if self.store is None:
            raise RuntimeError("nothing is recorded here; ask is_on first")
        return self.store

    @contextlib.asynccontextmanager
    async def recorded(self, server: str, actor: Actor, operation: Operation) -> AsyncIterator[OutcomeSlot]:
        """Record the body of the ``async with`` as an operation, for what is no request of a client: a terminal, say.

        Raises CallRefused before the body where the audit log cannot be written.
        """
        slot = OutcomeSlot()
        if self.store is None:
            yield slot
            return
        pending = await self.begin(server, actor, operation)
        waits = True
        try:
            yield slot
        except asyncio.CancelledError:
            waits = False
            raise
        finally:
            stored = self.complete(pending, slot.outcome)
            if waits:
                await wait_for_outcome(stored)

    async def begin(self, server: str, actor: Actor, operation: Operation) -> Pending:
        """Store the intent. Raises CallRefused where that cannot be done."""
        pending = Pending(new_record(), server, actor, operation)
        entry = intent_entry(pending.record, self._clock.time(), server, actor, operation)
        try:
            await self._used_store.store(entry)
        except Unavailable as error:
            if isinstance(error.__cause__, TimeoutError):
                self._give_up(pending)
            raise CallRefused(
                "The audit log cannot be written now, so nothing was sent. Try again when the database "
                f"answers. The error: {error}"
            ) from error
        except asyncio.CancelledError:
            self._give_up(pending)
            raise
        return pending

    def complete(self, pending: Pending, outcome: Outcome) -> asyncio.Future[None]:
        """Have the outcome stored, as often as that takes; the result is done once it is."""
        return self._used_store.keep(self._outcome(pending, outcome))

    def is_fresh_read(self, *read: str) -> bool:
        """Whether such a read was recorded less than READ_INTERVAL ago."""
        at = self._reads.get(read)
        return at is not None and self._clock.now() - at < READ_INTERVAL

    def remember_read(self, *read: str) -> None:
        """Remember that such a read was recorded."""
        self._reads.put(read, self._clock.now())

    async def stop(self) -> None:
        """Returns once all outcomes are stored, or have failed."""
        if self.store is not None:
            await self.store.stop()

    def _give_up(self, pending: Pending) -> None:
        """Complete an intent that may have been stored all the same."""
        self._used_store.keep(self._outcome(pending, Outcome("not sent"), needs_intent=True))

    def _outcome(self, pending: Pending, outcome: Outcome, **flags: bool) -> NewEntry:
        return outcome_entry(
            pending.record, self._clock.time(), pending.server, pending.actor, pending.operation, outcome, **flags
        )


async def wait_for_outcome(stored: asyncio.Future[None]) -> None:
    """Wait until an outcome is stored, OUTCOME_WAIT seconds at most. Never raises for the database."""
    await asyncio.wait((stored,), timeout=OUTCOME_WAIT)


AUDIT: Key[AuditRecorder] = Key("the audit log")
