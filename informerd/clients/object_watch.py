"""Watch of the dynamic and typed clients: the events of one connection, without reconnects.

This is the API server's watch and ends when it does. Informers are the caches that recover by themselves.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Generic, Literal, TypeVar, cast, get_args

import msgspec

from informerd.clients.codec import Codec
from informerd.errors import UNREADABLE, MalformedStream, Status, error_from_status
from informerd.rest.response_stream import ResponseStream

T = TypeVar("T")

ChangeType = Literal["ADDED", "MODIFIED", "DELETED"]
_CHANGES = frozenset(get_args(ChangeType))


class Change(msgspec.Struct, Generic[T]):
    """One event of a watch."""

    type: ChangeType
    object: T


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _BookmarkMeta(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""


class _Bookmark(msgspec.Struct):
    metadata: _BookmarkMeta = _BookmarkMeta()


class ObjectWatch(Generic[T]):
    """Async iterator over changes, in the API server's order; it ends where the server's stream does.

    An in-stream ERROR is raised as its ApiError (Expired: the version is too old, list again), a broken connection as
    Unreachable, a malformed event as MalformedStream, an object of another kind as UnexpectedObject.
    """

    def __init__(self, stream: ResponseStream, codec: Codec[T], resource_version: str) -> None:
        self._stream = stream
        self._codec = codec
        self.resource_version = resource_version
        """The version from which a next watch continues: that of the last change or bookmark."""

    async def __aiter__(self) -> AsyncIterator[Change[T]]:
        async for line in self._stream:
            event = _decode(line, _Event)
            if event.type == "BOOKMARK":
                self._advance(event.object)
            elif event.type == "ERROR":
                raise error_from_status(_decode(event.object, Status))
            elif event.type in _CHANGES:
                change = Change(cast("ChangeType", event.type), self._codec.decode(memoryview(event.object)))
                self._advance(event.object)
                yield change
            else:
                raise MalformedStream(f"a watch event has the unknown type {event.type!r}")

    def _advance(self, raw: msgspec.Raw) -> None:
        self.resource_version = _decode(raw, _Bookmark).metadata.resource_version or self.resource_version


S = TypeVar("S", _Event, _Bookmark, Status)


def _decode(raw: bytes | memoryview | msgspec.Raw, type_: type[S]) -> S:
    try:
        return msgspec.json.decode(raw, type=type_)
    except UNREADABLE as error:
        raise MalformedStream(f"a watch event is malformed: {error}") from error
