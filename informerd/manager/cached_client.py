"""Cached client: reads from informers, writes to the API server (controller-runtime's client and cache)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Unpack, overload
from weakref import WeakSet

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.shared_informer import SharedInformer
from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.typed_client import TypedClient
from informerd.clock import Clock
from informerd.errors import InformerExists, InvalidCall, UnknownField
from informerd.manager.cache_options import CacheOptions, combined_transform
from informerd.manager.cached_kind import CachedKind
from informerd.manager.read_your_writes import ReadYourWrites
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.selectors.field_selector import as_field_selector
from informerd.selectors.label_selector import as_label_selector
from informerd.selectors.shard_selector import as_shard_selector

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

OWN_WRITE_TIMEOUT = 10.0
"""Seconds in which a cache must show what was written."""


class CachedClient:
    """Makes CachedKinds on one factory. `rest`, `dynamic` and `typed` go past the cache."""

    def __init__(
        self,
        rest: Client,
        factory: SharedInformerFactory,
        *,
        clock: Clock,
        shared: bool = False,
        namespaces: Sequence[str] = (),
        strip_managed_fields: bool = False,
        wait_for_own_writes: bool = False,
    ) -> None:
        """`shared`: others ask the factory for informers too, and may have asked for a kind with another projection.

        Then that kind gets another informer, from `own_factory`.
        """
        self.rest = rest
        self.factory = factory
        self.own_factory: SharedInformerFactory | None = None
        self.informers: list[SharedInformer[Any]] = []
        """Those that its kinds read from."""
        self.dynamic = DynamicClient(rest, discovery=factory.discovery)
        self.typed = TypedClient(rest, discovery=factory.discovery)
        self._clock = clock
        self._shared = shared
        self._namespaces = _checked(namespaces)
        self._strip = strip_managed_fields
        self._wait = wait_for_own_writes
        self._own_writes: WeakSet[ReadYourWrites[Any]] = WeakSet()
        """Those of kinds that somebody still has; one that listens to its informer is kept by that."""

    @property
    def factories(self) -> list[SharedInformerFactory]:
        """The informer factories that it reads from."""
        return [self.factory] if self.own_factory is None else [self.factory, self.own_factory]

    @overload
    def kind(self, resource: Resource, **options: Unpack[CacheOptions]) -> CachedKind[Object]: ...

    @overload
    def kind(self, resource: Resource, projection: type[T], **options: Unpack[CacheOptions]) -> CachedKind[T]: ...

    def kind(
        self, resource: Resource, projection: type[Object] = Object, **options: Unpack[CacheOptions]
    ) -> CachedKind[Any]:
        """A kind, see `Manager.kind`."""
        if not isinstance(resource, Resource):
            raise InvalidCall(f"a kind needs a Resource, such as PODS, not {resource!r}")
        namespaces = _checked(options.get("namespaces", self._namespaces)) if resource.namespaced else ()
        informers = {each: self._informer(resource, projection, each, options) for each in namespaces or ("",)}
        holds = _holds(projection, options)
        own_writes = {each: self._own_writes_of(informer, holds) for each, informer in informers.items()}
        return CachedKind(self.rest, resource, projection, informers, own_writes, wait=self._wait)

    def close(self) -> None:
        """Take back what it added to informers."""
        for each in [*self._own_writes]:
            each.close()

    def _own_writes_of(self, informer: SharedInformer[T], holds: Callable[[T], bool]) -> ReadYourWrites[T]:
        own_writes = ReadYourWrites(informer, timeout=OWN_WRITE_TIMEOUT, clock=self._clock, is_cached=holds)
        self._own_writes.add(own_writes)
        return own_writes

    def _informer(
        self, resource: Resource, projection: type[T], namespace: str, options: CacheOptions
    ) -> SharedInformer[T]:
        transform = combined_transform(options.get("transform"), options.get("strip_managed_fields", self._strip))

        def informer_of(factory: SharedInformerFactory) -> SharedInformer[T]:
            return factory.informer(
                resource,
                projection,
                transform=transform,
                namespace=namespace,
                label_selector=options.get("label_selector", ""),
                field_selector=options.get("field_selector", ""),
                shard_selector=options.get("shard_selector", ""),
            )

        informer = self._informer_of_either(informer_of)
        if informer not in self.informers:
            self.informers.append(informer)
        return informer

    def _informer_of_either(
        self, informer_of: Callable[[SharedInformerFactory], SharedInformer[T]]
    ) -> SharedInformer[T]:
        try:
            return informer_of(self.factory)
        except InformerExists as error:
            if not self._shared:
                raise
            log.info("%s: it gets another one", error, extra={"problem": str(error)})
        if self.own_factory is None:
            self.own_factory = SharedInformerFactory(self.rest, clock=self._clock, discovery=self.factory.discovery)
        return informer_of(self.own_factory)


def _checked(namespaces: Sequence[str]) -> tuple[str, ...]:
    """Each once. Raises InvalidCall for one that is not in a list, and for what is no namespace."""
    given: Sequence[object] = namespaces
    if isinstance(given, str) or not all(isinstance(each, str) and each for each in given):
        raise InvalidCall(f"namespaces are a list of names, such as ['shop'], and none for all: not {namespaces!r}")
    return tuple(dict.fromkeys(namespaces))


def _holds(projection: type[T], options: CacheOptions) -> Callable[[T], bool]:
    """Whether the cache holds an object; false where its projection cannot tell."""
    labels = as_label_selector(options.get("label_selector", ""))
    fields = as_field_selector(options.get("field_selector", ""))
    shards = as_shard_selector(options.get("shard_selector", ""))
    try:
        matches = fields.matcher(projection)
    except UnknownField:
        return lambda _: False
    return lambda obj: labels.matches(obj.metadata.labels) and matches(obj) and shards.matches(obj.metadata)
