"""Fixtures with clusters for managers, and managers that run for the length of a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Protocol
from uuid import uuid4

import pytest

from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.resource_client import ResourceClient
from informerd.manager.manager import Manager
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.load_config import load_kubeconfig
from informerd.unstructured import Json
from tests.support.controlplane import ControlPlane
from tests.support.restartable_api_servers import DemoCluster

MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
NAMESPACES = Resource(version="v1", plural="namespaces", kind="Namespace", namespaced=False)


class Place:
    """A cluster, and a namespace of its own in it."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.config: ClusterConfig = client.config
        self.namespace = namespace
        self.dynamic = DynamicClient(client)
        self.maps: ResourceClient[Json] = self.dynamic.resource(MAPS, namespace)

    async def map(self, name: str, **data: str) -> Json:
        return await self.maps.create({"metadata": {"name": name}, "data": data})


@asynccontextmanager
async def placed(config: ClusterConfig) -> AsyncIterator[Place]:
    async with Client(config) as client:
        name = f"manager-{uuid4().hex[:8]}"
        await DynamicClient(client).resource(NAMESPACES).create({"metadata": {"name": name}})
        yield Place(client, name)


@pytest.fixture
async def demo() -> AsyncIterator[Place]:
    """On the demo cluster."""
    cluster = DemoCluster()
    await cluster.start_again()
    async with placed(cluster.config) as place:
        yield place
    await cluster.kill()


@pytest.fixture
async def real(controlplane: ControlPlane) -> AsyncIterator[Place]:
    """On the real API server."""
    async with placed(load_kubeconfig(controlplane.kubeconfig)) as place:
        yield place


@pytest.fixture(params=[pytest.param("real", marks=pytest.mark.controlplane), "demo"])
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    """On the real API server and on the demo cluster."""
    async with AsyncExitStack() as stack:
        if request.param == "real":
            controlplane: ControlPlane = request.getfixturevalue("controlplane")
            config = load_kubeconfig(controlplane.kubeconfig)
        else:
            cluster = DemoCluster()
            await cluster.start_again()
            stack.push_async_callback(cluster.kill)
            config = cluster.config
        yield await stack.enter_async_context(placed(config))


class Run(Protocol):
    """Starts a manager; its task is ended with the test."""

    def __call__(self, manager: Manager) -> asyncio.Task[None]: ...


@pytest.fixture
async def run() -> AsyncIterator[Run]:
    tasks: list[tuple[Manager, asyncio.Task[None]]] = []

    def start(manager: Manager) -> asyncio.Task[None]:
        task = asyncio.create_task(manager.run())
        tasks.append((manager, task))
        return task

    yield start
    for manager, task in tasks:
        manager.stop()
        await asyncio.gather(task, return_exceptions=True)


class Diary:
    """Says who has begun and ended, in order."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def runnable(self, name: str, **attributes: Any) -> Any:
        """A runnable that writes both down, and ends by cancellation."""

        async def run() -> None:
            self.lines.append(f"{name} begins")
            try:
                await asyncio.Event().wait()
            finally:
                self.lines.append(f"{name} ends")

        return type("Entry", (), {"name": name, "run": staticmethod(run), **attributes})()


@pytest.fixture
def diary() -> Diary:
    return Diary()
