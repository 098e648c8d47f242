"""Tests of watches that end after a second or break in the middle of a line."""

from __future__ import annotations

import asyncio
import itertools
import random
from functools import partial

import pytest

from informerd.resource import PODS
from tests.support.informerd.faults.faulty_proxy import proxied
from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, EVENTS, QUICK, Followed, Rig
from tests.support.wait import eventually

NAMES = [f"c{number}" for number in range(5)]
LONG = 120.0
"""Seconds in which twenty watches break on any machine."""


@pytest.mark.long
async def test_watches_that_end_each_second_miss_nothing_and_list_nothing_again(rig: Rig) -> None:
    factory = rig.factory(watch_timeout=1.0, **QUICK)
    followed = [rig.follow(factory, resource) for resource in (CONFIG_MAPS, PODS, EVENTS)]
    await rig.equal(*followed)
    for count in range(4):
        names = [f"{name}-{count}" for name in NAMES]
        await rig.create(*names)
        await rig.change(*names)
        await eventually(partial(_all_resumed, followed, count))
    await rig.equal(*followed)
    for each in followed:
        assert each.states == ["syncing", "live"]
        assert (each.informer.health().relists, each.errors) == (0, [])


def _all_resumed(followed: list[Followed], count: int) -> bool:
    return all(each.informer.health().reconnects > count for each in followed)


async def test_watches_that_break_anywhere_miss_nothing(rig: Rig) -> None:
    chance = random.Random(7)
    async with proxied(rig.controlplane, rig.client.config) as proxy, asyncio.timeout(LONG):
        followed = [
            rig.follow(rig.factory(proxy.config, streaming_lists=streaming, watch_timeout=2.0, **QUICK))
            for streaming in (True, False)
        ]
        await rig.equal(*followed)
        proxy.cut = lambda request: chance.randrange(1, 1500) if "watch" in request.query else None
        for count in itertools.count():
            names = [f"{name}-{count}" for name in NAMES]
            await rig.create(*names)
            await rig.change(*names)
            if len(proxy.watches("configmaps")) > 20:  # the first two, which are not cut, last for seconds
                break
        proxy.cut = lambda _: None
        await rig.equal(*followed)
