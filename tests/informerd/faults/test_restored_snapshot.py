"""Tests of an etcd restored from an older snapshot: the resource version goes back, and objects with it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from informerd.resource import PODS
from tests.support.controlplane import ControlPlane
from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, EVENTS, QUICK, rigged

NAMES = [f"c{number}" for number in range(5)]


async def test_after_a_restore_the_store_goes_back_with_the_api_server(
    own_controlplane: ControlPlane, tmp_path: Path
) -> None:
    async with rigged(own_controlplane) as rig:
        await rig.create(*NAMES)
        await asyncio.to_thread(_back_up, own_controlplane, tmp_path / "copy")
        streaming = rig.factory(probe=0.5, **QUICK)
        paging = rig.factory(probe=0.5, streaming_lists=False, **QUICK)
        followed = [rig.follow(paging), *(rig.follow(streaming, each) for each in (CONFIG_MAPS, PODS, EVENTS))]
        await rig.equal(*followed)
        await rig.change(*NAMES)
        await rig.create(*(f"lost{number}" for number in range(300)))
        await rig.create(*NAMES, resource=PODS)
        await rig.equal(*followed)
        await asyncio.to_thread(_restore, own_controlplane, tmp_path / "copy")
        for each in followed:
            await each.becomes("live", within=30)
        await rig.equal(*followed, within=30, restored=True)
        for each in followed[:2]:
            assert each.ledger.went_back == [rig.key("c1")]
            assert sorted(each.ledger.objects) == sorted(map(rig.key, NAMES))


def _back_up(controlplane: ControlPlane, copy: Path) -> None:
    controlplane.kill()
    controlplane.etcd.kill()
    controlplane.etcd.back_up(copy)
    controlplane.start()


def _restore(controlplane: ControlPlane, copy: Path) -> None:
    controlplane.kill()
    controlplane.etcd.kill()
    controlplane.etcd.restore(copy)
    controlplane.start()
