"""Tests of the history that a worker records of a real API server, compared with a watch of its own."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.history.cluster_identity import read_cluster_identity
from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.recorder import Recorder
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.history.verify import verify_part
from dashboard.live.history.version import Operation
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.objects.kinds.value_hashes import MEMBER
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.clock import SystemClock
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually

CONFIG_MAPS = Resource(group="", version="v1", plural="configmaps", kind="ConfigMap", namespaced=True)


@asynccontextmanager
async def recorded(
    controlplane: ControlPlane, parts: SqliteParts, *kinds: str, user: str = "admin"
) -> AsyncIterator[HistoryReader]:
    """A worker that follows these kinds and records them."""
    clock, layer = SystemClock(), InMemoryChannelLayer(capacity=1000)
    client = Client(load_kubeconfig(controlplane.kubeconfig_of(user)), clock=clock)
    cluster = await read_cluster_identity(client, controlplane.server, clock)
    history = Recorder(parts, partial(read_cluster_identity, client, controlplane.server, clock), lambda _: True, clock)
    worker = Worker(client, layer, parse_kinds(kinds), clock, history=history, hash_key=b"k" * 32)
    running = asyncio.create_task(worker.run())
    try:
        reader = HistoryReader(parts, cluster)
        for kind in kinds:
            await eventually(partial(reader.recorded_until, kind))
        yield reader
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await client.close()


LAST = {"metadata": {"name": "last"}}
"""A config map that is created last: a version's moment is when the worker has it, so all others are in by then."""


class Watched:
    """What a watch delivers of config maps of a namespace."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.seen: list[tuple[str, Object]] = []
        self._factory = SharedInformerFactory(client)
        self._informer = self._factory.informer(CONFIG_MAPS, namespace=namespace)
        self._informer.add_handler(
            HandlerFunctions(
                on_add=lambda obj, _: self.seen.append(("put", obj)),
                on_update=lambda _, obj: self.seen.append(("put", obj)),
                on_delete=lambda obj, _: self.seen.append(("delete", obj)),
            )
        )
        self._factory.start()

    async def begun(self) -> None:
        """Wait until each change is seen by itself: a list has only the last one of each object."""
        await self._informer.wait_for_sync()

    @property
    def names(self) -> list[str]:
        return [obj.metadata.name for _, obj in self.seen]

    async def stop(self) -> None:
        await self._factory.stop()


def canonical(obj: Any) -> bytes:
    """Canonical JSON without managedFields."""
    obj["metadata"].pop("managedFields", None)
    return msgspec.json.encode(obj, order="sorted")


def random_history(controlplane: ControlPlane, namespace: str, seed: int, number: int) -> None:
    """Create, change, label and delete config maps."""
    chance, path = random.Random(seed), f"/api/v1/namespaces/{namespace}/configmaps"
    existing: set[str] = set()
    for step in range(number):
        name = f"map-{chance.randrange(5)}"
        if name not in existing:
            controlplane.create(path, {"metadata": {"name": name}, "data": {"step": str(step)}})
            existing.add(name)
        elif chance.random() < 0.25:
            controlplane.delete(f"{path}/{name}")
            existing.remove(name)
        else:
            text = "".join(chance.choice('aé\\"\n€') for _ in range(chance.randrange(300)))
            change = chance.choice(
                [{"data": {"text": text}}, {"metadata": {"labels": {"l": str(step)}}}, {"data": {"step": str(step)}}]
            )
            controlplane.patch(f"{path}/{name}", change)


@pytest.mark.parametrize("seed", [1])
async def test_every_version_that_a_watch_delivers_is_read_back_exactly(
    controlplane: ControlPlane, tmp_path: Path, seed: int
) -> None:
    namespace, parts = controlplane.create_namespace(f"history-{uuid.uuid4().hex[:8]}"), SqliteParts(tmp_path)
    begin = now()
    async with recorded(controlplane, parts, "configmaps") as reader:
        client = Client(load_kubeconfig(controlplane.kubeconfig_of("admin")), clock=SystemClock())
        watched = Watched(client, namespace)
        await watched.begun()
        await asyncio.to_thread(random_history, controlplane, namespace, seed, 60)
        await asyncio.to_thread(controlplane.create, f"/api/v1/namespaces/{namespace}/configmaps", LAST)
        last = LAST["metadata"]["name"]
        await eventually(lambda: watched.names[-1:] == [last] and reader.versions("configmaps", namespace, last) != [])
        ended = now()
        await eventually(lambda: (reader.recorded_until("configmaps") or 0) > ended)
        await watched.stop()
        await client.close()
        since = reader.begin() or 0
        assert [gap for gap in reader.gaps("configmaps", since, ended) if gap.since > since] == []
        for act, obj in watched.seen:
            meta = obj.metadata
            versions = reader.versions("configmaps", namespace, meta.name, meta.uid)
            (version,) = [each for each in versions if each.resource_version == meta.resource_version]
            stored = reader.read(version)
            assert stored is not None
            assert canonical(msgspec.json.decode(stored.json)) == canonical(obj.full())
            assert version.operation is Operation.DELETED if act == "delete" else version.operation.value < 3
            assert version.time > begin
        names = set(watched.names)
        assert sum(len(reader.versions("configmaps", namespace, name)) for name in names) == len(watched.seen)
        existing = {
            each.version.object.name
            for step in reader.objects_at("configmaps", ended, namespace)
            for each in step.objects
        }
        answer = await asyncio.to_thread(controlplane.get, f"/api/v1/namespaces/{namespace}/configmaps")
        assert existing == {item["metadata"]["name"] for item in answer["items"]}
    for part in parts.list(reader.cluster):
        assert verify_part(parts, part).problems == []


async def test_of_a_secret_it_is_known_that_a_value_changed_and_nothing_of_the_value(
    controlplane: ControlPlane, tmp_path: Path
) -> None:
    namespace, parts = controlplane.create_namespace(f"history-{uuid.uuid4().hex[:8]}"), SqliteParts(tmp_path)
    path = f"/api/v1/namespaces/{namespace}/secrets"
    body = {"metadata": {"name": "vault"}, "stringData": {"password": "hunter2-hunter2", "user": "me"}}
    async with recorded(controlplane, parts, "secrets") as reader:
        await asyncio.to_thread(controlplane.create, path, body)
        change = {"stringData": {"password": "another-value-now"}}
        await asyncio.to_thread(controlplane.patch, f"{path}/vault", change)
        await eventually(lambda: len(reader.versions("secrets", namespace, "vault")) == 2)
        stored = [reader.read(each) for each in reader.versions("secrets", namespace, "vault")]
        before, after = (msgspec.json.decode(each.json) for each in stored if each is not None)
        assert before["data"] == after["data"]
        assert before[MEMBER]["data"]["password"] != after[MEMBER]["data"]["password"]
        assert before[MEMBER]["data"]["user"] == after[MEMBER]["data"]["user"]
        text = b"".join(each.json for each in stored if each is not None)
        for value in (b"hunter2", b"another", b"aHVudGVyMi", b"YW5vdGhlci"):
            assert value not in text


async def test_who_scaled_is_known_though_the_api_server_notes_no_time_of_it(
    controlplane: ControlPlane, tmp_path: Path
) -> None:
    namespace, parts = controlplane.create_namespace(f"history-{uuid.uuid4().hex[:8]}"), SqliteParts(tmp_path)
    key, path = "deployments.apps", f"/apis/apps/v1/namespaces/{namespace}/deployments"
    labels, container = {"app": "web"}, {"name": "web", "image": "web:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    async with recorded(controlplane, parts, key) as reader:
        await asyncio.to_thread(
            controlplane.create, f"{path}?fieldManager=creator", {"metadata": {"name": "web"}, "spec": spec}
        )
        for address, change in (
            ("web/scale?fieldManager=scaler", {"spec": {"replicas": 3}}),
            ("web?fieldManager=labeller", {"metadata": {"labels": labels}}),
        ):
            await asyncio.to_thread(controlplane.patch, f"{path}/{address}", change)
        await eventually(lambda: len(reader.versions(key, namespace, "web")) == 3)
        managers = sorted((each.time, each.manager) for each in reader.versions(key, namespace, "web"))
        assert [manager for _, manager in managers] == ["creator", "scaler", "labeller"]


async def test_who_may_not_read_kube_system_has_a_history_of_the_address(controlplane: ControlPlane) -> None:
    clock = SystemClock()
    identities = []
    for user in ("admin", "bob"):
        client = Client(load_kubeconfig(controlplane.kubeconfig_of(user)), clock=clock)
        identities.append(await read_cluster_identity(client, controlplane.server, clock))
        await client.close()
    assert str(uuid.UUID(identities[0])) == identities[0]
    assert identities[1].startswith("address-")


def now() -> int:
    return int(time.time() * 1e6)
