"""A Deltaboard of a real cluster full of marked objects, and people with random rights in it."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch

from dashboard.cluster import people_rights
from dashboard.live.hub import rights_groups
from informerd.rest.client import Client
from tests.support.access.failing_controller import failing_controller
from tests.support.access.marked_objects import ALL_KINDS, MarkedObject, MarkedObjects
from tests.support.access.others_runs import OthersRun, create_runs
from tests.support.access.random_rbac import RandomRbac, World, each_of
from tests.support.access.tour import Tour
from tests.support.access.visibility_oracle import find_visible
from tests.support.access.whole_dashboard import Dashboard, running_dashboard
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually

SEED = 20
_numbers = itertools.count()
AT_ONCE = 3


class MarkedCluster:
    """What tests ask: the administrator's client, the marked objects, the dashboard."""

    def __init__(self, client: Client, objects: MarkedObjects, dashboard: Dashboard, random: Random) -> None:
        self.client = client
        self.objects = objects
        self.dashboard = dashboard
        self.random = random
        self.runs: dict[str, OthersRun] = {}

    async def tour(self, world: World) -> Tour:
        """What the person of a world may see now."""
        visible = await find_visible(self.client, world, self.objects, self.random)
        return Tour(world, visible, self.objects, self.random, self.runs)

    async def batch(self, number: int, work: Callable[[Tour], Awaitable[None]]) -> None:
        """Change some objects; then do `work` for each person of so many new worlds."""
        await self.objects.change_some()

        async def explore(world: World) -> None:
            await work(await self.tour(world))

        async with self.worlds(number) as worlds:
            await each_of(worlds, explore, at_once=AT_ONCE)

    @asynccontextmanager
    async def worlds(self, number: int) -> AsyncIterator[list[World]]:
        """So many people with random rights. In the end all of them are forgotten."""
        async with self.rbac(number) as (_, worlds):
            yield worlds

    @asynccontextmanager
    async def rbac(self, number: int) -> AsyncIterator[tuple[RandomRbac, list[World]]]:
        """The same, with what gives and takes rights."""
        rbac = RandomRbac(self.client, self.random, self.objects)
        try:
            worlds = await rbac.create(number)
            await self.until_shown()
            await rbac.until_known(self.dashboard.web.people_rights.rbac)
            yield rbac, worlds
        finally:
            await self.forget_people()
            await rbac.remove()

    async def until_known(self, rbac: RandomRbac) -> None:
        """Wait until the next request of anybody is judged by the rights that were given and taken."""
        await rbac.until_known(self.dashboard.web.people_rights.rbac)
        await self.forget_people()

    async def until_shown(self) -> None:
        """Wait until the dashboard's replicas have all objects as they are."""
        replicas = self.dashboard.web.replicas

        def is_shown(each: MarkedObject) -> bool:
            row = replicas.get(each.key).rows.get(each.uid)
            return row is None if each.is_deleted else row is not None and each.version in ("", row.version)

        for each in self.objects:
            await eventually(partial(is_shown, each), what=f"the dashboard has {each} as it is")

    async def until_live(self) -> None:
        """Wait until no page says that what it shows is old, as a busy machine makes them say."""
        replicas = self.dashboard.web.replicas
        await eventually(lambda: all(each.is_live for each in replicas), what="all kinds are live")

    async def forget_people(self) -> None:
        """End what the dashboard keeps of people without a page."""
        web = self.dashboard.web
        with patch.multiple(people_rights, FORGET_SECONDS=-1.0, UNWATCHED_SECONDS=-1.0):
            await web.people_rights.sweep()
        with patch.object(rights_groups, "GROUP_TTL", -1.0):
            await web.rights_groups.sweep()


@asynccontextmanager
async def marked_objects(client: Client) -> AsyncIterator[MarkedObjects]:
    """A cluster full of marked objects, which are deleted in the end."""
    objects = MarkedObjects(client, Random(SEED + next(_numbers)))
    await objects.fill()
    try:
        yield objects
    finally:
        await objects.remove()


@asynccontextmanager
async def marked_cluster(
    client: Client, controlplane: ControlPlane, controllers: list[str], **settings: Any
) -> AsyncIterator[MarkedCluster]:
    """The same, with a Deltaboard, which runs controllers (failing_controller.py)."""
    with failing_controller(controlplane):
        async with (
            marked_objects(client) as objects,
            running_dashboard(
                controlplane.kubeconfig, [*ALL_KINDS], DELTABOARD_CONTROLLERS=controllers, **settings
            ) as dashboard,
        ):
            cluster = MarkedCluster(client, objects, dashboard, Random(SEED))
            await cluster.until_shown()
            cluster.runs = await create_runs(dashboard.web, objects)
            yield cluster
