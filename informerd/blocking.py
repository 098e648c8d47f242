"""Informers for scripts: no asyncio in sight.

with informers() as cluster:
    pods = cluster.informer("pods")
    cluster.wait_for_sync(30)
    for pod in pods.list("default"):
        print(pod.key)

Everything happens on an event loop in a thread of its own. Whatever is asked for is read there, in one turn of the
loop, in which nothing else changes: each answer is a consistent snapshot, and its objects are frozen. Two answers may
differ.
"""

from __future__ import annotations

import atexit
import builtins
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Generic, Self, TypeVar, Unpack, overload

from informerd.client import Client
from informerd.clock import SystemClock, within
from informerd.cluster import current_cluster
from informerd.cluster_config import ClusterConfig
from informerd.errors import NotInTime, NotSynced
from informerd.factory import Narrowing, SharedInformerFactory, why_not
from informerd.field_selector import FieldSelector
from informerd.handler import Handler
from informerd.health import Health
from informerd.label_selector import LabelSelector
from informerd.loop_thread import LoopThread, refuse_inside_event_loop
from informerd.objects import Object
from informerd.reflector_settings import ReflectorSettings
from informerd.resource import Resource
from informerd.shared_informer import Registration, SharedInformer

T = TypeVar("T", bound=Object)
R = TypeVar("R")

TIMEOUT = 60.0
"""Seconds for which is waited where nothing else is said."""


class BlockingRegistration(Generic[T]):
    """A handler's registration, for any thread."""

    def __init__(self, loop: LoopThread, registration: Registration[T]) -> None:
        self._loop = loop
        self._registration = registration

    @property
    def has_synced(self) -> bool:
        """Whether each initial add has been delivered (returned or raised)."""
        return self._registration.has_synced

    @property
    def failures(self) -> int:
        """How often the handler raised."""
        return self._registration.failures

    @property
    def depth(self) -> int:
        """Notifications that wait for the handler."""
        return self._registration.depth

    def wait_for_sync(self, timeout: float | None = TIMEOUT) -> None:
        """Wait until `has_synced`, `timeout` seconds at most. Raises NotInTime, and InformerStopped."""
        name = self._registration.name
        late = partial(NotInTime, f"the handler {name} has not been told of the first list within {timeout} s")
        self._loop.run(lambda: _in_time(self._registration.wait_for_sync, timeout, late))

    def remove(self) -> None:
        """Tell the handler nothing more; what was not delivered is dropped. May be repeated, also by the handler."""
        self._registration.remove()


class BlockingInformer(Generic[T]):
    """One informer, for any thread. Reading before it has synced raises NotSynced, rather than show half of a list."""

    def __init__(self, loop: LoopThread, factory: SharedInformerFactory, informer: SharedInformer[T]) -> None:
        self._loop = loop
        self._factory = factory
        self._informer = informer

    @property
    def has_synced(self) -> bool:
        """Whether the store has held a first complete list."""
        return self._informer.has_synced

    def health(self) -> Health:
        """How fresh the answers are, right now."""
        return self._loop.call(self._informer.health)

    def get(self, name: str, namespace: str = "") -> T:
        """The object of that name. Raises NotFound, as the API server would, and NotSynced."""
        return self._read(lambda: self._informer.lister.get(name, namespace))

    def list(
        self,
        namespace: str = "",
        *,
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        where: Callable[[T], bool] | None = None,
    ) -> builtins.list[T]:
        """The objects of a namespace (of all without one) that meet all that is asked for, as of one moment.

        `where` is called in the calling thread. Raises MalformedSelector, UnknownField and NotSynced.
        """
        lister = self._informer.lister
        found = self._read(lambda: lister.list(namespace, label_selector=label_selector, field_selector=field_selector))
        return found if where is None else [*filter(where, found)]

    def wait_for_sync(self, timeout: float | None = TIMEOUT) -> None:
        """Wait until `has_synced`, `timeout` seconds at most. Raises NotInTime, which says why not."""
        self._loop.run(lambda: _in_time(self._informer.wait_for_sync, timeout, partial(self._late, timeout)))

    def wait_for(self, resource_version: str, timeout: float | None = TIMEOUT) -> None:
        """Wait until the store has seen that version, such as that of one's own write. Raises NotInTime."""
        waiting = partial(self._informer.wait_for, resource_version)
        self._loop.run(lambda: _in_time(waiting, timeout, partial(self._late, timeout)))

    def add_handler(
        self,
        handler: Handler[T],
        *,
        resync: float | None = None,
        same_version_updates: bool | None = None,
        name: str = "",
    ) -> BlockingRegistration[T]:
        """Tell `handler`, in a thread of its own: see `SharedInformer.add_handler`. Its functions may block."""
        adding = partial(
            self._informer.add_handler,
            handler,
            resync=resync,
            same_version_updates=same_version_updates,
            name=name,
            in_thread=True,
        )
        return BlockingRegistration(self._loop, self._loop.call(adding))

    def drop(self) -> None:
        """Stop it, because nobody needs it any more."""
        self._loop.run(lambda: self._factory.drop(self._informer))

    def _read(self, read: Callable[[], R]) -> R:
        def reading() -> R:
            if not self._informer.has_synced:
                raise NotSynced({self._informer.resource.key: why_not(self._informer.health())})
            return read()

        return self._loop.call(reading)

    def _late(self, timeout: float | None) -> NotInTime:
        key, why = self._informer.resource.key, why_not(self._informer.health())
        return NotInTime(f"waited {timeout} s for {key}, which is {why}")


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
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        try:
            self._loop.run(self._end)
        finally:
            self._loop.close()

    @overload
    def informer(self, resource: str | Resource, **narrowing: Unpack[Narrowing]) -> BlockingInformer[Object]: ...

    @overload
    def informer(
        self, resource: str | Resource, projection: type[T], **narrowing: Unpack[Narrowing]
    ) -> BlockingInformer[T]: ...

    def informer(
        self, resource: str | Resource, projection: type[Any] = Object, **narrowing: Unpack[Narrowing]
    ) -> BlockingInformer[Any]:
        """The informer of a resource, started: by its name (``po``, ``deployments.apps``) or as a Resource.

        Narrowed as in `SharedInformerFactory.informer`, and raises as that; for names as `informer_for`.
        """
        return BlockingInformer(
            self._loop, self._factory, self._loop.run(partial(self._start, resource, projection, narrowing))
        )

    def wait_for_sync(self, timeout: float | None = TIMEOUT) -> None:
        """Wait until all have synced, `timeout` seconds at most. Raises CacheSyncTimeout: who has not, and why."""
        self._loop.run(lambda: self._factory.wait_for_cache_sync(timeout))

    def run(self, use: Callable[[Client], Coroutine[Any, Any, R]]) -> R:
        """Anything else that the client can do: ``cluster.run(lambda client: client.get(PODS, "a", "default"))``."""
        return self._loop.run(lambda: use(self._client))

    def _begin(self, config: ClusterConfig) -> None:
        self._client = Client(config)
        self._factory = SharedInformerFactory(self._client, resync=self._resync, settings=self._settings)

    async def _start(self, resource: str | Resource, projection: type[T], narrowing: Narrowing) -> SharedInformer[T]:
        found = await self._factory.resolve(resource) if isinstance(resource, str) else resource
        informer = self._factory.informer(found, projection, **narrowing)
        self._factory.start()
        return informer

    async def _end(self) -> None:
        try:
            await self._factory.stop()
        finally:
            await self._client.close()


informers = Informers
"""``with informers() as cluster``: the cluster that this machine is set up for, or the one of a ClusterConfig."""


async def _in_time(
    wait: Callable[[], Coroutine[Any, Any, None]], timeout: float | None, late: Callable[[], NotInTime]
) -> None:
    try:
        async with within(timeout, SystemClock()):
            await wait()
    except TimeoutError:
        raise late() from None
