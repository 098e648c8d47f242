"""Tests of claims of shards while the API server is away, and where the election of one ends with an error."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from dashboard.live.worker import shard_claim
from dashboard.live.worker.shard_claim import ShardClaim
from dashboard.runtime.shard import Shard
from informerd.errors import Conflict, Status, Unreachable
from informerd.leader_election.election_config import Election
from informerd.leader_election.lease_record import LeaseRecord
from tests.support.clock import FakeClock, run_ready_tasks

if TYPE_CHECKING:
    from informerd.rest.client import Client
    from informerd.unstructured import Json

STEP = 0.1
NAMES = "abc"


class LeaseServer:
    """Leases, each with its version."""

    def __init__(self) -> None:
        self.is_down = False
        self.errors: list[Exception] = []
        """Raised by the next requests."""
        self.leases: dict[str, tuple[int, LeaseRecord]] = {}

    async def answer(self) -> None:
        await asyncio.sleep(0)
        if self.errors:
            raise self.errors.pop(0)
        if self.is_down:
            raise Unreachable("no route to host")


class Lock:
    """A LeaseLock of `server`."""

    server: LeaseServer

    def __init__(self, _: Client, election: Election, *, clock: FakeClock) -> None:
        self.name = election.name
        self.clock = clock
        self.body: Json | None = None
        self.record = LeaseRecord()
        self._version = 0

    def advice(self, _: Exception) -> str:
        return ""

    async def read(self) -> None:
        await self.server.answer()
        self._take(*self.server.leases.get(self.name, (0, LeaseRecord())))

    async def write(self, record: LeaseRecord) -> None:
        await self.server.answer()
        version, _ = self.server.leases.get(self.name, (0, None))
        if version != self._version:
            raise Conflict(Status(code=409, reason="Conflict", message="the object has been modified"))
        self.server.leases[self.name] = (version + 1, record)
        self._take(version + 1, record)

    def _take(self, version: int, record: LeaseRecord) -> None:
        self._version, self.record, self.body = version, record, {"version": version} if version else None


class Workers:
    """Workers that claim shards as those of `any/3` do."""

    def __init__(self, server: LeaseServer) -> None:
        self.server = server
        self.clock = FakeClock()
        self.shards: dict[str, Shard] = {}
        """Those that they watch, by name of the worker."""
        self.tasks: list[asyncio.Task[None]] = []

    def start(self, *names: str) -> None:
        self.tasks += [asyncio.create_task(self._run(name)) for name in names]

    async def _run(self, name: str) -> None:
        claim = ShardClaim(cast("Client", None), 3, self.clock, lambda shard: Election(f"shard-{shard.number}"))
        try:
            while True:
                self.shards[name] = await claim.acquire(self.shards.get(name))
                await claim.wait_until_lost()
        finally:
            await claim.release()

    async def pass_seconds(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            await self.clock.advance(STEP)
            await run_ready_tasks()


@pytest.fixture
async def workers(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workers]:
    Lock.server = LeaseServer()
    monkeypatch.setattr(shard_claim, "LeaseLock", Lock)
    made = Workers(Lock.server)
    yield made
    for task in made.tasks:
        task.cancel()
    await asyncio.gather(*made.tasks, return_exceptions=True)


@pytest.mark.parametrize("seconds", [12, 30, 120])
@pytest.mark.parametrize("seed", range(3))
async def test_no_two_workers_change_places_after_an_outage(workers: Workers, seed: int, seconds: int) -> None:
    random.seed(seed)
    workers.start(*NAMES)
    await workers.pass_seconds(40)
    before = dict(workers.shards)
    assert len({*before.values()}) == 3
    workers.server.is_down = True
    await workers.pass_seconds(seconds)
    workers.server.is_down = False
    await workers.pass_seconds(60)
    assert workers.shards == before
    holders = {record.holder for _, record in workers.server.leases.values()}
    assert len(holders) == 3, "each has its Lease again"


async def test_who_stood_by_has_a_shard_while_its_worker_is_gone_and_keeps_it(workers: Workers) -> None:
    workers.start(*NAMES)
    await workers.pass_seconds(40)
    workers.start("d")
    await workers.pass_seconds(10)
    assert "d" not in workers.shards
    workers.tasks[0].cancel()
    await workers.pass_seconds(40)
    assert workers.shards["d"] == workers.shards["a"]


async def test_a_shard_that_another_took_is_left_to_it_and_a_free_one_is_claimed(workers: Workers) -> None:
    workers.start("a")
    await workers.pass_seconds(10)
    had = workers.shards["a"]
    version, record = workers.server.leases[f"shard-{had.number}"]
    stolen = msgspec.structs.replace(record, holder="somebody else")
    workers.server.leases[f"shard-{had.number}"] = (version + 1, stolen)
    await workers.pass_seconds(6)
    assert workers.shards["a"] != had


async def test_an_election_that_ends_with_an_error_says_so_and_goes_on(
    workers: Workers, caplog: pytest.LogCaptureFixture
) -> None:
    workers.server.errors = [RuntimeError("not an answer")] * 3
    with caplog.at_level(logging.ERROR):
        workers.start("a")
        await workers.pass_seconds(10)
    assert "a" in workers.shards
    said = [each for each in caplog.records if each.name == shard_claim.__name__]
    assert [each.getMessage().partition(" of shard ")[0] for each in said] == ["the election"] * 3
    assert all(each.exc_info for each in said)
