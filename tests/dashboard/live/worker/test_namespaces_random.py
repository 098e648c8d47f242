"""Random changes in five namespaces: a worker that may list two shows what a cluster of these two alone would."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from dashboard.live.hub.hub import Hub
from dashboard.live.hub.on_demand_kinds import Interest
from dashboard.live.object_counts.worker_client import ObjectCountsClient
from dashboard.pages.controllers.worker_client import ControllersClient
from informerd.clock import SystemClock
from tests.support.controlplane import ControlPlane
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.namespaced_worker import NamespacedWorker, Rights, namespaced_worker
from tests.support.pages.site_without_cluster import CLUSTER, Parts, WiredClient
from tests.support.wait import eventually

STEPS = 60


@pytest.fixture(autouse=True)
def short_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.worker.kind_informer.ACCESS_INTERVAL", 0.5)
    monkeypatch.setattr("dashboard.live.worker.kind_informer.SHARED_FOR", 0.0)


class RandomChanges:
    """Creates, changes and deletes ConfigMaps in all namespaces, and gives and takes rights."""

    def __init__(self, api: ControlPlane, names: list[str], rights: Rights, seed: int) -> None:
        self.api = api
        self.names = names
        self.rights = rights
        self.allowed = set(names[:2])
        self.choose = random.Random(seed)
        self.objects: dict[tuple[str, str], int] = {}

    def run(self) -> None:
        for number in range(STEPS):
            if number % 15 == 14:
                self._change_rights()
            else:
                self._change_object(number)

    def _change_rights(self) -> None:
        name = self.choose.choice(self.names[1:])
        if name in self.allowed:
            self.rights.take(name)
            self.allowed.remove(name)
        else:
            self.rights.give(name)
            self.allowed.add(name)

    def _change_object(self, number: int) -> None:
        key = (self.choose.choice(self.names), f"own-{self.choose.randrange(4)}")
        collection = f"/api/v1/namespaces/{key[0]}/configmaps"
        if key not in self.objects:
            self.api.create(collection, {"metadata": {"name": key[1]}, "data": {"n": str(number)}})
            self.objects[key] = number
        elif self.choose.random() < 0.5:
            self.api.patch(f"{collection}/{key[1]}", {"data": {"n": str(number)}})
            self.objects[key] = number
        else:
            self.api.delete(f"{collection}/{key[1]}", {})
            del self.objects[key]

    def expected(self) -> dict[str, tuple[str, str]]:
        """Uid and version by key of all objects in the allowed namespaces, as the API server has them."""
        found = {}
        for name in self.allowed:
            for item in self.api.get(f"/api/v1/namespaces/{name}/configmaps")["items"]:
                meta = item["metadata"]
                found[f"{name}/{meta['name']}"] = (meta["uid"], meta["resourceVersion"])
        return found


def shown(running: NamespacedWorker) -> dict[str, tuple[str, str]]:
    return {row.key: (row.uid, row.version) for row in running.replica().rows.values()}


async def contents(running: NamespacedWorker, namespaces: tuple[str, ...] = ()) -> list[Any]:
    """What pages and exports of this worker's rows have: the objects, and the total of the list."""
    clock, layer = SystemClock(), RecordingLayer()
    hub = Hub(running.replicas, clock)
    interest = Interest(running.replicas, hub, clock)
    parts = Parts(
        running.replicas,  # type: ignore[arg-type] # what pages use of it
        hub,
        ControllersClient(layer, clock),
        interest,
        ObjectCountsClient(layer, clock),
        clock,  # type: ignore[arg-type] # nobody moves it
        CLUSTER,
    )
    client = WiredClient(parts)
    query = f"?namespace={','.join(sorted(namespaces))}" if namespaces else ""
    answers: list[Any] = [
        await client.get(f"/resources/configmaps/export.{suffix}{query}") for suffix in ("csv", "json", "yaml")
    ]
    assert [answer.status_code for answer in answers] == [200] * 3
    return [b"".join([part async for part in answer.streaming_content]) for answer in answers]


@pytest.mark.parametrize("seed", range(3))
async def test_rows_and_exports_are_those_of_a_cluster_that_has_only_the_allowed_namespaces(
    own_controlplane: ControlPlane, seed: int
) -> None:
    names = [own_controlplane.create_namespace(f"random-{letter}") for letter in "abcde"]
    rights = Rights(own_controlplane, "alice", "alice")
    for name in names[:2]:
        rights.give(name)
    changes = RandomChanges(own_controlplane, names, rights, seed)
    async with (
        namespaced_worker(own_controlplane, "alice", "configmaps", near=(*names,)) as limited,
        namespaced_worker(own_controlplane, "admin", "configmaps") as whole,
    ):
        await asyncio.to_thread(changes.run)
        expected = await asyncio.to_thread(changes.expected)
        await eventually(lambda: limited.replica().is_live and shown(limited) == expected)
        await eventually(lambda: whole.replica().is_live and shown(whole).items() >= expected.items())
        assert set(limited.replica().health.namespaces) == changes.allowed
        assert await contents(limited) == await contents(whole, tuple(changes.allowed))
