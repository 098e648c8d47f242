"""One kind of a manager: reads from its informers, writes to the API server."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, Unpack

from informerd.cache.health import not_synced_reason
from informerd.cache.index import IndexFunction
from informerd.cache.lister import Lister
from informerd.cache.shared_informer import SharedInformer
from informerd.clients.resource_client import DeleteOptions, ResourceClient
from informerd.clients.subresource_client import WriteOptions
from informerd.clients.typed_client import TypedClient
from informerd.controller.handlers import EnqueueHandler
from informerd.controller.predicates import Predicate
from informerd.controller.request import Request
from informerd.controller.sources import KindSource, Source
from informerd.errors import InvalidCall, NotSynced, UnreadableObject
from informerd.manager.read_your_writes import ReadYourWrites
from informerd.manager.read_your_writes_client import ReadYourWritesClient
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.request import PatchType
from informerd.selectors.field_selector import FieldSelector
from informerd.selectors.label_selector import LabelSelector
from informerd.unstructured import Json

T = TypeVar("T", bound=Object)

ObjectRef = Request | Object | str
"""An object by its request, its key (``namespace/name``), or any state of it."""


class CachedKind(Generic[T]):
    """A kind whose objects come as `projection`, from `Manager.kind`.

    Reads answer from the cache, without a call: as fresh as the informers' health says, and raising NotSynced until
    there has been a first complete list, so that what is not there yet is never taken for what is gone. Objects are
    shared, and not to be changed.

    Writes go to the API server, and raise what `ResourceClient` raises; in leader-elected work NotLeading, where this
    process leads no more. With `wait` (by default what the manager was told) a write returns when the cache shows it,
    so that the next read sees it; NotInTime where that takes too long: then it is written all the same.
    """

    def __init__(
        self,
        client: Client,
        resource: Resource,
        projection: type[T],
        informers: dict[str, SharedInformer[T]],
        own_writes: dict[str, ReadYourWrites[T]],
        *,
        wait: bool = False,
    ) -> None:
        """`informers` and `own_writes` are by namespace, "" for all."""
        self.resource = resource
        self.projection = projection
        self._informers = informers
        self._own_writes = own_writes
        self._plain: ResourceClient[T] = TypedClient(client).resource(resource, projection)
        self._waiting: ResourceClient[T] = ReadYourWritesClient(client, resource, projection, "", self._own_writes_of)
        self._wait = wait

    def __repr__(self) -> str:
        return f"<the kind {self.resource.key} of a manager>"

    @property
    def informers(self) -> tuple[SharedInformer[T], ...]:
        """Its informers: one, or one for each of its namespaces."""
        return tuple(self._informers.values())

    @property
    def informer(self) -> SharedInformer[T]:
        """Its only informer. Raises InvalidCall where there is one for each namespace."""
        if len(self._informers) > 1:
            raise InvalidCall(f"{self.resource.key} has an informer for each of its namespaces: see `informers`")
        return self.informers[0]

    @property
    def lister(self) -> Lister[T]:
        """The lister of `informer`."""
        return self.informer.lister

    @property
    def has_synced(self) -> bool:
        """Whether reads are possible."""
        return all(informer.has_synced for informer in self.informers)

    async def wait_for_sync(self) -> None:
        """Wait until reads answer. Raises InformerStopped."""
        for informer in self.informers:
            await informer.wait_for_sync()

    def sources(self, handler: EnqueueHandler[T] | None = None, *predicates: Predicate[T]) -> builtins.list[Source]:
        """Sources for a controller: a KindSource for each informer. See `KindSource`."""
        return [KindSource(informer, handler, *predicates) for informer in self.informers]

    def get(self, ref: ObjectRef) -> T | None:
        """The object as the cache has it; None where it has none.

        Raises NotSynced, InvalidCall for a bare name, and UnreadableObject where the object exists and its present
        state cannot be read.
        """
        request = _request(ref, self.resource)
        store = self._synced(request.namespace)[0].store
        if (unreadable := store.unreadable.get(request.key)) is not None:
            raise UnreadableObject(self.resource.key, unreadable)
        return store.get(request.key)

    def list(
        self,
        namespace: str = "",
        *,
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        where: Callable[[T], bool] | None = None,
    ) -> builtins.list[T]:
        """The cache's objects of a namespace, or all, that meet all that is asked for; see `Lister.list`.

        Raises NotSynced, MalformedSelector and UnknownField.
        """
        objects: builtins.list[T] = []
        for informer in self._synced(namespace):
            objects += informer.lister.list(
                namespace, label_selector=label_selector, field_selector=field_selector, where=where
            )
        return objects

    def by_index(self, index: str, value: str, *, namespace: str = "") -> builtins.list[T]:
        """The cache's objects that an index has under a value. Raises NotSynced and UnknownIndex."""
        informers = self._synced(namespace)
        return [obj for each in informers for obj in each.lister.by_index(index, value, namespace=namespace)]

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Add an index to the cache, at any time. Raises IndexExists."""
        for informer in self.informers:
            informer.add_index(name, function)

    async def wait_for(self, obj: T) -> None:
        """Wait until the cache has seen this state of an object, such as one that a write gave back.

        Raises NotInTime and InformerStopped.
        """
        own_writes = self._own_writes_of(obj.metadata.namespace)
        if own_writes is not None:
            await own_writes.wait_until_cached(obj)

    def api(self, namespace: str = "") -> ResourceClient[T]:
        """All verbs, past the cache: reads that must be of this moment, scale, other subresources."""
        return self._plain.in_namespace(namespace)

    def in_namespace(self, namespace: str) -> ResourceClient[T]:
        """As `api`, for the helpers of `informerd.controller_util`; its writes wait for the cache where this kind's
        do."""
        return self._verbs(namespace, None)

    async def read(self, ref: ObjectRef) -> T:
        """The object as the API server has it now. Raises NotFound."""
        request = _request(ref, self.resource)
        return await self._plain.in_namespace(request.namespace).get(request.name)

    async def create(self, obj: T | Json, *, wait: bool | None = None, **options: Unpack[WriteOptions]) -> T:
        """See `ResourceClient.create`."""
        return await self._verbs("", wait).create(obj, **options)

    async def update(self, obj: T | Json, *, wait: bool | None = None, **options: Unpack[WriteOptions]) -> T:
        """See `ResourceClient.update`; a projection has some of the fields only: change what its `full()` gives."""
        return await self._verbs("", wait).update(obj, **options)

    async def update_status(self, obj: T | Json, *, wait: bool | None = None, **options: Unpack[WriteOptions]) -> T:
        """See `ResourceClient.update_status`."""
        return await self._verbs("", wait).update_status(obj, **options)

    async def patch(
        self,
        ref: ObjectRef,
        patch: Json | Sequence[Any] | bytes,
        patch_type: PatchType = "merge",
        *,
        wait: bool | None = None,
        **options: Unpack[WriteOptions],
    ) -> T:
        """See `ResourceClient.patch`. It applies to any version, unless it names a resourceVersion or uid."""
        request = _request(ref, self.resource)
        return await self._verbs(request.namespace, wait).patch(request.name, patch, patch_type, **options)

    async def patch_status(
        self,
        ref: ObjectRef,
        patch: Json | Sequence[Any] | bytes,
        patch_type: PatchType = "merge",
        *,
        wait: bool | None = None,
        **options: Unpack[WriteOptions],
    ) -> T:
        """As `patch`, for the status: ``{"status": {…}}``."""
        request = _request(ref, self.resource)
        verbs = self._verbs(request.namespace, wait)
        return await verbs.patch(request.name, patch, patch_type, subresource="status", **options)

    async def apply(
        self, obj: T | Json, *, force: bool = False, wait: bool | None = None, **options: Unpack[WriteOptions]
    ) -> T:
        """See `ResourceClient.apply`."""
        return await self._verbs("", wait).apply(obj, force=force, **options)

    async def delete(
        self,
        ref: ObjectRef,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        wait: bool | None = None,
        **options: Unpack[DeleteOptions],
    ) -> T | None:
        """See `ResourceClient.delete`; of an object that is given as such, that very one (its uid), else Conflict."""
        request = _request(ref, self.resource)
        if isinstance(ref, Object) and uid is None:
            uid = ref.metadata.uid or None
        verbs = self._verbs(request.namespace, wait)
        return await verbs.delete(request.name, uid=uid, resource_version=resource_version, **options)

    def _verbs(self, namespace: str, wait: bool | None) -> ResourceClient[T]:
        waits = self._wait if wait is None else wait
        return (self._waiting if waits else self._plain).in_namespace(namespace)

    def _own_writes_of(self, namespace: str) -> ReadYourWrites[T] | None:
        return self._own_writes.get(namespace) or self._own_writes.get("")

    def _synced(self, namespace: str) -> builtins.list[SharedInformer[T]]:
        """The informers that hold a namespace's objects, or all. Raises NotSynced, and InvalidCall for another one."""
        informers = self._informers_of(namespace)
        pending = {
            f"{self.resource.key} in {each.namespace}" if each.namespace else self.resource.key: not_synced_reason(
                each.health()
            )
            for each in informers
            if not each.has_synced
        }
        if pending:
            raise NotSynced(pending, "the cache has not synced yet: {}")
        return informers

    def _informers_of(self, namespace: str) -> builtins.list[SharedInformer[T]]:
        if not namespace or "" in self._informers:
            return [*self._informers.values()]
        if namespace not in self._informers:
            there = ", ".join(self._informers)
            raise InvalidCall(f"{self.resource.key} of the namespace {namespace} are not cached: those of {there} are")
        return [self._informers[namespace]]


def _request(which: ObjectRef, resource: Resource) -> Request:
    """Raises InvalidCall where it cannot be a key of the resource: a bare name would look like a deleted object."""
    if isinstance(which, Request):
        return which
    if isinstance(which, Object):
        return Request.of(which)
    if isinstance(which, str):
        if ("/" in which) != resource.namespaced:
            wanted = "namespace/name" if resource.namespaced else "its name alone"
            raise InvalidCall(f"{which!r} is not a key of {resource.plural}: give a Request, an object, or {wanted}")
        return Request.from_key(which)
    raise InvalidCall(f"{which!r} names no object: give a Request, an object, or its key as namespace/name")
