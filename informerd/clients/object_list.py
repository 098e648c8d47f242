"""Lists that the dynamic and typed clients return."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec

from informerd.clients.codec import Codec
from informerd.rest.response import Response

T = TypeVar("T")

ITEMS_PER_TURN = 100
"""Items after which the event loop gets its turn."""


class ObjectList(msgspec.Struct, Generic[T]):
    """Objects that were there at one resource version: all of them, or a page where `continue_token` is not empty."""

    items: list[T]
    resource_version: str
    """The version from which a watch continues."""
    continue_token: str = ""
    remaining: int | None = None
    """Number of objects that follow, where the API server says so."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class _ListMeta(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")
    remaining_item_count: int | None = None


class _List(msgspec.Struct, kw_only=True):
    metadata: _ListMeta = _ListMeta()
    items: list[msgspec.Raw] | None
    """It must be there, if only as null: a Table or Status has none."""


async def decode_list(response: Response, codec: Codec[T]) -> ObjectList[T]:
    """The objects of a list's answer. Raises MalformedAnswer and UnexpectedObject."""
    content: _List = response.decode(_List)
    items = []
    for count, item in enumerate(content.items or (), 1):
        items.append(codec.decode(memoryview(item)))
        if count % ITEMS_PER_TURN == 0:
            await asyncio.sleep(0)
    meta = content.metadata
    return ObjectList(items, meta.resource_version, meta.continue_, meta.remaining_item_count)
