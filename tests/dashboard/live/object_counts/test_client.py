"""A web process's end: believes the younger of two workers, and passes looks on no oftener than it has to."""

from __future__ import annotations

import asyncio

from channels.layers import InMemoryChannelLayer

from dashboard.census.link import SAID, SILENCE, CensusLink
from dashboard.census.messages import LOOK_GROUP, Census, Counted
from informerd.resource import PODS, Resource
from tests.clock import FakeClock, settle
from tests.live.fake_layer import RecordingLayer

LEASES = Resource(group="coordination.k8s.io", version="v1", plural="leases", kind="Lease")


def link() -> tuple[CensusLink, FakeClock]:
    clock = FakeClock()
    return CensusLink(RecordingLayer(), clock), clock


def test_of_two_workers_the_younger_is_believed_until_it_is_silent() -> None:
    heard, clock = link()
    heard.take(Census("2", (Counted(LEASES, 3, 1.0),)))
    heard.take(Census("1", (Counted(LEASES, 99, 1.0),)))
    assert heard.kinds[LEASES.key].count == 3
    clock._now += SILENCE
    heard.take(Census("1", (Counted(LEASES, 99, 1.0),)))
    assert heard.kinds[LEASES.key].count == 99


def test_its_name_changes_with_the_kinds_and_not_with_the_counts() -> None:
    heard, _ = link()
    heard.take(Census("1", (Counted(LEASES, 3, 1.0),)))
    before = heard.names
    heard.take(Census("1", (Counted(LEASES, 4, 2.0),)))
    assert heard.names == before != ""
    heard.take(Census("1", (Counted(LEASES), Counted(PODS))))
    assert heard.names != before


async def test_however_many_look_the_workers_hear_it_once_in_a_while() -> None:
    layer, clock = InMemoryChannelLayer(), FakeClock()
    heard = CensusLink(layer, clock)
    mine = await layer.new_channel()
    await layer.group_add(LOOK_GROUP, mine)
    running = asyncio.create_task(heard.run())
    for _ in range(100):
        heard.look()
    await settle()
    assert (await layer.receive(mine))["type"] == "census.look"
    heard.look()
    await settle()
    assert mine not in layer.channels or layer.channels[mine].empty()
    clock._now += SAID
    heard.look()
    await settle()
    assert (await layer.receive(mine))["type"] == "census.look"
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
