"""Tests of object counts in worker and web process: a page view starts a count, and its result comes back."""

from __future__ import annotations

import asyncio

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.object_counts.collector import ObjectCountsCollector, process_name
from dashboard.live.object_counts.worker_client import ObjectCountsClient
from dashboard.live.replication.channel_layer import ChannelLayerHealth
from informerd.clock import SystemClock
from tests.dashboard.live.object_counts.test_collector import Api
from tests.support.wait import eventually


@pytest.mark.slow
async def test_a_look_has_kinds_counted_and_the_counts_come_back() -> None:
    layer, clock, api = InMemoryChannelLayer(), SystemClock(), Api(leases=3, secrets=2)
    taker = ObjectCountsCollector(
        api, api, layer, clock, epoch="1", is_followed=lambda key: key == "secrets", layer_health=ChannelLayerHealth()
    )  # fmt: skip
    link = ObjectCountsClient(layer, clock)
    running = [asyncio.create_task(link.run()), asyncio.create_task(taker.run())]
    await eventually(lambda: set(link.counts_by_key) == {"leases", "secrets"})
    assert link.counts_by_key["leases"].count is None
    assert list(link.workers) == [("1", process_name())]
    link._announced_at = float("-inf")
    link.request_counts()
    await eventually(lambda: link.counts_by_key["leases"].count == 3)
    assert link.counts_by_key["secrets"].count is None, "what is followed is not counted"
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
