"""Tests of an API server killed (SIGKILL) and restarted with an empty watch cache."""

from __future__ import annotations

import logging
import time

import pytest

from informerd.errors import NotConnected
from informerd.resource import PODS
from tests.support.informerd.faults.faulty_proxy import proxied
from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, EVENTS, NAMESPACES, Rig
from tests.support.long_tests import long_but
from tests.support.wait import eventually

log = logging.getLogger(__name__)
NAMES = [f"c{number}" for number in range(5)]


async def test_after_a_crash_all_informers_heal_within_seconds_and_without_a_fault(fragile: Rig) -> None:
    """With informerd's own time-outs."""
    rig = fragile
    await rig.create(*NAMES)
    await rig.create(*NAMES, resource=PODS)
    factory = rig.factory()
    followed = [rig.follow(factory, resource) for resource in (CONFIG_MAPS, PODS, EVENTS, NAMESPACES)]
    await rig.equal(*followed)
    await rig.change(*NAMES)  # on its way to the informers when the API server dies
    rig.controlplane.kill()
    for each in followed:
        await each.becomes("stale")
        assert not each.informer.health().has_answer
    assert followed[0].informer.store.get(rig.key("c1")) is not None
    launched = time.monotonic()
    ready = await rig.restart_apiserver()
    await rig.change(*NAMES, resource=PODS)
    for each in followed:
        healed, name = await each.becomes("live"), each.informer.resource.plural
        log.info("%s live %.2f s after the start, %.2f s after readiness", name, healed - launched, healed - ready)
        assert each.states[:3] == ["syncing", "live", "stale"]
        assert set(each.states[3:]) <= {"live", "stale"}
    await rig.equal(*followed)


@pytest.mark.long
@pytest.mark.parametrize("streaming", long_but([True, False], True), ids=["streaming list", "list"])
async def test_a_crash_in_the_middle_of_the_first_list_is_no_sync(fragile: Rig, streaming: bool) -> None:
    rig = fragile
    await rig.create(*NAMES)
    async with proxied(rig.controlplane, rig.client.config) as proxy:
        proxy.cut = lambda _: 701  # nothing but a part of the first list comes
        factory = rig.factory(proxy.config, streaming_lists=streaming, backoff=0.1, backoff_cap=0.5)
        followed = rig.follow(factory)
        await eventually(lambda: len(proxy.seen) > 1)
        rig.controlplane.kill()
        await followed.becomes("unreachable")
        assert not followed.informer.has_synced
        assert followed.ledger.adds == 0
        proxy.cut = lambda _: None
        await rig.restart_apiserver()
        await followed.becomes("live")
        await rig.equal(followed)
        assert followed.ledger.adds == len(NAMES)


async def test_an_api_server_that_is_gone_is_known_as_one_that_nobody_can_connect_to(fragile: Rig) -> None:
    """Then it is tried more often, and the wait after its answers does not grow."""
    rig = fragile
    await rig.create(*NAMES)
    followed = rig.follow(rig.factory())
    await rig.equal(followed)
    rig.controlplane.kill()
    await eventually(lambda: any(isinstance(error, NotConnected) for error in followed.errors))
    await rig.restart_apiserver()
    await followed.becomes("live")
    await rig.equal(followed)
