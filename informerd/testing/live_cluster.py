"""Cluster under a test: clients, manifests, controllers, and a wait until all are settled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Self

from informerd.cache.factory import SharedInformerFactory
from informerd.clients.dynamic_client import DynamicClient
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.testing.apply_manifest import Manifest, apply_manifest, read_manifests
from informerd.testing.controller_runner import Runnable, controllers_of, informers_of, run_controllers
from informerd.testing.wait_until_settled import wait_until_settled
from informerd.unstructured import Json


class LiveCluster:
    """Any API server that a test may write to. An async context manager.

    Its clients and informers live by real time, because the API server does: it is controllers and managers whose
    clock a test injects.
    """

    client: Client
    dynamic: DynamicClient
    """For reading and writing any kind, as plain dicts."""
    factory: SharedInformerFactory
    """For informers; `running` starts them."""

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        self._runnables: list[Runnable] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            self.client = await stack.enter_async_context(Client(self.config))
            self.factory = await stack.enter_async_context(SharedInformerFactory(self.client))
            self.dynamic = DynamicClient(self.client, discovery=self.factory.discovery)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def apply(self, *manifests: Manifest) -> list[Json]:
        """Create or patch these objects, see `apply_manifest`. Returns them as stored. Raises the errors of
        `informerd.errors`.
        """
        return [await apply_manifest(self.dynamic, manifest) for manifest in read_manifests(manifests)]

    @asynccontextmanager
    async def run_controllers(self, *runnables: Runnable) -> AsyncIterator[None]:
        """Run controllers and managers, and the factory's informers, see `controller_runner.run_controllers`."""
        self.factory.start()
        async with run_controllers(*runnables):
            self._runnables += runnables
            try:
                yield
            finally:
                self._runnables = [each for each in self._runnables if each not in runnables]

    async def wait_until_settled(self, *, within: float = 30.0) -> None:
        """Wait until everything that runs here is done, see wait_until_settled.py. Raises NotInTime."""
        controllers = [controller for each in self._runnables for controller in controllers_of(each)]
        informers = [informer for each in self._runnables for informer in informers_of(each)]
        await wait_until_settled(self.client, controllers, [*self.factory.informers, *informers], within=within)
