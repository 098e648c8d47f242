"""Client whose writes return when a cache shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from informerd.clients.codec import ProjectionCodec
from informerd.clients.resource_client import ResourceClient
from informerd.manager.read_your_writes import ReadYourWrites
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client

T = TypeVar("T", bound=Object)

ReadYourWritesLookup = Callable[[str], ReadYourWrites[T] | None]
"""Waiter for the writes in a namespace; None where nothing of it is cached."""


class ReadYourWritesClient(ResourceClient[T]):
    """ResourceClient, with the promise of `ReadYourWrites`: after a write, the next read of the cache sees it.

    Every write may raise NotInTime, too; it has been done then. Dry runs are not waited for, nor are subresources.
    """

    def __init__(
        self,
        client: Client,
        resource: Resource,
        projection: type[T],
        namespace: str,
        own_writes: ReadYourWritesLookup[T],
    ) -> None:
        super().__init__(client, resource, lambda known: ProjectionCodec(known, projection), namespace)
        self._resource = resource
        self._projection = projection
        self._own_writes = own_writes

    def in_namespace(self, namespace: str) -> ReadYourWritesClient[T]:
        if namespace == self.namespace:
            return self
        return ReadYourWritesClient(self._client, self._resource, self._projection, namespace, self._own_writes)

    async def _stored(self, obj: T) -> T:
        if (own_writes := self._own_writes(obj.metadata.namespace)) is not None:
            await own_writes.wait_until_cached(obj)
        return obj

    async def _deleted(self, name: str, uid: str | None) -> None:
        if (own_writes := self._own_writes(self.namespace)) is not None:
            await own_writes.wait_until_deleted(f"{self.namespace}/{name}" if self.namespace else name, uid)
