"""Simulation of processes that compete for a lease, in virtual time: hours of it in a second.

A process may be frozen, cut off, killed, and have its wall clock set; responses may be slow or lost; and a person may
delete the lease or edit it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from informerd.errors import (
    AlreadyExists,
    Conflict,
    LeaderElectionLost,
    NotFound,
    Status,
    Unreachable,
)
from informerd.leader_election.election_config import Election
from informerd.leader_election.elector import Elector
from informerd.leader_election.leadership import Leadership
from informerd.leader_election.lease_lock import LeaseLock
from informerd.rest.client import Client
from informerd.rest.response import Response
from informerd.unstructured import Json
from tests.support.informerd.model.virtual_loop import VirtualLoop

HANGS = 60.0
"""Seconds: longer than anybody waits for an answer."""


class Server:
    """One Lease, with the API server's optimistic concurrency."""

    def __init__(self) -> None:
        self.lease: Json | None = None
        self._version = 0
        self.holders: list[str] = []
        """Who has held the lease, one after the other."""

    def get(self) -> Json:
        if self.lease is None:
            raise NotFound(Status(code=404, reason="NotFound"))
        return self.lease

    def create(self, lease: Json) -> Json:
        if self.lease is not None:
            raise AlreadyExists(Status(code=409, reason="AlreadyExists"))
        return self.store(lease)

    def update(self, lease: Json) -> Json:
        if self.get()["metadata"]["resourceVersion"] != lease["metadata"].get("resourceVersion"):
            raise Conflict(Status(code=409, reason="Conflict"))
        return self.store(lease)

    def store(self, lease: Json) -> Json:
        """Over whatever is there."""
        self._version += 1
        self.lease = {**lease, "metadata": {**lease["metadata"], "resourceVersion": str(self._version)}}
        holder = self.lease["spec"].get("holderIdentity") or ""
        if not self.holders or self.holders[-1] != holder:
            self.holders.append(holder)
        return self.lease

    def edit(self, **spec: Any) -> None:
        """As kubectl edit does; nothing happens where there is no lease."""
        if self.lease is not None:
            self.store({**self.lease, "spec": {**self.lease["spec"], **spec}})

    def annotate(self) -> None:
        if self.lease is not None:
            metadata = {**self.lease["metadata"], "annotations": {"note": str(self._version)}}
            self.store({**self.lease, "metadata": metadata})

    def delete(self) -> None:
        self.lease = None


class Process:
    """One process with an elector, its own wall clock and its own way to the server."""

    def __init__(self, server: Server, identity: str, rng: random.Random, **terms: Any) -> None:
        self.election = Election("lead", namespace="default", identity=identity, **terms)
        self.leadership = Leadership(self.election, "default/lead", self)
        self.lost: LeaderElectionLost | None = None
        self.latency: Callable[[], float] = lambda: 0.01
        self.loses: Callable[[], bool] = lambda: False
        """Whether an answer gets lost, after what was asked for was done."""
        self.cut_off = False
        self._server = server
        self._awake = asyncio.Event()
        self._awake.set()
        self._jumped = 0.0
        self.elector = Elector(LeaseLock(cast("Client", self), self.election, clock=self), self.leadership,
                               clock=self, chance=rng.random)  # fmt: skip
        self.config = SimpleNamespace(namespace="default", user="")
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            await self.elector.run()
        except LeaderElectionLost as lost:
            self.lost = lost

    @property
    def leads(self) -> bool:
        return self.leadership.is_leading

    def freeze(self) -> None:
        self._awake.clear()

    def thaw(self) -> None:
        self._awake.set()

    def set_clock(self, seconds: float) -> None:
        """Its wall clock jumps."""
        self._jumped += seconds

    def kill(self) -> None:
        """It is no more: nobody asks whether it leads."""
        self._task.cancel()
        self.leadership.end()

    async def stop(self) -> None:
        """It ends in order, and gives the lease up."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self.elector.release()

    # its clock

    def now(self) -> float:
        return asyncio.get_event_loop().time()

    def time(self) -> float:
        return 1_799_999_000.0 + self.now() + self._jumped

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._awake.wait()

    # its client

    async def get(self, *_: object) -> Response:
        return await self._call(self._server.get)

    async def create(self, _: object, lease: Json, __: object) -> Response:
        return await self._call(lambda: self._server.create(lease))

    async def update(self, _: object, lease: Json, __: object) -> Response:
        return await self._call(lambda: self._server.update(lease))

    async def _call(self, ask: Callable[[], Json]) -> Response:
        await self._awake.wait()
        if self.cut_off:
            await asyncio.sleep(HANGS)
        # what is on its way arrives, also when the caller has stopped waiting
        return await asyncio.shield(asyncio.ensure_future(self._on_its_way(ask)))

    async def _on_its_way(self, ask: Callable[[], Json]) -> Response:
        await asyncio.sleep(self.latency())
        try:
            answer = msgspec.json.encode(ask())
            failure = None
        except (NotFound, Conflict, AlreadyExists) as error:
            answer, failure = b"", error
        await asyncio.sleep(self.latency())
        await self._awake.wait()
        if self.loses():
            raise Unreachable("the answer got lost")
        if failure is not None:
            raise failure
        return Response(200, answer)


class NoNetwork:
    """Nothing connects in a simulation."""

    def connect(self, protocol: asyncio.Protocol) -> asyncio.Transport:
        raise OSError("there is no network")


class World:
    """A loop in virtual time, a server, and processes; who leads is looked at in every turn of the loop."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = random.Random(seed)
        self.server = Server()
        self.processes: list[Process] = []
        self.led: list[str] = []
        """Who has led, one after the other."""
        self.loop = VirtualLoop(NoNetwork(), self._look)

    def __enter__(self) -> World:
        asyncio.set_event_loop(self.loop)
        return self

    def __exit__(self, *_: object) -> None:
        self.processes.clear()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.advance(HANGS * 3)
        asyncio.set_event_loop(None)
        self.loop.close()

    def process(self, identity: str, **terms: Any) -> Process:
        async def make() -> Process:
            return Process(self.server, identity, self.rng, **terms)

        task = self.loop.create_task(make())
        self.loop.advance(0)
        process = task.result()
        self.processes.append(process)
        return process

    def advance(self, seconds: float) -> None:
        self.loop.advance(seconds)

    def stop(self, process: Process) -> None:
        task = self.loop.create_task(process.stop())
        self.advance(10)
        assert task.done()

    @property
    def leaders(self) -> list[str]:
        return [each.election.identity for each in self.processes if each.leads]

    def _look(self) -> None:
        leaders = self.leaders
        assert len(leaders) < 2, f"{leaders} lead at {self.loop.time()}"
        if leaders and self.led[-1:] != leaders:
            self.led += leaders
