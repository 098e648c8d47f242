"""Tests of an API server frozen for a minute (SIGSTOP): connections stay open, and watches stay silent."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.resource import PODS
from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, EVENTS, Rig
from tests.support.wait import eventually

log = logging.getLogger(__name__)
NAMES = [f"c{number}" for number in range(5)]
FROZEN = 60.0
NOTICED_WITHIN = 15.0


@pytest.mark.long
async def test_a_minute_of_silence_is_noticed_within_fifteen_seconds_and_healed_after_it(fragile: Rig) -> None:
    """With informerd's own time-outs; this is the one test that lasts."""
    rig = fragile
    await rig.create(*NAMES)
    await rig.create(*NAMES, resource=PODS)
    factory = rig.factory()
    followed = [rig.follow(factory, resource) for resource in (CONFIG_MAPS, PODS, EVENTS)]
    await rig.equal(*followed)
    for each in followed:
        await each.becomes("live")
    rig.controlplane.pause()
    frozen = time.monotonic()
    late = asyncio.create_task(rig.change(*NAMES))  # asked of the frozen API server, done when it goes on
    for each in followed:
        noticed = await each.becomes("stale", within=NOTICED_WITHIN) - frozen
        log.info("%s stale after %.1f s", each.informer.resource.plural, noticed)
        assert "does not answer" in each.informer.health().problem
    late_comer = rig.follow(rig.factory())
    await late_comer.becomes("unreachable", within=NOTICED_WITHIN)
    await _stops_at_once(rig.factory(), rig)
    await eventually(lambda: time.monotonic() - frozen >= FROZEN, within=FROZEN + 1, what="the minute is over")
    assert [each.state for each in followed] == ["stale"] * 3
    assert [len(each.ledger.objects) for each in followed] == [5, 5, 0]
    rig.controlplane.resume()
    thawed = time.monotonic()
    for each in followed:
        healed = await each.becomes("live") - thawed
        log.info("%s live after %.2f s", each.informer.resource.plural, healed)
    await asyncio.gather(late, return_exceptions=True)  # done or refused: the API server's list is what counts
    await rig.change("c3", "c4", "c1", resource=PODS)
    await rig.equal(*followed, late_comer)
    for each in followed:
        assert each.states == ["syncing", "live", "stale", "live"]


async def _stops_at_once(factory: SharedInformerFactory, rig: Rig) -> None:
    """What a frozen server does not answer holds nobody up who stops."""
    rig.follow(factory)
    await asyncio.sleep(0.2)  # it is somewhere in its first request then
    async with asyncio.timeout(5):
        await factory.stop()
