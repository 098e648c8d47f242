"""Tests of claims of shards on a real API server."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable

import pytest

from dashboard.live.worker.shard_claim import ShardClaim, shard_election
from dashboard.runtime.shard import Shard
from informerd.clock import SystemClock
from informerd.leader_election.election_config import Election
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually

NewClaim = Callable[[], ShardClaim]


@pytest.fixture
def name() -> str:
    """The Leases' names begin with it."""
    return f"shards-{uuid.uuid4().hex[:8]}"


@pytest.fixture
async def new_claim(controlplane: ControlPlane, name: str) -> AsyncIterator[NewClaim]:
    """Makes claims of one of three shards, whose Leases are tried from the first on and are short."""
    clock = SystemClock()
    made: list[ShardClaim] = []

    def election(shard: Shard) -> Election:
        times = {"lease_duration": 3, "renew_deadline": 2.0, "retry_period": 0.3}
        return Election(f"{name}-{shard.number}", namespace="default", **times)  # type: ignore[arg-type] # seconds

    async with Client(load_kubeconfig(controlplane.kubeconfig), clock=clock) as client:

        def make() -> ShardClaim:
            made.append(ShardClaim(client, 3, clock, election, chance=lambda _: 0))
            return made[-1]

        yield make
        for claim in made:
            await claim.release()


async def test_each_worker_has_a_shard_of_its_own_and_a_fourth_stands_by(new_claim: NewClaim) -> None:
    claims = [new_claim() for _ in range(3)]
    shards = await asyncio.gather(*(claim.acquire() for claim in claims))
    assert sorted(shards) == [Shard(1, 3), Shard(2, 3), Shard(3, 3)]
    waiting = asyncio.create_task(new_claim().acquire())
    given_up = claims[1]
    assert not waiting.done()
    await given_up.release()
    assert await waiting == shards[1]


@pytest.mark.parametrize(
    ("installation", "lease"),
    [
        ("deltaboard", "deltaboard-shard-2-of-3"),
        ("Team A:board", "team-a-board-shard-2-of-3"),
        ("__", "deltaboard-shard-2-of-3"),
    ],
)
def test_the_leases_of_an_installation_have_its_name(installation: str, lease: str) -> None:
    assert shard_election(installation, Shard(2, 3)).name == lease


async def test_a_worker_gets_back_the_shard_that_it_had(new_claim: NewClaim) -> None:
    claim = new_claim()
    assert await claim.acquire() == Shard(1, 3)
    assert await claim.acquire(Shard(3, 3)) == Shard(3, 3)
    assert await new_claim().acquire() == Shard(1, 3), "the one before was given up"


async def test_a_lease_that_another_takes_is_lost(new_claim: NewClaim, controlplane: ControlPlane, name: str) -> None:
    claim = new_claim()
    shard = await claim.acquire()
    losing = asyncio.create_task(claim.wait_until_lost())
    path = f"/apis/coordination.k8s.io/v1/namespaces/default/leases/{name}-{shard.number}"
    await asyncio.to_thread(controlplane.patch, path, {"spec": {"holderIdentity": "somebody else"}})
    await eventually(losing.done)
    assert await claim.acquire(shard) == Shard(2, 3)
