"""Informer factory: one informer for each resource, and one probe for all of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, NamedTuple, Self, TypedDict, TypeVar, Unpack, overload

from informerd.cache.api_server_probe import INTERVAL, Probe
from informerd.cache.health import not_synced_reason
from informerd.cache.list_watch import ListWatch
from informerd.cache.lister import Lister
from informerd.cache.mutation_detector import MutationHandler
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock, SystemClock, within
from informerd.decoding.decoder import Reduce, Transform
from informerd.errors import CacheSyncTimeout, InformerExists, InformerStopped, InvalidCall, NotWatchable
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.selectors.field_selector import FieldSelector, as_field_selector
from informerd.selectors.label_selector import LabelSelector, as_label_selector
from informerd.selectors.shard_selector import ShardSelector, as_shard_selector

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)


class _Scope(NamedTuple):
    group: str
    version: str
    plural: str
    namespace: str
    label_selector: str
    field_selector: str
    shard_selector: str
    metadata_only: bool

    def __str__(self) -> str:
        key = f"{self.plural}.{self.group}" if self.group else self.plural
        where = (
            self.namespace and f"namespace {self.namespace}",
            self.label_selector,
            self.field_selector and f"fields:{self.field_selector}",
            self.shard_selector,
            "metadata only" if self.metadata_only else "",
        )
        narrowed = ", ".join(filter(None, where))
        return f"{key} ({narrowed})" if narrowed else key


class InformerOptions(TypedDict, total=False):
    """Options that narrow an informer, see `SharedInformerFactory.informer`."""

    transform: Transform | None
    reduce: Reduce | None
    namespace: str
    label_selector: str | LabelSelector
    field_selector: str | FieldSelector
    shard_selector: str | ShardSelector


class _Entry(NamedTuple):
    informer: SharedInformer[Any]
    projection: type[Object]
    transform: Transform | None
    reduce: Reduce | None


class SharedInformerFactory:
    """Makes informers that share one client and one probe, starts them and stops them.

    `resync` (seconds, 0 for none) is the default for handlers; the API server is probed every `probe_interval` seconds.
    `on_mutation` is called with objects that were changed in a store; this costs time and memory and is for development
    and tests, see `informerd.cache.mutation_detector`. With ``async with``, the factory stops at the end.
    """

    def __init__(
        self,
        client: Client,
        *,
        clock: Clock | None = None,
        resync: float = 0.0,
        settings: ReflectorSettings | None = None,
        probe_interval: float = INTERVAL,
        discovery: Discovery | None = None,
        on_mutation: MutationHandler | None = None,
    ) -> None:
        self._client = client
        self._clock = clock or SystemClock()
        self._resync = resync
        self._settings = settings
        self._entries: dict[_Scope, _Entry] = {}
        self._tasks: dict[str | _Scope, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._stopped = False
        self._on_mutation = on_mutation
        self.discovery = discovery or Discovery(client, clock=self._clock)
        self.probe = Probe(client, clock=self._clock, interval=probe_interval)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @overload
    def informer(
        self,
        resource: Resource,
        *,
        transform: Transform | None = None,
        reduce: Reduce | None = None,
        namespace: str = "",
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        shard_selector: str | ShardSelector = "",
    ) -> SharedInformer[Object]: ...

    @overload
    def informer(
        self,
        resource: Resource,
        projection: type[T],
        *,
        transform: Transform | None = None,
        reduce: Reduce | None = None,
        namespace: str = "",
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        shard_selector: str | ShardSelector = "",
    ) -> SharedInformer[T]: ...

    def informer(
        self,
        resource: Resource,
        projection: type[Object] = Object,
        *,
        transform: Transform | None = None,
        reduce: Reduce | None = None,
        namespace: str = "",
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        shard_selector: str | ShardSelector = "",
    ) -> SharedInformer[Any]:
        """The informer of that resource, namespace ("" for all) and selectors: always the same one.

        `projection` is the class that its objects are decoded into. `transform` changes an object's JSON before
        anything is decoded or stored, to mask secrets for example. `reduce` makes of a decoded object what the store
        keeps and handlers get, with the same metadata and blob, to save memory; one that raises is as a transform that
        does. Selectors may be given as text; equivalent selectors are the same. With a `shard_selector` it has a part
        of the objects, see `ShardSelector.of`. It runs after the next `start`. Raises InformerExists where it exists
        with another projection, transform or reduce, MalformedSelector, UnusableProjection, and InformerStopped after
        `stop`.
        """
        return self._informer(
            resource,
            projection,
            transform=transform,
            reduce=reduce,
            namespace=namespace,
            label_selector=label_selector,
            field_selector=field_selector,
            shard_selector=shard_selector,
        )

    async def informer_for(
        self, name: str, projection: type[T], **narrowing: Unpack[InformerOptions]
    ) -> SharedInformer[T]:
        """As `informer`, for a resource by one of its names: ``deploy``, ``deployments.apps``, ``Mydemo``.

        Raises UnknownResource, NotWatchable for kinds that cannot be listed and watched, ApiError and Unreachable too.
        """
        return self.informer(await self.resolve(name), projection, **narrowing)

    async def resolve(self, name: str) -> Resource:
        """The resource that a name means, see `Discovery.resolve`. Raises as `informer_for`."""
        resource = await self.discovery.resolve(name)
        if not resource.verbs >= {"list", "watch"}:
            raise NotWatchable(resource.key, resource.verbs)
        return resource

    def metadata_informer(self, resource: Resource, **narrowing: Unpack[InformerOptions]) -> SharedInformer[Object]:
        """As `informer`, for metadata only: nothing else is requested, sent or stored.

        The objects are of kind PartialObjectMetadata, in JSON and in Python. It is another informer than that of the
        whole objects.
        """
        return self._informer(resource, Object, metadata_only=True, **narrowing)

    def _informer(
        self,
        resource: Resource,
        projection: type[Object],
        *,
        metadata_only: bool = False,
        transform: Transform | None = None,
        reduce: Reduce | None = None,
        namespace: str = "",
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        shard_selector: str | ShardSelector = "",
    ) -> SharedInformer[Any]:
        if self._stopped:
            raise InformerStopped("the factory has stopped")
        if not isinstance(resource, Resource):
            problem = f"an informer needs a Resource, such as PODS, not {resource!r}"
            raise InvalidCall(f"{problem}: informer_for() accepts a name")
        labels, fields = str(as_label_selector(label_selector)), str(as_field_selector(field_selector))
        shards = str(as_shard_selector(shard_selector))
        scope = _Scope(
            resource.group, resource.version, resource.plural, namespace, labels, fields, shards, metadata_only
        )
        entry = self._entries.get(scope)
        if entry is None:
            list_watch = ListWatch(
                self._client,
                resource,
                projection=projection,
                transform=transform,
                reduce=reduce,
                namespace=namespace,
                label_selector=labels,
                field_selector=fields,
                shard_selector=shards,
                metadata_only=metadata_only,
                clock=self._clock,
            )
            informer = SharedInformer(
                list_watch,
                clock=self._clock,
                probe=self.probe,
                resync=self._resync,
                settings=self._settings,
                on_mutation=self._on_mutation,
            )
            entry = self._entries[scope] = _Entry(informer, projection, transform, reduce)
        elif (entry.projection, entry.transform, entry.reduce) != (projection, transform, reduce):
            requested = projection.__name__ if projection is not entry.projection else "another transform or reduce"
            existing = f"there is an informer of {resource.key} with {entry.projection.__name__} already"
            raise InformerExists(f"{existing}, now asked for with {requested}")
        return entry.informer

    def lister(self, resource: Resource, projection: type[T], **narrowing: Unpack[InformerOptions]) -> Lister[T]:
        """The lister of the informer that `informer` gives for these arguments. Raises as `informer` does."""
        return self.informer(resource, projection, **narrowing).lister

    @property
    def informers(self) -> list[SharedInformer[Any]]:
        """All informers that were asked for, in that order."""
        return [entry.informer for entry in [*self._entries.values()]]

    def start(self) -> None:
        """Start the informers that do not run yet, in the running event loop. Call it again for later informers."""
        if self._stopped:
            raise InformerStopped("the factory has stopped")
        if self._entries and "probe" not in self._tasks:
            self._begin("probe", self.probe.run(), "probe")
        for scope, entry in self._entries.items():
            if scope not in self._tasks:
                self._begin(scope, entry.informer.run(), f"informer {entry.informer.resource.key}")

    async def wait_for_cache_sync(self, timeout: float | None = None) -> None:
        """Wait until every started informer has synced or been dropped, `timeout` seconds at most.

        Raises CacheSyncTimeout, which names those that have not and says why not, and InformerStopped.
        """
        started = {scope: entry.informer for scope, entry in self._entries.items() if scope in self._tasks}
        try:
            async with within(timeout, self._clock):
                for informer in started.values():
                    await self._synced_or_dropped(informer)
        except TimeoutError:
            pending = _pending({scope: each for scope, each in started.items() if not each.has_synced})
            raise CacheSyncTimeout(pending, f"not synced within {timeout:g} s: {{}}") from None

    async def _synced_or_dropped(self, informer: SharedInformer[Any]) -> None:
        try:
            await informer.wait_for_sync()
        except InformerStopped:
            if self._stopped:
                raise

    async def drop(self, *informers: SharedInformer[Any]) -> None:
        """Stop informers that are no longer needed, and wait for their end. A later request makes new ones.

        An informer of another factory, or one dropped before, is ignored.
        """
        scopes = [scope for scope, entry in self._entries.items() if entry.informer in informers]
        dropped = [(self._entries.pop(scope).informer, self._tasks.pop(scope, None)) for scope in scopes]
        await self._end(*(task for _, task in dropped if task is not None))
        for informer, task in dropped:
            if task is None:
                await informer.close()

    async def stop(self) -> None:
        """Stop all informers and wait until their tasks and those of their handlers have ended.

        May be called again. Where it is cancelled while it waits, the end goes on, and can be waited for once more.
        """
        self._stopped = True
        await self._end(*self._tasks.values(), *self._ending)
        for informer in self.informers:
            await informer.close()

    async def _end(self, *tasks: asyncio.Task[None]) -> None:
        for task in tasks:
            if not task.cancelling():  # a second cancellation would cut short what the first one has begun
                task.cancel()
            if not task.done():
                self._ending.add(task)
                task.add_done_callback(self._ending.discard)
        if tasks:
            await asyncio.wait(tasks)

    def _begin(self, scope: str | _Scope, running: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(running, name=name)
        task.add_done_callback(_report)
        self._tasks[scope] = task


def _pending(informers: dict[_Scope, SharedInformer[Any]]) -> dict[str, str]:
    """Why each has not synced, by its scope in words; those of several versions of one kind by their version too."""
    pending: dict[str, str] = {}
    for scope, informer in informers.items():
        name = str(scope)
        pending[f"{name} {scope.version}" if name in pending else name] = not_synced_reason(informer.health())
    return pending


def _report(task: asyncio.Task[None]) -> None:
    """Log the end of a task that was not cancelled: it should have run on."""
    if not task.cancelled():
        name = task.get_name()
        log.error("%s ended by itself", name, exc_info=task.exception(), extra={"task": name})
