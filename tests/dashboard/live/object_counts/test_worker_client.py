"""Tests of the object counts' client, which believes the younger of two workers and limits its requests."""

from __future__ import annotations

import asyncio

import msgspec
from channels.layers import InMemoryChannelLayer

from dashboard.live.object_counts.messages import COUNT_REQUEST_GROUP, KindCount, ObjectCounts
from dashboard.live.object_counts.worker_client import REQUEST_INTERVAL, SILENCE_TIMEOUT, ObjectCountsClient
from dashboard.objects.kinds.catalog import KINDS, kind_title
from dashboard.objects.kinds.feed_entry import EventSubject
from dashboard.pages.feed.lines import feed_line
from informerd.resource import PODS, Resource
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replica_feeder import Feeder, pod

LEASES = Resource(group="coordination.k8s.io", version="v1", plural="leases", kind="Lease")


def link() -> tuple[ObjectCountsClient, FakeClock]:
    clock = FakeClock()
    return ObjectCountsClient(RecordingLayer(), clock), clock


def test_of_two_workers_the_younger_is_believed_until_it_is_silent() -> None:
    heard, clock = link()
    heard.receive(ObjectCounts("2", (KindCount(LEASES, 3, 1.0),)))
    heard.receive(ObjectCounts("1", (KindCount(LEASES, 99, 1.0),)))
    assert heard.counts_by_key[LEASES.key].count == 3
    clock.skip(SILENCE_TIMEOUT)
    heard.receive(ObjectCounts("1", (KindCount(LEASES, 99, 1.0),)))
    assert heard.counts_by_key[LEASES.key].count == 99


def test_its_name_changes_with_the_kinds_and_not_with_the_counts() -> None:
    heard, _ = link()
    heard.receive(ObjectCounts("1", (KindCount(LEASES, 3, 1.0),)))
    before = heard.kinds_digest
    heard.receive(ObjectCounts("1", (KindCount(LEASES, 4, 2.0),)))
    assert heard.kinds_digest == before != ""
    heard.receive(ObjectCounts("1", (KindCount(LEASES), KindCount(PODS))))
    assert heard.kinds_digest != before


def test_kinds_of_one_name_are_told_apart_from_then_on() -> None:
    heard, _ = link()
    gateways = [
        Resource(group=group, version="v1", plural="gateways", kind="Gateway")
        for group in ("networking.istio.io", "example.com")
    ]
    try:
        heard.receive(ObjectCounts("1", tuple(map(KindCount, gateways))))
        assert kind_title("Gateway", "example.com") == "Gateway (example.com)"
        assert kind_title("Lease", "coordination.k8s.io") == "Lease"
        about = EventSubject("Gateway", "example.com", "shop", "web")
        entry = Feeder("events", heard._clock).entry(pod("e"), "added", "x")
        line = feed_line(KINDS["events"], msgspec.structs.replace(entry, about=about))
        assert (line.kind_title, line.name) == ("Gateway (example.com)", "web")
        gone = feed_line(KINDS["events"], msgspec.structs.replace(entry, about=about, op="deleted"))
        assert gone.op == "event", "an Event that expires deletes no Gateway"
    finally:
        heard.receive(ObjectCounts("1", (KindCount(LEASES),)))
    assert kind_title("Gateway", "example.com") == "Gateway"


async def test_however_many_look_the_workers_hear_it_once_in_a_while() -> None:
    layer, clock = InMemoryChannelLayer(), FakeClock()
    heard = ObjectCountsClient(layer, clock)
    mine = await layer.new_channel()
    await layer.group_add(COUNT_REQUEST_GROUP, mine)
    running = asyncio.create_task(heard.run())
    for _ in range(100):
        heard.request_counts()
    await run_ready_tasks()
    assert (await layer.receive(mine))["type"] == "census.look"
    heard.request_counts()
    await run_ready_tasks()
    assert mine not in layer.channels or layer.channels[mine].empty()
    clock.skip(REQUEST_INTERVAL)
    heard.request_counts()
    await run_ready_tasks()
    assert (await layer.receive(mine))["type"] == "census.look"
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
