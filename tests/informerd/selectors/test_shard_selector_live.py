"""Tests of informers of shards on the real kube-apiserver: one that sends shards, and one that ignores them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from informerd.cache.factory import InformerOptions, SharedInformerFactory
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.objects import ObjectMeta
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from informerd.selectors.shard_selector import ShardField, ShardSelector
from informerd.testing.polling import eventually
from tests.support.controlplane import ControlPlane
from tests.support.skip_if_missing import controlplane_binaries

CONFIG_MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
COUNT = 3
STREAMED = ReflectorSettings()
IN_PAGES = ReflectorSettings(streaming_lists=False, page_size=7)
HALVES = (1, 2)


class Setup(msgspec.Struct):
    client: Client
    namespace: str
    sends_shards: bool

    async def create(self, *names: str) -> None:
        for name in names:
            await self.client.create(CONFIG_MAPS, {"metadata": {"name": name}}, self.namespace)

    async def change(self, name: str, value: str) -> None:
        path = CONFIG_MAPS.path(self.namespace, name)
        obj = (await self.client.request("GET", path)).json() | {"data": {"value": value}}
        await self.client.request("PUT", path, body=obj)

    async def versions(self) -> dict[str, str]:
        """The versions of all objects by key, as the API server lists them."""
        items = (await self.client.list(CONFIG_MAPS, self.namespace)).json()["items"]
        return {f"{self.namespace}/{each['metadata']['name']}": each["metadata"]["resourceVersion"] for each in items}


@pytest.fixture(scope="module")
def sharding_controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server that sends shards (KEP-5866)."""
    directory = tmp_path_factory.mktemp("sharding")
    flags = ("--feature-gates=ShardedListAndWatch=true",)
    controlplane = ControlPlane(directory, controlplane_binaries(), apiserver_flags=flags)
    controlplane.start()
    yield controlplane
    controlplane.stop()


@pytest.fixture(params=[True, False], ids=["sends shards", "sends all"])
async def setup(
    request: pytest.FixtureRequest, sharding_controlplane: ControlPlane, controlplane: ControlPlane
) -> AsyncIterator[Setup]:
    server = sharding_controlplane if request.param else controlplane
    namespace = f"shards-{uuid4().hex[:8]}"
    await asyncio.to_thread(server.create_namespace, namespace)
    async with Client(load_kubeconfig(server.kubeconfig)) as client:
        yield Setup(client, namespace, request.param)


def versions(informer: SharedInformer[Any]) -> dict[str, str]:
    return {obj.key: obj.metadata.resource_version for obj in informer.store}


@pytest.mark.parametrize("settings", [STREAMED, IN_PAGES], ids=["streamed", "in pages"])
async def test_informers_of_all_shards_have_each_object_once_at_the_beginning_and_as_it_changes(
    setup: Setup, settings: ReflectorSettings
) -> None:
    await setup.create(*(f"object-{number}" for number in range(40)))
    factory = SharedInformerFactory(setup.client, settings=settings)
    shards = [
        factory.informer(CONFIG_MAPS, namespace=setup.namespace, shard_selector=ShardSelector.of(number, COUNT))
        for number in range(1, COUNT + 1)
    ]
    whole = factory.informer(CONFIG_MAPS, namespace=setup.namespace)

    async def are_true() -> bool:
        wanted = await setup.versions()
        found = [versions(each) for each in shards]
        is_divided = sum(map(len, found)) == len(wanted) and all(found)
        return is_divided and versions(whole) == wanted == {key: each[key] for each in found for key in each}

    try:
        factory.start()
        await factory.wait_for_cache_sync()
        assert await are_true()
        await setup.create(*(f"later-{number}" for number in range(40)))
        for number in range(0, 40, 3):
            await setup.change(f"object-{number}", "changed")
        for number in range(1, 40, 3):
            await setup.client.delete(CONFIG_MAPS, f"object-{number}", setup.namespace)
        await setup.create("object-1")  # with another uid, so it may be in another shard
        await eventually(are_true)
    finally:
        await factory.stop()


@pytest.mark.parametrize("settings", [STREAMED, IN_PAGES], ids=["streamed", "in pages"])
async def test_a_shard_without_objects_is_an_empty_list_like_any_other(
    setup: Setup, settings: ReflectorSettings
) -> None:
    await setup.create("alone")
    (alone,) = (await setup.client.list(CONFIG_MAPS, setup.namespace, {"fieldSelector": "metadata.name=alone"})).json()[
        "items"
    ]
    metadata = ObjectMeta(uid=alone["metadata"]["uid"])
    empty = next(each for each in (ShardSelector.of(number, 2) for number in HALVES) if not each.matches(metadata))
    factory = SharedInformerFactory(setup.client, settings=settings)
    informer = factory.informer(
        CONFIG_MAPS, namespace=setup.namespace, field_selector="metadata.name=alone", shard_selector=empty
    )
    try:
        factory.start()
        await factory.wait_for_cache_sync(timeout=20)
        await eventually(lambda: informer.health().state == "live")
        assert versions(informer) == {}
    finally:
        await factory.stop()


async def test_metadata_informers_and_transforms_have_their_shard_only(setup: Setup) -> None:
    await setup.create(*(f"object-{number}" for number in range(20)))
    factory = SharedInformerFactory(setup.client)
    transformed: list[bytes] = []

    def transform(raw: bytes) -> bytes:
        transformed.append(raw)
        if b'"broken' in raw:
            raise ValueError("cannot be transformed")
        return raw

    await setup.create(*(f"broken-{number}" for number in range(20)))
    halves = [InformerOptions(namespace=setup.namespace, shard_selector=ShardSelector.of(each, 2)) for each in HALVES]
    metadata = [factory.metadata_informer(CONFIG_MAPS, **each) for each in halves]
    whole = [
        factory.informer(
            CONFIG_MAPS, transform=transform, namespace=setup.namespace, shard_selector=ShardSelector.of(each, 2)
        )
        for each in HALVES
    ]
    try:
        factory.start()
        await factory.wait_for_cache_sync()
        wanted = await setup.versions()
        first, second = (versions(each) for each in metadata)
        assert not first.keys() & second.keys()
        assert first | second == wanted
        first, second = (versions(each) for each in whole)
        assert not first.keys() & second.keys()
        assert first | second == {key: each for key, each in wanted.items() if "/broken" not in key}
    finally:
        await factory.stop()


@pytest.mark.parametrize("field", ["uid", "namespace"])
async def test_the_api_server_selects_the_same_objects(sharding_controlplane: ControlPlane, field: ShardField) -> None:
    async with Client(load_kubeconfig(sharding_controlplane.kubeconfig)) as client:
        for name in ("shop", "team-a", "team-b", "billing", "web"):
            namespace = f"{name}-{uuid4().hex[:6]}"
            await asyncio.to_thread(sharding_controlplane.create_namespace, namespace)
            for number in range(5):
                await client.create(CONFIG_MAPS, {"metadata": {"name": f"object-{number}"}}, namespace)
        everything = (await client.list(CONFIG_MAPS)).json()["items"]
        assert len(everything) >= 25
        selectors = [ShardSelector.of(number, COUNT, field) for number in range(1, COUNT + 1)]
        selectors.append(ShardSelector(selectors[0].ranges + selectors[2].ranges))
        for selector in selectors:
            answer = (await client.list(CONFIG_MAPS, params={"shardSelector": str(selector)})).json()
            assert answer["metadata"]["shardInfo"] == {"selector": str(selector)}
            wanted = {each["metadata"]["uid"] for each in answer["items"]}
            found = {
                each["metadata"]["uid"]
                for each in everything
                if selector.matches(ObjectMeta(namespace=each["metadata"]["namespace"], uid=each["metadata"]["uid"]))
            }
            assert found == wanted


async def test_informers_of_two_shards_are_two_and_of_one_shard_one(setup: Setup) -> None:
    factory = SharedInformerFactory(setup.client)
    first = factory.informer(CONFIG_MAPS, shard_selector=ShardSelector.of(1, 2))
    assert factory.informer(CONFIG_MAPS, shard_selector=str(ShardSelector.of(1, 2))) is first
    assert factory.informer(CONFIG_MAPS, shard_selector=ShardSelector.of(2, 2)) is not first
    assert factory.informer(CONFIG_MAPS) is not first
    assert "shardRange(object.metadata.uid" in first.list_watch.selector
    await factory.stop()
