"""Tests of etcd compaction, after which older watches expire (410)."""

from __future__ import annotations

import asyncio
import dataclasses
import random

import pytest

from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, EVENTS, QUICK, Rig
from tests.support.tcp_proxy import Wire

NAMES = [f"c{number}" for number in range(5)]


async def test_events_expire_on_any_api_server_and_other_kinds_do_not(fragile: Rig) -> None:
    """The watch cache, which knows some history of its own, has no events."""
    rig = fragile
    await rig.create(*NAMES)
    await rig.create(*NAMES, resource=EVENTS)
    async with Wire(rig.controlplane.api_port) as wire:
        config = dataclasses.replace(rig.client.config, server=f"https://127.0.0.1:{wire.port}")
        factory = rig.factory(config, **QUICK)
        events, config_maps = rig.follow(factory, EVENTS), rig.follow(factory)
        await rig.equal(events, config_maps)
        await wire.cut()
        await rig.change(*NAMES)
        await rig.change(*NAMES, resource=EVENTS)
        await asyncio.to_thread(rig.controlplane.etcd.compact)
        await rig.create("last", resource=EVENTS)
        await wire.mend()
        await rig.equal(events, config_maps)
    assert (events.informer.health().relists, config_maps.informer.health().relists) == (1, 0)
    assert events.ledger.unknown_deletes == [rig.key("c0")]
    assert config_maps.ledger.unknown_deletes == []


@pytest.mark.long
async def test_writes_short_watches_and_ten_compactions_a_second_lose_nothing(uncached: Rig) -> None:
    rig, chance = uncached, random.Random(4)
    paging = rig.factory(watch_timeout=1.0, page_size=3, streaming_lists=False, **QUICK)
    streaming = rig.factory(watch_timeout=1.0, **QUICK)
    followed = [rig.follow(paging), rig.follow(streaming)]
    compacting = asyncio.create_task(_keep_compacting(rig))
    try:
        for _ in range(60):
            await _write(rig, f"c{chance.randrange(12)}", chance.random())
    finally:
        compacting.cancel()
    await asyncio.gather(compacting, return_exceptions=True)
    await rig.equal(*followed)
    for each in followed:
        assert each.informer.health().reconnects > 0


async def _write(rig: Rig, name: str, chance: float) -> None:
    present = name in {key.rpartition("/")[2] for key in await rig.served(CONFIG_MAPS, rig.namespace)}
    if not present:
        await rig.create(name)
    elif chance < 0.3:
        await rig.delete(name)
    else:
        await rig.paint(name, f"red.x{chance:.3f}"[:60])
    await asyncio.sleep(0.05)  # so that several watches end while this goes on


async def _keep_compacting(rig: Rig) -> None:
    while True:
        await asyncio.to_thread(rig.controlplane.etcd.compact)
        await asyncio.sleep(0.1)
