"""Tests of waits for a condition of an informer's store, on a real API server and by a clock that stands still."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator

import pytest

from informerd import (
    Client,
    DynamicClient,
    InformerStopped,
    InvalidCall,
    Json,
    Lister,
    NotInTime,
    Object,
    ResourceClient,
    SharedInformer,
    SharedInformerFactory,
    informers,
    load_kubeconfig,
    resources,
)
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually


class ConfigMap(Object, frozen=True):
    data: dict[str, str] = {}


@pytest.fixture
def namespace(controlplane: ControlPlane) -> str:
    return controlplane.create_namespace(f"wait-{uuid.uuid4().hex[:8]}")


@pytest.fixture
async def client(controlplane: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        yield client


@pytest.fixture
def maps(client: Client, namespace: str) -> ResourceClient[Json]:
    return DynamicClient(client).resource(resources.CONFIG_MAPS, namespace)


@pytest.fixture
async def informer(client: Client, namespace: str) -> AsyncIterator[SharedInformer[ConfigMap]]:
    async with SharedInformerFactory(client) as factory:
        informer = factory.informer(resources.CONFIG_MAPS, ConfigMap, namespace=namespace)
        factory.start()
        yield informer


def config_map(name: str, **data: str) -> Json:
    return {"metadata": {"name": name}, "data": data}


async def test_it_waits_for_the_first_list_and_then_for_changes(
    informer: SharedInformer[ConfigMap], maps: ResourceClient[Json], namespace: str
) -> None:
    assert await informer.wait_until(lambda lister: not lister.list(), 30) is True
    waiting = asyncio.create_task(
        informer.wait_until(lambda lister: lister.list(where=lambda each: "ready" in each.data), 30)
    )
    await maps.create(config_map("a"))
    await maps.create(config_map("b", ready="yes"))
    assert [each.key for each in await waiting] == [f"{namespace}/b"]
    assert len(await informer.wait_until(lambda lister: lister.list(), 30)) == 2


async def test_an_object_that_is_not_there_is_not_there_yet(
    informer: SharedInformer[ConfigMap], maps: ResourceClient[Json], namespace: str
) -> None:
    waiting = asyncio.create_task(informer.wait_until(lambda lister: lister.get("a", namespace), 30))
    await informer.wait_for_sync()
    await maps.create(config_map("a", colour="red"))
    assert (await waiting).data == {"colour": "red"}


async def test_each_batch_is_asked_about(informer: SharedInformer[ConfigMap], maps: ResourceClient[Json]) -> None:
    """A wait that polled would not be asked between two looks, and one by events is not asked without one."""
    seen: list[int] = []

    def count(lister: Lister[ConfigMap]) -> bool:
        seen.append(len(lister.list()))
        return seen[-1] == 3

    waiting = asyncio.create_task(informer.wait_until(count, 30))
    await eventually(lambda: seen)
    for name in "abc":
        made = await maps.create(config_map(name))
        await informer.wait_for(made["metadata"]["resourceVersion"])
    await waiting
    assert [*dict.fromkeys(seen)] == [0, 1, 2, 3]  # a bookmark asks again


async def test_what_the_predicate_raises_comes_out_at_once_and_later(
    informer: SharedInformer[ConfigMap], maps: ResourceClient[Json]
) -> None:
    await informer.wait_for_sync()
    with pytest.raises(ZeroDivisionError):
        await informer.wait_until(lambda lister: 1 // len(lister.list()), 30)
    waiting = asyncio.create_task(informer.wait_until(lambda lister: lister.list() and 1 // 0, 30))
    await asyncio.sleep(0)
    await maps.create(config_map("a"))
    with pytest.raises(ZeroDivisionError):
        await waiting
    assert informer.health().state == "live"


async def test_an_async_predicate_is_refused(informer: SharedInformer[ConfigMap]) -> None:
    async def is_met(lister: Lister[ConfigMap]) -> bool:
        return True

    with pytest.raises(InvalidCall, match="plain function"):
        await informer.wait_until(is_met)  # type: ignore[unused-coroutine]


async def test_after_the_time_the_error_says_the_last_answer(client: Client, namespace: str) -> None:
    clock = FakeClock()
    async with SharedInformerFactory(client, clock=clock) as factory:
        informer = factory.informer(resources.CONFIG_MAPS, ConfigMap, namespace=namespace)
        factory.start()
        await informer.wait_for_sync()
        waiting = asyncio.create_task(informer.wait_until(lambda lister: lister.list(), 60))
        await clock.wait_for_sleeper(60, 60.1)
        await clock.advance(60)
        words = r"waited 60 s for a condition of configmaps, which are \w+.*: its last answer was \[\]"
        with pytest.raises(TimeoutError, match=words):
            await waiting


async def test_the_end_of_the_informer_ends_the_wait(informer: SharedInformer[ConfigMap]) -> None:
    await informer.wait_for_sync()
    waiting = asyncio.create_task(informer.wait_until(lambda _: False))
    await asyncio.sleep(0)
    await informer.close()
    with pytest.raises(InformerStopped):
        await waiting
    with pytest.raises(InformerStopped):
        await informer.wait_until(lambda _: True)


async def test_a_script_without_asyncio_waits_as_well(
    controlplane: ControlPlane, maps: ResourceClient[Json], namespace: str
) -> None:
    await maps.create(config_map("a"))

    def script() -> str:
        with informers(load_kubeconfig(controlplane.kubeconfig)) as cluster:
            found = cluster.informer(resources.CONFIG_MAPS, ConfigMap, namespace=namespace)
            key = found.wait_until(lambda lister: lister.get("a", namespace), 30).key
            with pytest.raises(NotInTime):
                found.wait_until(lambda _: False, 0)
            return key

    assert await asyncio.to_thread(script) == f"{namespace}/a"
