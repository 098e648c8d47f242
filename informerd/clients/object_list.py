"""Lists that the dynamic and typed clients return."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec

from informerd.clients.codec import Codec
from informerd.errors import MalformedAnswer
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


class _List(msgspec.Struct):
    kind: str = ""
    metadata: _ListMeta | None = None
    items: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET
    """May be absent where `kind` says that it is a list: a Table or Status has none."""


async def decode_list(response: Response, codec: Codec[T]) -> ObjectList[T]:
    """The objects of a list's answer. Raises MalformedAnswer and UnexpectedObject."""
    content: _List = response.decode(_List)
    if content.items is msgspec.UNSET and not content.kind.endswith("List"):
        raise MalformedAnswer(f"the answer is no list: it has no items, and its kind is {content.kind or 'not given'}")
    items = []
    for count, item in enumerate(content.items or (), 1):
        items.append(codec.decode(memoryview(item)))
        if count % ITEMS_PER_TURN == 0:
            await asyncio.sleep(0)
    meta = content.metadata or _ListMeta()
    return ObjectList(items, meta.resource_version, meta.continue_, meta.remaining_item_count)
