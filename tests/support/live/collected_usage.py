"""Collector of usage that polls what a test states, and what it has sent."""

from __future__ import annotations

from typing import Any

from dashboard.live.replication.channel_layer import ChannelLayerHealth
from dashboard.live.usage.messages import USAGE_GROUP, ReportPart, part_decoder
from dashboard.live.usage.usage_collector import UsageCollector
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.usage import Usage
from informerd.resource import Resource
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.fake_metrics_api import MetricsApi
from tests.support.live.replica_feeder import pod


class Collected:
    """A collector whose worker follows pods of these names in the namespace shop."""

    def __init__(self, api: MetricsApi, *names: str, **options: Any) -> None:
        self.layer, self.clock = RecordingLayer(), FakeClock()
        self.rows = {f"uid-{name}": pod(name, namespace="shop", uid=f"uid-{name}", created=1.0) for name in names}
        self.nodes: dict[str, Row] = {}
        self.allowed: tuple[str, ...] = ()
        self.is_served = True
        """Whether discovery has the metrics API."""
        self.is_connected = True
        """Whether informers have the API server."""

        async def allowed(resource: Resource) -> tuple[str, ...]:
            return self.allowed

        async def is_served() -> bool:
            return self.is_served

        self.collector = UsageCollector(
            api,
            self.layer,
            self.clock,
            epoch="1",
            rows=lambda: {"pods": self.rows, "nodes": self.nodes},
            allowed=allowed,
            is_served=is_served,
            layer_health=ChannelLayerHealth(),
            is_connected=lambda: self.is_connected,
            interval=30.0,
            **options,
        )

    async def poll(self) -> list[ReportPart]:
        """The parts of one report."""
        self.layer.sent.clear()
        await self.collector.poll()
        assert {channel for channel, _ in self.layer.sent} == {USAGE_GROUP}
        return [part_decoder.decode(message["data"]) for _, message in self.layer.sent]

    async def usages(self) -> dict[str, Usage]:
        parts = await self.poll()
        return {usage.key: usage for part in parts for _, usages in part.items for usage in usages}
