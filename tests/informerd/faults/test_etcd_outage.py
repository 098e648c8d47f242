"""Tests of an etcd outage under a running API server."""

from __future__ import annotations

from informerd.errors import InformerdError
from informerd.resource import PODS
from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, EVENTS, QUICK, Rig
from tests.support.wait import eventually

NAMES = [f"c{number}" for number in range(5)]


async def test_an_outage_of_etcd_loses_nothing_and_invents_nothing(fragile: Rig) -> None:
    rig = fragile
    await rig.create(*NAMES)
    factory = rig.factory(probe=0.5, watch_timeout=2.0, **QUICK)
    followed = [rig.follow(factory, resource) for resource in (CONFIG_MAPS, PODS, EVENTS)]
    await rig.equal(*followed)
    rig.controlplane.etcd.kill()
    before = [each.informer.health().reconnects for each in followed]
    await eventually(
        lambda: all(each.informer.health().reconnects > count for each, count in zip(followed, before, strict=True)),
        what="watches are begun anew without etcd",
    )
    assert len(followed[0].ledger.objects) == 5
    assert followed[0].ledger.deletes == 0
    rig.controlplane.etcd.run()
    await eventually(lambda: _writes_again(rig), within=30, what="the API server writes again")
    await rig.change(*NAMES)
    await rig.create(*NAMES, resource=PODS)
    for each in followed:
        await each.becomes("live", within=30)
    await rig.equal(*followed)


async def _writes_again(rig: Rig) -> bool:
    try:
        await rig.create("after")
    except InformerdError:
        return False
    return True
