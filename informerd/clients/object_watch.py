"""Watch of the dynamic and typed clients: the events of one connection, without reconnects.

This is the API server's watch and ends when it does; an end that nobody asked for is an error. Informers are the caches
that recover by themselves.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from math import inf
from time import monotonic
from typing import Generic, Literal, TypeVar, cast, get_args

import msgspec

from informerd.clients.codec import Codec
from informerd.errors import UNREADABLE, MalformedStream, Status, WatchEnded, error_from_status
from informerd.rest.response_stream import ResponseStream

T = TypeVar("T")

EARLY_SECONDS = 0.5
"""Seconds by which an end may come before the time that was asked for."""

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
    """Async iterator over changes, in the API server's order.

    The loop ends by itself only where a time-out was asked for and has passed. Where the server ends the stream before,
    WatchEnded is raised. (client-go closes the channel, which its RetryWatcher takes for an end to go on from.) An
    in-stream ERROR is raised as its ApiError (Expired: the version is too old, list again), a broken connection as
    Unreachable, a malformed event as MalformedStream, an object of another kind as UnexpectedObject.
    """

    def __init__(
        self, stream: ResponseStream, codec: Codec[T], resource_version: str, *, name: str, ends_at: float = inf
    ) -> None:
        """`name` is the resource's, for the error; `ends_at` when the server was asked to end it, as `monotonic` has
        it."""
        self._name = name
        self._ends_at = ends_at
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
        if monotonic() < self._ends_at - EARLY_SECONDS:
            raise WatchEnded(self._name, self.resource_version)

    def _advance(self, raw: msgspec.Raw) -> None:
        self.resource_version = _decode(raw, _Bookmark).metadata.resource_version or self.resource_version


S = TypeVar("S", _Event, _Bookmark, Status)


def _decode(raw: bytes | memoryview | msgspec.Raw, type_: type[S]) -> S:
    try:
        return msgspec.json.decode(raw, type=type_)
    except UNREADABLE as error:
        raise MalformedStream(f"a watch event is malformed: {error}") from error
