"""The lease in the API server: read, created and written, never over a version that was not read."""

from __future__ import annotations

from informerd.clock import Clock, within
from informerd.errors import Forbidden, NotFound, NotInTime
from informerd.leases.election import Election
from informerd.leases.lease_record import LEASES, LeaseRecord
from informerd.rest.call import Json
from informerd.rest.client import Client
from informerd.rest.write_guard import guarded_writes


class LeaseStore:
    """One Lease. Each call takes half of `renew_deadline` at most (controller-runtime's leader_election.go).

    Raises what `Client` raises, and NotInTime.
    """

    def __init__(self, client: Client, election: Election, *, clock: Clock) -> None:
        self._client = client
        self._election = election
        self._clock = clock
        self._limit = election.renew_deadline / 2
        self.namespace = election.namespace or client.config.namespace
        self.body: Json | None = None
        """The Lease as it was last read or written; None where there is none."""

    @property
    def name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self._election.name}"

    @property
    def record(self) -> LeaseRecord:
        return LeaseRecord.of(self.body or {})

    async def read(self) -> None:
        """Read it anew."""
        try:
            async with within(self._limit, self._clock):
                self.body = (await self._client.get(LEASES, self._election.name, self.namespace)).object()
        except NotFound:
            self.body = None
        except TimeoutError as error:
            raise self._late("was not read") from error

    async def write(self, record: LeaseRecord) -> None:
        """Create it, or write it over the very version in `body`, whose metadata stays as it is.

        Raises Conflict, AlreadyExists or NotFound where that is not what is there any more.
        """
        body = self.body
        try:
            async with within(self._limit, self._clock):
                with guarded_writes(None):
                    self.body = await (self._create(record) if body is None else self._update(body, record))
        except TimeoutError as error:
            raise self._late("was not written") from error

    async def _create(self, record: LeaseRecord) -> Json:
        lease = {
            "apiVersion": LEASES.api_version,
            "kind": LEASES.kind,
            "metadata": {"name": self._election.name, "namespace": self.namespace},
            "spec": record.spec(),
        }
        return (await self._client.create(LEASES, lease, self.namespace)).object()

    async def _update(self, body: Json, record: LeaseRecord) -> Json:
        lease = {**body, "spec": {**(body.get("spec") or {}), **record.spec()}}
        return (await self._client.update(LEASES, lease, self.namespace)).object()

    def _late(self, what: str) -> NotInTime:
        return NotInTime(f"the lease {self.name} {what} within {self._limit:g} s")

    def advice(self, error: Exception) -> str:
        """What to do about an error that will not go away by itself, as a sentence; "" where it may."""
        if isinstance(error, Forbidden):
            who = self._client.config.user or "the account that this process uses"
            return (
                f"; give {who} a Role in the namespace {self.namespace} with the verbs get, create and update for "
                "leases in the API group coordination.k8s.io"
            )
        if isinstance(error, NotFound):
            return f"; create the namespace {self.namespace}, or name another one for the election"
        return ""
