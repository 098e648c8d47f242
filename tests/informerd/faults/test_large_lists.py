"""Tests of 5,000 objects: streamed, from the watch cache in one piece, or from etcd in pages that may expire."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from tests.support.controlplane import ControlPlane
from tests.support.informerd.faults.faulty_proxy import Proxy, Rule, proxied
from tests.support.informerd.faults.informer_rig import QUICK, Rig

COUNT = 5000


@pytest.mark.parametrize(
    ("streaming", "cached", "lists"),
    [
        pytest.param(True, True, [], id="streaming list"),
        pytest.param(False, True, ["first"], id="list from the watch cache", marks=pytest.mark.long),
        pytest.param(True, False, [], id="streaming list from etcd", marks=pytest.mark.long),
        pytest.param(False, False, ["first"] + 9 * ["next"], id="pages from etcd"),
    ],
)
async def test_5000_objects_come_whole_however_they_are_listed(
    crowd: Rig, uncached_controlplane: ControlPlane, streaming: bool, cached: bool, lists: list[str]
) -> None:
    rig = crowd
    through = rig.controlplane if cached else uncached_controlplane
    async with proxied(through, rig.client.config) as proxy:
        followed = rig.follow(rig.factory(proxy.config, streaming_lists=streaming, **QUICK))
        await rig.equal(followed, within=60)
        assert followed.ledger.adds == COUNT
        assert [each.page for each in proxy.lists("configmaps") if each.status == 200] == lists
        await rig.paint("c7", "red")
        await rig.equal(followed)
        assert followed.informer.health().relists == 0


async def test_pages_that_expire_are_listed_again_in_one_piece(crowd: Rig, uncached_controlplane: ControlPlane) -> None:
    """etcd is compacted between the third page and the fourth."""
    rig = crowd
    async with proxied(uncached_controlplane, rig.client.config) as proxy:
        proxy.rule = _compacted_before_page(4, proxy, rig)
        followed = rig.follow(rig.factory(proxy.config, streaming_lists=False, **QUICK))
        await rig.equal(followed, within=60)
        seen = [(each.page, each.status) for each in proxy.lists("configmaps")]
        assert seen == [("first", 200), ("next", 200), ("next", 200), ("next", 410), ("whole", 200)]
        assert (followed.ledger.adds, followed.errors) == (COUNT, [])


def _compacted_before_page(number: int, proxy: Proxy, rig: Rig) -> Rule:
    async def rule(request: web.Request) -> None:
        if "limit" in request.query and len(proxy.lists("configmaps")) == number - 1:
            await rig.paint("c8", f"colour-{number}")
            await asyncio.to_thread(rig.controlplane.etcd.compact)

    return rule
