"""Blocking informers for scripts, without asyncio.

with informers() as cluster:
    pods = cluster.informer("pods")
    cluster.wait_for_sync(30)
    for pod in pods.list("default"):
        print(pod.key)

Everything happens on an event loop in a thread of its own. Each read runs there in one turn of the loop, in which
nothing else changes: each result is a consistent snapshot, and its objects are frozen. Two results may differ.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from functools import partial
from typing import Any, Self, TypeVar, Unpack, overload

from informerd.blocking.informer import TIMEOUT, BlockingInformer
from informerd.blocking.loop_thread import LoopThread, refuse_inside_event_loop
from informerd.cache.factory import InformerOptions, SharedInformerFactory
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import InformerStopped
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.load_config import current_cluster
from informerd.rest.pod_log import LogEntry, LogOptions

T = TypeVar("T", bound=Object)
R = TypeVar("R")


class Informers:
    """A cluster's informers, for any thread: ``with informers() as cluster``, or `open` and `close` in a REPL.

    Leaving the block ends all of it: handlers, watches, connections and threads.
    """

    def __init__(
        self,
        config: ClusterConfig | None = None,
        *,
        context: str | None = None,
        resync: float = 0.0,
        settings: ReflectorSettings | None = None,
    ) -> None:
        self._config = config
        self._context = context
        self._resync = resync
        self._settings = settings
        self._loop = LoopThread("informers")
        self._client: Client
        self._factory: SharedInformerFactory
        self._closed = False

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> Self:
        """Begin. Raises ConfigError where there is no cluster to be found, and InsideEventLoop."""
        refuse_inside_event_loop()
        config = self._config or current_cluster(self._context)
        self._loop.start()
        self._loop.call(partial(self._begin, config))
        atexit.register(self.close)
        return self

    def close(self) -> None:
        """End everything and wait for it; a handler that does not return is left behind after 10 s. May be repeated."""
        if self._closed or not self._loop.is_open:
            return
        self._closed = True
        atexit.unregister(self.close)
        try:
            self._loop.run(self._end)
        finally:
            self._loop.close()

    @overload
    def informer(self, resource: str | Resource, **narrowing: Unpack[InformerOptions]) -> BlockingInformer[Object]: ...

    @overload
    def informer(
        self, resource: str | Resource, projection: type[T], **narrowing: Unpack[InformerOptions]
    ) -> BlockingInformer[T]: ...

    def informer(
        self, resource: str | Resource, projection: type[Any] = Object, **narrowing: Unpack[InformerOptions]
    ) -> BlockingInformer[Any]:
        """The informer of a resource, started: by its name (``po``, ``deployments.apps``) or as a Resource.

        Narrowed as in `SharedInformerFactory.informer`, and raises as that; for names as `informer_for`.
        """
        informer = self._loop.run(partial(self._start, resource, projection, narrowing))
        return BlockingInformer(self._loop, self._factory, informer)

    def wait_for_sync(self, timeout: float | None = TIMEOUT) -> None:
        """Wait until all have synced, for at most `timeout` seconds. Raises CacheSyncTimeout with the reasons."""
        self._loop.run(lambda: self._factory.wait_for_cache_sync(timeout))

    def run(self, function: Callable[[Client], Coroutine[Any, Any, R]]) -> R:
        """Anything else that the client can do: ``cluster.run(lambda client: client.get(PODS, "a", "default"))``."""
        return self._loop.run(lambda: function(self._client))

    def logs(
        self, pod: str, namespace: str, container: str = "", **options: Unpack[LogOptions]
    ) -> Generator[LogEntry, None, None]:
        """The log of a container, line by line; see `Client.logs`, whose options it takes. `close` ends it early."""
        entries = self._loop.call(lambda: self._client.logs(pod, namespace, container, **options))

        async def next_entry() -> LogEntry | None:
            return await anext(entries, None)

        try:
            while (entry := self._loop.run(next_entry)) is not None:
                yield entry
        finally:
            with suppress(InformerStopped):
                self._loop.run(entries.aclose)

    def _begin(self, config: ClusterConfig) -> None:
        self._client = Client(config)
        self._factory = SharedInformerFactory(self._client, resync=self._resync, settings=self._settings)

    async def _start(
        self, resource: str | Resource, projection: type[T], narrowing: InformerOptions
    ) -> SharedInformer[T]:
        resolved = await self._factory.resolve(resource) if isinstance(resource, str) else resource
        informer = self._factory.informer(resolved, projection, **narrowing)
        self._factory.start()
        return informer

    async def _end(self) -> None:
        try:
            await self._factory.stop()
        finally:
            await self._client.close()


informers = Informers
"""``with informers() as cluster``: the cluster that this machine is set up for, or the one of a ClusterConfig."""
