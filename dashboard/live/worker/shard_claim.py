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
from informerd.errors import InformerdError, LeaderElectionLost
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
LOOK = 0.05
"""Seconds between two looks whether a Lease was taken."""
RETRY_AFTER = 2.0
"""Seconds after which a candidate whose Lease was lost is one again; more than TURN, so that the loss is seen."""
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
        self._candidates: dict[Shard, _Candidate] = {}
        """Those that were tried. They know the Leases that they wrote, and so take their own back at once."""

    async def acquire(self, before: Shard | None = None) -> Shard:
        """Wait until a shard is this worker's: that which it had `before`, until another worker is seen to have that.

        So no two change places after an outage of the API server. One Lease is tried after the other, then all of them.
        """
        await self.release()
        first = before.number - 1 if before is not None else self._chance(self._count)
        tried: list[_Candidate] = []
        try:
            for each in range(self._count):
                candidate = self._candidate(Shard((first + each) % self._count + 1, self._count))
                candidate.start()
                tried.append(candidate)
                is_own = before is not None and each == 0
                end = self._clock.now() + TURN
                while self._clock.now() < end or len(tried) == self._count or (is_own and not candidate.is_anothers):
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

    def _candidate(self, shard: Shard) -> _Candidate:
        if shard not in self._candidates:
            self._candidates[shard] = _Candidate(self._client, shard, self._clock, self._election_of)
        return self._candidates[shard]


class _Candidate:
    """This worker's candidacy for one shard: from `start` to `stop`, and again."""

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

    @property
    def is_anothers(self) -> bool:
        """Whether the Lease named another worker when it was last seen."""
        return self._leadership.last_record.holder not in {"", self._leadership.election.identity}

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"lease of shard {self.shard}")

    async def _run(self) -> None:
        """Be a candidate until cancelled, again where the Lease is lost or the election ends with an error."""
        while True:
            try:
                await self._elector.run()
            except LeaderElectionLost as lost:
                logger.info("shard %s: %s", self.shard, lost)
            except Exception:
                logger.exception("the election of shard %s ended with an error, and is tried again", self.shard)
                self._leadership.end()
            await self._clock.sleep(RETRY_AFTER)

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
