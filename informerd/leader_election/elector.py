"""Elector: acquires a lease, renews it and releases it (client-go tools/leaderelection).

It differs from client-go's where that lets two processes lead for some seconds: after a lease was deleted or edited by
hand, after a new process took the identity of an old one, and after a response was lost.
"""

from __future__ import annotations

import logging
import random
from collections import deque
from collections.abc import Callable

from informerd.clock import Clock, within
from informerd.errors import AlreadyExists, Conflict, InformerdError, LeaderElectionLost, NotFound
from informerd.leader_election.election_config import JITTER
from informerd.leader_election.leadership import Leadership
from informerd.leader_election.lease_lock import LeaseLock
from informerd.leader_election.lease_record import RELEASED_DURATION, LeaseRecord, micro_time
from informerd.log_throttle import LogThrottle, repeat_suffix

log = logging.getLogger(__name__)

_CHANGED = (Conflict, AlreadyExists, NotFound)
"""Errors of a write over a lease that has changed since it was read."""

_TENURES = 100
"""Tries to take a lease that are remembered: minutes of them, where a write arrives within seconds or never."""

_TRIES = 3
"""Number of tries of a write over a lease that somebody else edits without taking it."""


class Elector:
    """Works on one `leadership`. `run` acquires and renews until the lease is lost; `release` gives it up.

    Whether another's lease has expired is judged by how long it has not changed before this process's eyes, on the
    monotonic clock: the written times may come from any clock.
    """

    def __init__(
        self, store: LeaseLock, leadership: Leadership, *, clock: Clock, chance: Callable[[], float] = random.random
    ) -> None:
        self._store = store
        self._leadership = leadership
        self._election = leadership.election
        self._clock = clock
        self._chance = chance
        self._tenures: deque[str] = deque(maxlen=_TENURES)
        """The acquireTimes that this elector wrote, also where no answer came: a record with one of them is its own."""
        self._changed_at = clock.now()
        self._record = LeaseRecord()
        self._written_record = LeaseRecord()
        """The record that this elector wrote last."""
        self._logged = ""
        self._repeats = LogThrottle(clock)

    async def run(self) -> None:
        """Acquire the lease, however long that takes, and renew it. Raises LeaderElectionLost once it has led."""
        while True:
            await self._acquire()
            problem = await self._keep()
            led = self._leadership.has_begun
            self._leadership.end(problem)
            if led:
                raise LeaderElectionLost(self._store.name, problem)
            log.info(
                "lost the lease %s before it led: %s", self._store.name, problem, extra={"lease": self._store.name}
            )

    async def release(self) -> None:
        """Release the lease, where it is this elector's, so that the next one need not wait for its expiry.

        Call it when all leader-elected work has ended: from here on this process does not lead. Raises InformerdError.
        """
        self._leadership.end()
        now = micro_time(self._clock.time())
        for _ in range(_TRIES):
            await self._read()
            if not self._is_ours:
                return
            transitions = self._store.record.transitions
            given_up = LeaseRecord(duration=RELEASED_DURATION, acquired_at=now, renewed_at=now, transitions=transitions)
            try:
                await self._store.write(given_up)
            except Conflict:
                continue
            self._leadership.record_lease(given_up)
            log.info("released the lease %s", self._store.name, extra={"lease": self._store.name})
            return

    async def _acquire(self) -> None:
        period = self._election.retry_period
        fields = {"lease": self._store.name, "identity": self._election.identity}
        log.info("trying to acquire the lease %s as %s", *fields.values(), extra=fields)
        while True:
            try:
                if await self._try_to_take():
                    return
            except (Conflict, AlreadyExists):
                log.debug("another process took the lease %s first", self._store.name)
            except InformerdError as error:
                self._say("cannot acquire the lease", error)
            await self._clock.sleep(period * (1 + JITTER * self._chance()))

    async def _try_to_take(self) -> bool:
        """Acquire the lease if it is free. Returns whether it was."""
        await self._read()
        record = self._store.record
        if self._store.body is None:
            await self._take(transitions=0)
        elif self._is_ours:
            await self._write(record.acquired_at, record.transitions)
        elif self._expires_at > self._clock.now():
            self._say_holder()
            return False
        else:
            await self._take(transitions=record.transitions + 1)
            self._begin(0.0)
            return True
        # who led by a lease that was deleted may not have noticed yet; its time will be up by then
        self._begin(self._election.renew_deadline)
        return True

    async def _keep(self) -> str:
        """Renew the lease until it is lost. Returns the reason."""
        while True:
            await self._clock.sleep(self._election.retry_period)
            problem = await self._renew_in_time()
            if problem:
                return problem

    async def _renew_in_time(self) -> str:
        """Renew, by as many tries as the time allows. Returns the reason of a failure, or ""."""
        why = ""
        while (left := self._leadership.seconds_held) > 0:
            try:
                async with within(left, self._clock):
                    return await self._renew()
            except InformerdError as error:
                why = self._say("cannot renew the lease", error)
            except TimeoutError:
                why = why or "no answer came in time"
            await self._clock.sleep(min(self._election.retry_period, self._leadership.seconds_held))
        return f"not renewed for {self._election.renew_deadline:g} s: {why or 'this process stood still'}"

    async def _renew(self) -> str:
        """Renew once; returns the reason why the lease is lost, or "". Raises other errors of the API server."""
        for last in (False,) * (_TRIES - 1) + (True,):
            try:
                await self._write(self._written_record.acquired_at, self._written_record.transitions)
            except _CHANGED:
                if last:
                    raise
            else:
                self._end_repeats()
                return ""
            await self._read()
            if self._store.body is not None and not self._is_ours:
                holder = self._store.record.holder
                return f"{holder} holds it now" if holder else "the lease was cleared: it has no holder"
        raise AssertionError("the last try returns or raises")

    async def _read(self) -> None:
        await self._store.read()
        record = self._store.record
        if record != self._record:
            self._record = record
            self._changed_at = self._clock.now()
        self._leadership.record_lease(record)

    @property
    def _is_ours(self) -> bool:
        """Whether this elector wrote it. The identity alone does not prove it: a predecessor may have had it too."""
        record = self._store.record
        return record.holder == self._election.identity and record.acquired_at in self._tenures

    @property
    def _expires_at(self) -> float:
        """Expiry in monotonic seconds. A holder with no or a shorter duration gets the configured one."""
        record = self._store.record
        if record.is_released:
            return self._changed_at
        return self._changed_at + max(record.duration, self._election.lease_duration)

    async def _take(self, *, transitions: int) -> None:
        now = micro_time(self._clock.time())
        self._tenures.append(now)
        await self._write(now, transitions)

    async def _write(self, acquired_at: str, transitions: int) -> None:
        sent = self._clock.now()
        record = LeaseRecord(
            holder=self._election.identity,
            duration=int(self._election.lease_duration),
            acquired_at=acquired_at,
            renewed_at=micro_time(self._clock.time()),
            transitions=transitions,
        )
        await self._store.write(record)
        self._written_record = record
        self._leadership.extend(sent, record)

    def _begin(self, delay: float) -> None:
        self._leadership.begin(self._clock.now() + delay)
        self._end_repeats()
        self._logged = ""
        wait = f"; it leads in {delay:g} s, when the lease of a possible earlier holder has expired" if delay else ""
        fields = {"lease": self._store.name, "identity": self._election.identity}
        log.info("acquired the lease %s as %s%s", self._store.name, self._election.identity, wait, extra=fields)

    def _say(self, what: str, error: Exception) -> str:
        """Log what failed and what to do about it; returns the reason and the advice."""
        why = f"{str(error) or type(error).__name__}{self._store.advice(error)}"
        self._leadership.problem = why
        if number := self._repeats.count(type(error).__name__):
            fields = {"lease": self._store.name, "failures": number}
            log.warning("%s %s: %s%s", what, self._store.name, why, repeat_suffix(number), extra=fields)
        return why

    def _end_repeats(self) -> None:
        self._repeats = LogThrottle(self._clock)

    def _say_holder(self) -> None:
        record = self._store.record
        name, own = self._store.name, self._election.identity
        self._leadership.problem = ""
        holder = record.holder or "nobody, but was not released"
        if holder == own:
            holder = (
                f"{own}, which is the identity of this process too (an earlier run of it, or a second process with it),"
            )
        if self._logged != (holder_text := f"{holder} {record.acquired_at}"):
            self._logged = holder_text
            text = "the lease %s is held by %s since %s, last renewed at %s; %s waits for it"
            fields = {"lease": name, "holder": record.holder}
            log.info(text, name, holder, record.acquired_at or "?", record.renewed_at or "?", own, extra=fields)
