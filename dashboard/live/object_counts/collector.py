"""The worker's end: asks discovery which kinds there are, and counts those that nobody watches while somebody looks."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from dashboard.census.counting import Listing, count
from dashboard.census.messages import CENSUS_GROUP, LOOK_GROUP, Census, Counted, encoder
from dashboard.live.layer import Inbox, Layer, Sender, Trouble
from dashboard.live.tasks import cancelled, kept_running
from informerd.clock import Clock, sleep_or, within
from informerd.errors import InformerdError, Unreachable
from informerd.resource import Resource

EVERY = 60.0
"""Seconds between two counts of a kind, at least."""
NAMED = 10.0
"""Seconds between two questions to discovery while somebody looks, which has not changed mostly (304); else EVERY."""
LOOKED = 90.0
"""Seconds that a look lasts: an open page looks again every 60 s."""
PACE = 0.02
"""Seconds between two counts: 50 a second at most, one at a time."""
PATIENCE = 5.0
"""Seconds that the API server may take for one."""
TURN = 1.0
"""Seconds between two looks at what is due."""
SAID = 10.0
"""Seconds between two words while nothing changes."""


class Naming(Protocol):
    """What is needed of a Discovery. It is the taker's own: `invalidate` would hold up others who use it."""

    def invalidate(self) -> None: ...

    async def resources(self) -> tuple[Resource, ...]: ...


def this_process() -> str:
    """Where this runs, for people."""
    return f"{socket.gethostname()}, process {os.getpid()}"


class CensusTaker:
    """Says which kinds there are, and of those for which `follows` is false how many objects, from `run` on."""

    def __init__(
        self,
        client: Listing,
        discovery: Naming,
        layer: Layer,
        clock: Clock,
        *,
        epoch: str,
        follows: Callable[[str], bool],
        trouble: Trouble,
    ) -> None:
        self._client = client
        self._discovery = discovery
        self._clock = clock
        self._epoch = epoch
        self._follows = follows
        self._sender = Sender(layer, trouble)
        self._inbox = Inbox(layer, LOOK_GROUP, clock, trouble)
        self._wake = asyncio.Event()
        self._kinds: dict[str, Counted] = {}
        self._tried: dict[str, float] = {}
        """When each was last asked for, monotonic seconds."""
        self._looked = float("-inf")
        self._named = float("-inf")
        self._said = float("-inf")
        self._news = False

    async def run(self) -> None:
        """Hear who looks, count and say, until cancelled."""
        hearing = asyncio.create_task(kept_running("hearing who looks", self._hear, self._clock))
        try:
            while True:
                self._wake.clear()
                await self.turn()
                await sleep_or(self._wake, TURN, self._clock)
        finally:
            await cancelled([hearing])

    def look(self) -> None:
        """Somebody looks at counts."""
        if not self._is_looked_at:
            self._wake.set()
        self._looked = self._clock.now()

    async def turn(self) -> None:
        """Do what is due: name, count, say. While the API server is silent what is known stays as it is."""
        await self._name()
        if self._is_looked_at:
            await self._count()
        if self._news or self._clock.now() - self._said >= SAID:
            await self._say()

    @property
    def _is_looked_at(self) -> bool:
        return self._clock.now() - self._looked < LOOKED

    async def _hear(self) -> None:
        await self._inbox.run(self._take)

    async def _take(self, message: dict[str, Any]) -> None:
        if message.get("type") == "census.look":
            self.look()

    async def _name(self) -> None:
        now = self._clock.now()
        if now - self._named < (NAMED if self._is_looked_at or not self._kinds else EVERY):
            return
        self._named = now
        self._discovery.invalidate()
        try:
            resources = await self._discovery.resources()
        except InformerdError:
            return  # the connection says it, to everybody
        known = {each.key: each for each in resources if "list" in each.verbs}
        before, self._kinds = self._kinds, {key: self._named_again(key, each) for key, each in known.items()}
        self._news = self._news or before.keys() != self._kinds.keys()

    def _named_again(self, key: str, resource: Resource) -> Counted:
        before = self._kinds.get(key)
        return Counted(resource) if before is None else msgspec.structs.replace(before, resource=resource)

    async def _count(self) -> None:
        for key in list(self._kinds):
            if self._follows(key) or self._clock.now() - self._tried.get(key, float("-inf")) < EVERY:
                continue
            self._tried[key] = self._clock.now()
            try:
                await self._count_one(key)
            except (Unreachable, TimeoutError):
                return
            if self._clock.now() - self._said >= TURN:
                await self._say()
            await self._clock.sleep(PACE)

    async def _count_one(self, key: str) -> None:
        before = self._kinds[key]
        try:
            async with within(PATIENCE, self._clock):
                number = await count(self._client, before.resource)
        except Unreachable:
            raise
        except InformerdError as error:
            after = msgspec.structs.replace(before, problem=str(error))
        else:
            after = Counted(before.resource, number, self._clock.time())
        self._kinds[key] = after
        self._news = True

    async def _say(self) -> None:
        self._news, self._said = False, self._clock.now()
        census = Census(self._epoch, tuple(self._kinds.values()), this_process())
        await self._sender.to_group(CENSUS_GROUP, {"type": "census.counts", "data": encoder.encode(census)})
