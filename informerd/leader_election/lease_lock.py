"""Lease object in the API server, which is written only over the version that was read."""

from __future__ import annotations

from informerd.clock import Clock, within
from informerd.errors import Forbidden, NotFound, NotInTime
from informerd.leader_election.election_config import Election
from informerd.leader_election.lease_record import LEASES, LeaseRecord
from informerd.rest.client import Client
from informerd.rest.leader_write_guard import guard_writes
from informerd.unstructured import Json


class LeaseLock:
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
        """Read it from the API server."""
        try:
            async with within(self._limit, self._clock):
                self.body = (await self._client.get(LEASES, self._election.name, self.namespace)).object()
        except NotFound:
            self.body = None
        except TimeoutError as error:
            raise self._late("was not read") from error

    async def write(self, record: LeaseRecord) -> None:
        """Create it, or replace exactly the version in `body`, with its metadata unchanged.

        Raises Conflict, AlreadyExists or NotFound where the present version is another one.
        """
        body = self.body
        try:
            async with within(self._limit, self._clock):
                with guard_writes(None):
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
        """Advice on an error that needs a person's action, as a sentence; "" for other errors."""
        if isinstance(error, Forbidden):
            who = self._client.config.user or "the account that this process uses"
            return (
                f"; give {who} a Role in the namespace {self.namespace} with the verbs get, create and update for "
                "leases in the API group coordination.k8s.io"
            )
        if isinstance(error, NotFound):
            return f"; create the namespace {self.namespace}, or name another one for the election"
        return ""
