"""Comparison of the demo's controllers with recordings of the real ones; see controller_scenarios.py."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from tests.support.devcluster.parity.controller_scenarios import SCENARIOS
from tests.support.devcluster.workload_cluster import DEPLOYMENTS, Json, World, running
from tests.support.program import ROOT

pytestmark = pytest.mark.slow

RECORDED = json.loads((ROOT / "tests/support/devcluster/parity/controller_recordings.json").read_text())


class DemoSide:
    """The demo cluster, its time turned by hand."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def create(self, key: str, obj: Json) -> None:
        self._world.create(key, obj)

    async def replace(self, key: str, name: str, path: str, value: object) -> None:
        self._world.put_at(key, "default", name, path, value)

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        for _ in range(400):
            if await holds():
                return
            await self._world.live(0.5)
        raise AssertionError("it did not come to that")

    async def pause(self, seconds: float) -> None:
        await self._world.live(seconds)

    async def all(self, key: str) -> list[Json]:
        found = self._world.all(key)
        return [each for each in found if each["metadata"]["namespace"] == "default"]


@pytest.mark.parametrize("name", SCENARIOS)
async def test_a_scenario_ends_as_on_the_real_cluster(name: str) -> None:
    async with running(pods=1) as world:
        for each in world.all(DEPLOYMENTS):
            world.delete(DEPLOYMENTS, each["metadata"]["namespace"], each["metadata"]["name"])
        await world.live(1)
        found = json.loads(json.dumps(await SCENARIOS[name](DemoSide(world))))
    assert found == RECORDED[name]
