"""Client whose writes return when a cache shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, Unpack

from informerd.clients.codec import ProjectionCodec
from informerd.clients.resource_client import DeleteOptions, ResourceClient
from informerd.clients.subresource_client import WriteOptions
from informerd.manager.own_writes import OwnWrites
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.request import Json, PatchType

T = TypeVar("T", bound=Object)

OwnWritesLookup = Callable[[str], OwnWrites[T] | None]
"""Waiter for the writes in a namespace; None where nothing of it is cached."""


class ReadYourWritesClient(ResourceClient[T]):
    """ResourceClient, with the promise of `OwnWrites`: after a write, the next read of the cache sees it.

    Every write may raise NotInTime, too; it has been done then. Dry runs are not waited for, nor are subresources.
    """

    def __init__(
        self, client: Client, resource: Resource, projection: type[T], namespace: str, own_writes: OwnWritesLookup[T]
    ) -> None:
        super().__init__(client, resource, lambda known: ProjectionCodec(known, projection), namespace)
        self._resource = resource
        self._projection = projection
        self._own_writes = own_writes

    def in_namespace(self, namespace: str) -> ReadYourWritesClient[T]:
        if namespace == self.namespace:
            return self
        return ReadYourWritesClient(self._client, self._resource, self._projection, namespace, self._own_writes)

    async def create(self, obj: T | Json, **options: Unpack[WriteOptions]) -> T:
        return await self._shown(await super().create(obj, **options), options.get("dry_run", False))

    async def update(self, obj: T | Json, *, overwrite: bool = False, **options: Unpack[WriteOptions]) -> T:
        written = await super().update(obj, overwrite=overwrite, **options)
        return await self._shown(written, options.get("dry_run", False))

    async def update_status(self, obj: T | Json, *, overwrite: bool = False, **options: Unpack[WriteOptions]) -> T:
        written = await super().update_status(obj, overwrite=overwrite, **options)
        return await self._shown(written, options.get("dry_run", False))

    async def patch(
        self,
        name: str,
        patch: Json | Sequence[Any] | bytes,
        patch_type: PatchType = "merge",
        *,
        subresource: Literal["", "status"] = "",
        **options: Unpack[WriteOptions],
    ) -> T:
        written = await super().patch(name, patch, patch_type, subresource=subresource, **options)
        return await self._shown(written, options.get("dry_run", False))

    async def apply(
        self,
        obj: T | Json,
        *,
        force: bool = False,
        subresource: Literal["", "status"] = "",
        **options: Unpack[WriteOptions],
    ) -> T:
        written = await super().apply(obj, force=force, subresource=subresource, **options)
        return await self._shown(written, options.get("dry_run", False))

    async def delete(
        self,
        name: str,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        **options: Unpack[DeleteOptions],
    ) -> T | None:
        left, gone = await self._delete(name, uid=uid, resource_version=resource_version, **options)
        dry_run = options.get("dry_run", False)
        if left is not None:
            return await self._shown(left, dry_run)
        if not dry_run and (own_writes := self._own_writes(self.namespace)) is not None:
            await own_writes.wait_until_deleted(f"{self.namespace}/{name}" if self.namespace else name, gone or uid)
        return None

    async def _shown(self, obj: T, dry_run: bool) -> T:
        if not dry_run and (own_writes := self._own_writes(obj.metadata.namespace)) is not None:
            await own_writes.wait_until_cached(obj)
        return obj
