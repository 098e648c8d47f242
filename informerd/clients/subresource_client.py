"""Subresources of objects, such as scale, eviction, and a service account's token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypedDict, Unpack

from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.request import PatchType
from informerd.rest.response import Response
from informerd.unstructured import Json

ResourceCall = Callable[[Callable[[Resource], Awaitable[Response]]], Awaitable[Response]]
"""Makes one call with the resource that is meant, and hands on the warnings that came of it."""


class WriteOptions(TypedDict, total=False):
    """Options that every write accepts."""

    dry_run: bool
    """Checked, admitted and answered as if it were done, but nothing is stored."""
    field_manager: str
    """Owner of the fields that are set; by default the client's."""
    field_validation: str
    """Treatment of unknown fields: Strict (an error, the default), Warn or Ignore."""


class SubresourceClient:
    """The verbs of one subresource. Its objects are of a kind of their own, so they are plain dicts here.

    Raises what `ResourceClient` raises.
    """

    def __init__(self, client: Client, call: ResourceCall, namespace: str, subresource: str) -> None:
        self._client = client
        self._call = call
        self._namespace = namespace
        self._subresource = subresource

    async def get(self, name: str) -> Json:
        """The subresource of the object `name`."""
        client, place = self._client, self._namespace
        return (await self._call(lambda r: client.get(r, name, place, subresource=self._subresource))).object()

    async def create(self, name: str, body: Json, **options: Unpack[WriteOptions]) -> Json:
        """POST to it, as an eviction is made."""
        client, place, sub = self._client, self._namespace, self._subresource
        answer = await self._call(lambda r: client.create(r, body, place, name=name, subresource=sub, **options))
        return answer.object()

    async def update(self, name: str, body: Json, **options: Unpack[WriteOptions]) -> Json:
        """PUT it; with the resourceVersion it was read with, Conflict where it has changed since."""
        client, place, sub = self._client, self._namespace, self._subresource
        named = {**body, "metadata": {**(body.get("metadata") or {}), "name": name}}
        return (await self._call(lambda r: client.update(r, named, place, subresource=sub, **options))).object()

    async def patch(
        self,
        name: str,
        patch: Json | Sequence[Any] | bytes,
        patch_type: PatchType = "merge",
        *,
        force: bool = False,
        **options: Unpack[WriteOptions],
    ) -> Json:
        """PATCH it; with ``apply``, `force` takes fields over from others."""
        client, place, sub = self._client, self._namespace, self._subresource
        answer = await self._call(
            lambda r: client.patch(r, name, place, patch, patch_type, subresource=sub, force=force, **options)
        )
        return answer.object()
