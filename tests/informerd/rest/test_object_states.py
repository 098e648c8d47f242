"""Tests of waits for one object on a real API server: at once, later, and through broken connections and expiry."""

from __future__ import annotations

import asyncio
import dataclasses
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest
from kubernetes.aio.client.models import V1ConfigMap

from informerd import (
    Client,
    ClusterConfig,
    DynamicClient,
    Forbidden,
    InvalidCall,
    Json,
    NotInTime,
    Object,
    Resource,
    ResourceClient,
    TypedClient,
    load_kubeconfig,
    resources,
)
from informerd.rest.request import RestRequest
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.tcp_proxy import Wire
from tests.support.wait import eventually

T = TypeVar("T")


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


def config_map(name: str = "a", **data: str) -> Json:
    return {"metadata": {"name": name}, "data": data}


def is_ready(obj: Json) -> bool:
    return bool(obj.get("data", {}).get("ready"))


class Seen:
    """A predicate that notes what it is asked about, and lets a test wait for that."""

    def __init__(self, met: Callable[[Json], object] = is_ready) -> None:
        self.versions: list[str] = []
        self.colours: list[str] = []
        self._met = met
        self._asked = asyncio.Event()

    def __call__(self, obj: Json) -> object:
        self.versions.append(obj["metadata"]["resourceVersion"])
        self.colours.append(obj.get("data", obj).get("colour", ""))
        self._asked.set()
        return self._met(obj)

    async def asked(self) -> None:
        """Wait until it is asked (again)."""
        await self._asked.wait()
        self._asked.clear()


async def test_what_is_true_already_is_returned_at_once(maps: ResourceClient[Json]) -> None:
    made = await maps.create(config_map(ready="yes"))
    assert await maps.wait_until("a", is_ready, 30) == made


async def test_an_object_that_comes_and_becomes_ready_is_waited_for(maps: ResourceClient[Json]) -> None:
    seen = Seen()
    waiting = asyncio.create_task(maps.wait_until("a", seen, 30))
    await maps.create(config_map("other", ready="yes"))
    await maps.create(config_map(colour="red"))
    await seen.asked()
    await maps.patch("a", {"data": {"ready": "yes"}})
    assert (await waiting)["data"] == {"colour": "red", "ready": "yes"}
    assert seen.colours == ["red", "red"]


async def test_each_type_of_client_gets_its_objects(client: Client, maps: ResourceClient[Json], namespace: str) -> None:
    await maps.create(config_map(ready="yes"))
    typed = TypedClient(client)
    projection = await typed.resource(resources.CONFIG_MAPS, Object, namespace).wait_until("a", lambda obj: obj.key)
    assert projection.key == f"{namespace}/a"
    model = await typed.resource(resources.CONFIG_MAPS, V1ConfigMap, namespace).wait_until("a", lambda obj: obj.data)
    assert model.data == {"ready": "yes"}


class Patience:
    """A client by a clock of its own, whose time runs out once a watch has begun."""

    def __init__(self, config: ClusterConfig) -> None:
        self.clock = FakeClock()
        self.client = Client(config, clock=self.clock)
        self._watches = 0

    def resource(self, resource: Resource, namespace: str = "") -> ResourceClient[Json]:
        return DynamicClient(self.client.observed_by(self._observe)).resource(resource, namespace)

    async def _observe(self, call: RestRequest, send: Callable[[], Awaitable[T]]) -> T:
        answer = await send()
        self._watches += "watch=true" in call.path
        return answer

    async def end(self, waiting: Coroutine[Any, Any, object]) -> str:
        """The error of a wait of 60 s whose time runs out, after what there is has been seen."""
        self._watches = 0
        task = asyncio.create_task(waiting)
        await eventually(lambda: self._watches)
        await self.clock.advance(60)
        with pytest.raises(NotInTime) as caught:
            await task
        assert isinstance(caught.value, TimeoutError)
        return str(caught.value)


@pytest.fixture
async def patience(controlplane: ControlPlane) -> AsyncIterator[Patience]:
    patience = Patience(load_kubeconfig(controlplane.kubeconfig))
    async with patience.client:
        yield patience


async def test_after_the_time_the_error_says_what_was_seen_last(
    maps: ResourceClient[Json], namespace: str, patience: Patience
) -> None:
    watched = patience.resource(resources.CONFIG_MAPS, namespace)
    words = f"waited 60 s for configmaps a in {namespace}; last, "
    assert await patience.end(watched.wait_until("a", is_ready, 60)) == f"{words}it does not exist"
    version = (await maps.create(config_map()))["metadata"]["resourceVersion"]
    assert await patience.end(watched.wait_until("a", is_ready, 60)) == f"{words}its resource version was {version}"
    assert await patience.end(watched.wait_until_gone("a", 60)) == f"{words}its resource version was {version}"


async def test_the_error_says_the_status(patience: Patience) -> None:
    said = await patience.end(patience.resource(resources.NAMESPACES).wait_until("default", lambda _: False, 60))
    assert said.endswith(' and its status {"phase":"Active"}')


async def test_the_error_says_that_the_api_server_is_away(controlplane: ControlPlane) -> None:
    clock = FakeClock()
    async with Wire(controlplane.api_port) as wire:
        config = load_kubeconfig(controlplane.kubeconfig)
        await wire.cut()
        async with Client(dataclasses.replace(config, server=f"https://127.0.0.1:{wire.port}"), clock=clock) as client:
            namespaces = DynamicClient(client).resource(resources.NAMESPACES)
            waiting = asyncio.create_task(namespaces.wait_until("default", bool, 60))
            await clock.wait_for_sleeper(below=60)  # until it tries again
            await clock.advance(60)
            with pytest.raises(NotInTime, match=r"nothing was heard of it \(.*refused"):
                await waiting


async def test_no_state_is_left_out_after_a_broken_connection(controlplane: ControlPlane, client: Client) -> None:
    namespace = controlplane.create_namespace(f"wait-{uuid.uuid4().hex[:8]}")
    maps = DynamicClient(client).resource(resources.CONFIG_MAPS, namespace)
    await maps.create(config_map(colour="red"))
    async with Wire(controlplane.api_port) as wire:
        config = dataclasses.replace(client.config, server=f"https://127.0.0.1:{wire.port}")
        async with Client(config) as other:
            seen = Seen()
            waiting = asyncio.create_task(
                DynamicClient(other).resource(resources.CONFIG_MAPS, namespace).wait_until("a", seen, 60)
            )
            await seen.asked()
            await wire.cut()
            for data in ({"colour": "green"}, {"colour": "blue"}, {"ready": "yes"}):
                await maps.patch("a", {"data": data})
            await wire.mend()
            await waiting
    assert seen.colours == ["red", "green", "blue", "blue"]


async def test_an_expired_version_is_listed_again(controlplane: ControlPlane, client: Client) -> None:
    """Events are not in the API server's watch cache, so that their versions expire with etcd's compaction."""
    namespace = controlplane.create_namespace(f"wait-{uuid.uuid4().hex[:8]}")
    events = DynamicClient(client).resource(resources.EVENTS, namespace)
    about = {"involvedObject": {"kind": "Pod", "name": "a", "namespace": namespace}}
    await events.create({"metadata": {"name": "a"}, "message": "red", **about})
    async with Wire(controlplane.api_port) as wire:
        config = dataclasses.replace(client.config, server=f"https://127.0.0.1:{wire.port}")
        async with Client(config) as other:
            seen = Seen(lambda event: event["message"] == "blue")
            waiting = asyncio.create_task(
                DynamicClient(other).resource(resources.EVENTS, namespace).wait_until("a", seen, 60)
            )
            await seen.asked()
            await wire.cut()
            await events.patch("a", {"message": "green"})
            await events.patch("a", {"message": "blue"})
            await asyncio.to_thread(controlplane.etcd.compact)
            await wire.mend()
            assert (await waiting)["message"] == "blue"
    assert len(seen.versions) == 2  # green is forgotten


async def test_an_object_is_waited_for_until_it_is_gone(maps: ResourceClient[Json]) -> None:
    await maps.wait_until_gone("a", 30)
    made = await maps.create(config_map())
    waiting = asyncio.create_task(maps.wait_until_gone("a", 30, uid=made["metadata"]["uid"]))
    await maps.delete("a")
    await maps.create(config_map())
    await waiting


async def test_who_may_not_watch_is_told_at_once(controlplane: ControlPlane, namespace: str) -> None:
    async with Client(load_kubeconfig(controlplane.kubeconfig_of("bob"))) as client:
        maps = DynamicClient(client).resource(resources.CONFIG_MAPS, namespace)
        with pytest.raises(Forbidden):
            await maps.wait_until("a", is_ready, 30)


async def test_what_the_predicate_raises_comes_out(maps: ResourceClient[Json]) -> None:
    await maps.create(config_map())
    with pytest.raises(KeyError):
        await maps.wait_until("a", lambda obj: obj["status"], 30)


async def test_a_wait_that_cannot_work_is_refused(client: Client, maps: ResourceClient[Json]) -> None:
    async def is_met(obj: Json) -> bool:
        return True

    with pytest.raises(InvalidCall, match="plain function"):
        await maps.wait_until("a", is_met)
    with pytest.raises(InvalidCall, match="not a valid name"):
        await maps.wait_until("a/b", is_ready)
    with pytest.raises(InvalidCall, match="give a namespace"):
        await DynamicClient(client).resource(resources.CONFIG_MAPS).wait_until("a", is_ready)


async def test_a_page_leads_to_the_next_one(maps: ResourceClient[Json]) -> None:
    for name in "abcde":
        await maps.create(config_map(name))
    names: list[list[str]] = []
    token = ""
    while not names or token:
        page = await maps.page(limit=2, continue_token=token)
        names.append([each["metadata"]["name"] for each in page])
        token = page.continue_token
    assert names == [["a", "b"], ["c", "d"], ["e"]]
    with pytest.raises(InvalidCall, match="leave resource_version out"):
        await maps.page(continue_token="x", resource_version="1")
