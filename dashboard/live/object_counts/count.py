"""One question for the number of a kind's objects, as cheap for the API server as there is."""

from __future__ import annotations

from typing import Protocol

import msgspec

from informerd.resource import Resource
from informerd.rest.answer import Answer
from informerd.rest.call import Headers, Params

_SMALL = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
"""The one object that comes along is sent without its content, by servers that can."""


class Listing(Protocol):
    """What is needed of a Client."""

    async def list(
        self, resource: Resource, namespace: str = "", params: Params | None = None, *, headers: Headers | None = None
    ) -> Answer: ...


class _Meta(msgspec.Struct, rename={"more": "continue", "remaining": "remainingItemCount"}):
    more: str = ""
    remaining: int | None = None


class _Page(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)
    items: list[msgspec.Raw] | None = None


async def count(client: Listing, resource: Resource, namespace: str = "") -> int | None:
    """How many objects there are, of one namespace or of all, asked with ``limit=1``.

    None where the API server does not say how many remain.

    Raises ApiError, Unreachable and MalformedAnswer.
    """
    answer = await client.list(resource, namespace, params={"limit": "1"}, headers={"Accept": _SMALL})
    page: _Page = answer.decode(_Page)
    first = len(page.items or ())
    if not page.metadata.more:
        return first
    return None if page.metadata.remaining is None else first + page.metadata.remaining
