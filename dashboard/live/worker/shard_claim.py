"""Claim of a shard by a Lease: each worker takes one that no other has, and stands by while all are taken."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections.abc import Callable

from dashboard.runtime.background_tasks import cancel_all
from dashboard.runtime.shard import Shard
from informerd.clock import Clock, within
from informerd.errors import InformerdError
from informerd.leader_election.election_config import Election
from informerd.leader_election.elector import Elector
from informerd.leader_election.leadership import Leadership
from informerd.leader_election.lease_lock import LeaseLock
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

TURN = 0.5
"""Seconds in which one Lease is tried before the next is tried, too, so that a worker takes no more than one; and
between two looks whether it is lost.
"""
OWN_TURN = 25.0
"""The same for the Lease that it had before, which ends after 15 s unless another has it: no two change places."""
LOOK = 0.05
"""Seconds between two looks whether a Lease was taken."""
RELEASE_SECONDS = 2.0
"""Most seconds that releasing a Lease may take."""


def shard_election(installation: str, shard: Shard) -> Election:
    """The election of a shard's worker, with client-go's times. Installations of one namespace need two names."""
    prefix = re.sub(r"[^a-z0-9]+", "-", installation.lower()).strip("-")
    return Election(f"{prefix or 'deltaboard'}-shard-{shard.number}-of-{shard.count}")


class ShardClaim:
    """One of `count` shards: `acquire` takes one, and `release` gives it up.

    Two workers of a shard do no harm. So a worker may start as soon as it has the Lease, and go on until it has another
    one.
    """

    def __init__(
        self,
        client: Client,
        count: int,
        clock: Clock,
        election_of: Callable[[Shard], Election],
        *,
        chance: Callable[[int], int] = random.randrange,
    ) -> None:
        self._client = client
        self._count = count
        self._clock = clock
        self._election_of = election_of
        self._chance = chance
        self._held: _Candidate | None = None

    async def acquire(self, before: Shard | None = None) -> Shard:
        """Wait until a shard is this worker's, by preference the one that it had `before`. One Lease is tried after the
        other, then all of them.
        """
        await self.release()
        first = before.number - 1 if before is not None else self._chance(self._count)
        tried: list[_Candidate] = []
        try:
            for each in range(self._count):
                shard = Shard((first + each) % self._count + 1, self._count)
                tried.append(_Candidate(self._client, shard, self._clock, self._election_of))
                tried[-1].start()
                end = self._clock.now() + (OWN_TURN if before is not None and each == 0 else TURN)
                while self._clock.now() < end or len(tried) == self._count:
                    self._held = next((each for each in tried if each.is_held), None)
                    if self._held is not None:
                        return self._held.shard
                    await self._clock.sleep(LOOK)
            raise AssertionError("the last ones are tried until one is held")
        finally:
            for candidate in tried:
                if candidate is not self._held:
                    await candidate.stop()

    async def wait_until_lost(self) -> None:
        """Wait until the Lease is another's, or could not be renewed in time."""
        while self._held is not None and self._held.is_held:
            await self._clock.sleep(TURN)

    async def release(self) -> None:
        """Give it up, so that another worker need not wait for the Lease's end."""
        held, self._held = self._held, None
        if held is not None:
            await held.stop()


class _Candidate:
    """This worker's candidacy for one shard."""

    def __init__(self, client: Client, shard: Shard, clock: Clock, election_of: Callable[[Shard], Election]) -> None:
        self.shard = shard
        self._clock = clock
        election = election_of(shard)
        lock = LeaseLock(client, election, clock=clock)
        self._leadership = Leadership(election, lock.name, clock)
        self._elector = Elector(lock, self._leadership, clock=clock)
        self._task: asyncio.Task[None] | None = None

    @property
    def is_held(self) -> bool:
        return self._leadership.seconds_held > 0

    def start(self) -> None:
        self._task = asyncio.create_task(self._elector.run(), name=f"lease of shard {self.shard}")

    async def stop(self) -> None:
        """End the candidacy, and release the Lease where it is this worker's."""
        task, self._task = self._task, None
        if task is None:
            return
        was_held = self.is_held
        await cancel_all([task])
        if was_held:
            try:
                async with within(RELEASE_SECONDS, self._clock):
                    await self._elector.release()
            except (InformerdError, TimeoutError) as error:
                logger.warning("the lease of shard %s was not released, and ends by itself: %s", self.shard, error)
