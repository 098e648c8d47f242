"""Request for the number of a kind's objects, as cheap for the API server as possible."""

from __future__ import annotations

from typing import Protocol

import msgspec

from informerd.resource import Resource
from informerd.rest.request import Headers, Params
from informerd.rest.response import Response

_SMALL = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
"""The one object in the answer comes without its content, from servers that support it."""


class ListClient(Protocol):
    """The used part of a Client."""

    async def list(
        self, resource: Resource, namespace: str = "", params: Params | None = None, *, headers: Headers | None = None
    ) -> Response: ...


class _Meta(msgspec.Struct, rename={"more": "continue", "remaining": "remainingItemCount"}):
    more: str = ""
    remaining: int | None = None


class _Page(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)
    items: list[msgspec.Raw] | None = None


async def count(client: ListClient, resource: Resource, namespace: str = "") -> int | None:
    """Number of objects in one namespace or in all, requested with ``limit=1``.

    None where the API server does not say how many remain.

    Raises ApiError, Unreachable and MalformedAnswer.
    """
    answer = await client.list(resource, namespace, params={"limit": "1"}, headers={"Accept": _SMALL})
    page: _Page = answer.decode(_Page)
    first = len(page.items or ())
    if not page.metadata.more:
        return first
    return None if page.metadata.remaining is None else first + page.metadata.remaining
