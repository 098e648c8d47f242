"""Random requests in random order: each object is reconciled in its last state, and never twice at once."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.controller.sources import ChannelSource
from informerd.errors import TerminalError
from informerd.objects import Object
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import running
from tests.support.informerd.create_update_delete_events import obj
from tests.support.long_tests import examples

HISTORIES = 60
STEPS = 120
KEYS = [f"k{number}" for number in range(6)]


class World:
    """Objects that are versions only, and a reconcile that does anything that one may do, until `calm`."""

    def __init__(self, seed: int, clock: FakeClock) -> None:
        self.rng = random.Random(seed)
        self.clock = clock
        self.versions: Counter[str] = Counter()
        self.settled: dict[str, int] = {}
        """The version that was reconciled to its end last, or given up."""
        self.inside: set[str] = set()
        self.calm = False

    async def __call__(self, request: Request) -> Result | None:
        name = request.name
        assert name not in self.inside, "two workers on one request"
        self.inside.add(name)
        try:
            return await self._reconcile(name, self.versions[name])
        finally:
            self.inside.discard(name)

    async def _reconcile(self, name: str, version: int) -> Result | None:
        for _ in range(self.rng.randrange(3)):
            await self.clock.sleep(self.rng.choice((0, 0, 0.01, 1)))
        fate = "success" if self.calm else self.rng.choice(("success", "later", "again", "error", "bug", "terminal"))
        match fate:
            case "error":
                raise OSError("no route")
            case "bug":
                raise SystemExit(1)
            case "terminal":
                self.settled[name] = version
                raise TerminalError("never")
            case "later":
                return Result(requeue_after=self.rng.choice((0, 0.5, 30)), priority=self.rng.choice((None, 5)))
            case "again":
                return Result(requeue=True)
        self.settled[name] = version
        return None


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
async def test_in_any_history_every_object_is_reconciled_as_it_is_in_the_end(workers: int) -> None:
    for seed in range(examples(HISTORIES)):
        clock = FakeClock()
        world = World(seed, clock)
        channel: asyncio.Queue[Object] = asyncio.Queue()
        source = ChannelSource(channel)
        async with running(world, clock, workers=workers, sources=[source], reconcile_timeout=1.5) as controller:
            for _ in range(STEPS):
                await step(world, channel, clock)
            world.calm = True
            for _ in range(50):
                await clock.advance(60)
            assert world.settled == world.versions, f"seed {seed}"
            state = controller.state()
            assert (state.queue.depth, state.queue.delayed, state.active) == (0, 0, 0), f"seed {seed}"
            assert {failed.retry_at for failed in state.failed} <= {None}, f"seed {seed}"


async def step(world: World, channel: asyncio.Queue[Object], clock: FakeClock) -> None:
    """An object changes, some turns of the event loop, or some time."""
    match world.rng.randrange(4):
        case 0 | 1:
            name = world.rng.choice(KEYS)
            world.versions[name] += 1
            channel.put_nowait(obj(name, version=str(world.versions[name])))
        case 2:
            await run_ready_tasks(world.rng.randrange(5))
        case 3:
            await clock.advance(world.rng.choice((0.005, 0.5, 5)))
