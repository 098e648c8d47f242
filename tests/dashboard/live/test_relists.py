"""Tests of a relist after an outage, which reaches replicas as the changes found, in the same epoch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.replication.messages import Frame, frame_decoder
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replicas import Replicas
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import parse_kinds
from informerd.clock import SystemClock
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import eventually

KEY = "configmaps"
MANY = 60
COLLECTION = "/api/v1/namespaces/default/configmaps"


class Layer(InMemoryChannelLayer):  # type: ignore[misc] # channels has no types
    """Keeps the frames of KEY that went through it."""

    def __init__(self) -> None:
        super().__init__(capacity=1000)
        self.frames: list[Frame] = []

    async def group_send(self, group: str, message: dict[str, object]) -> None:
        if message["type"] == "feed.frame":
            frame = frame_decoder.decode(message["data"])  # type: ignore[arg-type]
            if frame.resource == KEY:
                self.frames.append(frame)
        await super().group_send(group, message)


@pytest.fixture
def layer() -> Layer:
    return Layer()


@pytest.fixture
async def worker(own_controlplane: ControlPlane, layer: Layer) -> AsyncIterator[Worker]:
    clock = SystemClock()
    for number in range(MANY):
        body = {"metadata": {"name": f"config-{number}"}, "data": {"said": "before"}}
        await asyncio.to_thread(own_controlplane.create, COLLECTION, body)
    async with Client(load_kubeconfig(own_controlplane.kubeconfig), clock=clock) as client:
        worker = Worker(client, layer, parse_kinds([KEY]), clock)
        worker.start()
        yield worker
        await worker.stop()


@pytest.fixture
def other(own_controlplane: ControlPlane, tmp_path: Path) -> Iterator[ControlPlane]:
    """A second API server of the same objects, for changes while the first one is away."""
    controlplane = ControlPlane(tmp_path, controlplane_binaries(), etcd=own_controlplane.etcd)
    try:
        controlplane.start()
        yield controlplane
    finally:
        controlplane.stop()


async def test_a_relist_reaches_a_replica_as_the_changes_it_found_and_nothing_else(
    own_controlplane: ControlPlane, other: ControlPlane, worker: Worker, layer: Layer
) -> None:
    """The API server comes back without the history that the worker's watch stands at: 410, and a new list."""
    replicas = Replicas(layer, parse_kinds([KEY]), SystemClock())
    running = asyncio.create_task(replicas.run())
    replica = replicas.get(KEY)
    await eventually(lambda: replica.is_live and len(replica.rows) >= MANY, within=30)
    (informer,) = worker.factory.informers
    epoch, seq, relists = replica.epoch, replica.seq, informer.health().relists
    told: list[Change] = []
    replica.on_change(told.append)
    layer.frames.clear()

    await asyncio.to_thread(own_controlplane.kill)
    await asyncio.to_thread(other.patch, f"{COLLECTION}/config-1", {"data": {"said": "after"}})
    await asyncio.to_thread(other.delete, f"{COLLECTION}/config-2")
    await asyncio.to_thread(other.create, COLLECTION, {"metadata": {"name": "new"}})
    await asyncio.to_thread(own_controlplane.etcd.compact)
    own_controlplane.launch_apiserver()
    await asyncio.to_thread(own_controlplane.wait_until_ready)
    await eventually(lambda: replica.is_live and replica.get("default", "new"), within=40)

    assert informer.health().relists > relists
    assert (replica.epoch, replica.gaps, replica.silences) == (epoch, 0, 0)
    content = [frame for frame in layer.frames if frame.has_content]
    assert [frame.seq for frame in content] == list(range(seq + 1, replica.seq + 1))
    mine = {row.name for frame in content for row in frame.rows if row.namespace == "default"}
    assert mine == {"config-1", "new"}
    assert sum(len(frame.deleted_uids) for frame in content) == 1
    changes = {(old or new).name for change in told for old, new in change.rows if (old or new).namespace == "default"}  # type: ignore[union-attr]
    assert changes == {"config-1", "config-2", "new"}
    assert not any(change.is_first_snapshot for change in told)
    stored = await asyncio.to_thread(own_controlplane.get, "/api/v1/configmaps")
    expected = {item["metadata"]["uid"]: item["metadata"]["resourceVersion"] for item in stored["items"]}
    assert {uid: row.version for uid, row in replica.rows.items()} == expected
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
