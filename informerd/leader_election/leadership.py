"""State of leadership of this process by its own monotonic clock, which any thread may read."""

from __future__ import annotations

from informerd.clock import Clock
from informerd.errors import NotLeading
from informerd.leader_election.election_config import Election
from informerd.leader_election.lease_record import LeaseRecord


class Leadership:
    """State that an elector writes and any thread may read.

    This process leads from `begin` on, until `renew_deadline` seconds have passed since the last renewal was *sent*, or
    `end`. So it ends by itself, in a process that is frozen, cut off or blocked too, before others may take over: they
    wait `lease_duration` from the moment at which they saw that renewal, which cannot be earlier.
    """

    def __init__(self, election: Election, lease: str, clock: Clock) -> None:
        self.election = election
        self.lease = lease
        """``namespace/name``."""
        self.problem = ""
        """Why it cannot be had, or was lost, in words."""
        self.last_record = LeaseRecord()
        """The lease as it was last seen."""
        self.last_record_at: float | None = None
        """Unix seconds of the moment at which that was first seen."""
        self._clock = clock
        self._renewed: float | None = None
        self._begins: float | None = None

    @property
    def is_leading(self) -> bool:
        """Whether this process leads."""
        return self.seconds_left > 0

    @property
    def has_begun(self) -> bool:
        """Whether it leads, or did until it failed to renew the lease in time."""
        begins = self._begins
        return begins is not None and self._clock.now() >= begins

    @property
    def seconds_left(self) -> float:
        """Seconds for which it leads without another renewal; 0 where it does not lead."""
        return self.seconds_held if self.has_begun else 0.0

    @property
    def seconds_held(self) -> float:
        """Seconds for which the lease is held without another renewal, whether it leads already or not."""
        renewed = self._renewed
        return 0.0 if renewed is None else max(renewed + self.election.renew_deadline - self._clock.now(), 0.0)

    @property
    def seconds_until(self) -> float | None:
        """Seconds until it leads, where it holds the lease; else None."""
        begins = self._begins
        return None if begins is None else max(begins - self._clock.now(), 0.0)

    def record_lease(self, record: LeaseRecord) -> None:
        """The lease was read or written."""
        if self.last_record_at is None or record != self.last_record:
            self.last_record, self.last_record_at = record, self._clock.time()

    def begin(self, at: float) -> None:
        """This process holds the lease, and leads from `at` (monotonic seconds) on while it is renewed."""
        self._begins = at

    def extend(self, sent: float, record: LeaseRecord) -> None:
        """A renewal that was sent at `sent` (monotonic seconds) has succeeded."""
        self._renewed = sent
        self.problem = ""
        self.record_lease(record)

    def end(self, problem: str = "") -> None:
        """It does not lead from now on."""
        self._renewed = self._begins = None
        self.problem = problem

    def guard(self) -> float:
        """Guard for `guard_writes`: the seconds until others may lead. Raises NotLeading where this one does not."""
        left = self.seconds_left
        if left > 0:
            return left + self.election.lease_duration - self.election.renew_deadline
        holder = self.last_record.holder
        by = f"; {holder} holds it" if holder and holder != self.election.identity else ""
        raise NotLeading(f"nothing was sent: this process does not hold the lease {self.lease}{by}")
