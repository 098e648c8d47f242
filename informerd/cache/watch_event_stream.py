"""Decoded events of an open watch, one batch at a time."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Generic, TypeAlias, TypeVar

import msgspec

from informerd.cache.delta import Added, BecameUnreadable, Bookmark, Change, Deleted, Updated
from informerd.decoding.decoder import Decoder, NotSelected, TransformFailed
from informerd.decoding.json_members import json_members
from informerd.errors import (
    UNREADABLE,
    InformerdError,
    MalformedStream,
    Status,
    UnexpectedObject,
    UnreadableObject,
    error_from_status,
)
from informerd.objects import Object
from informerd.rest.response_stream import Line, ResponseStream

T = TypeVar("T", bound=Object)

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
"""The annotation of the bookmark that ends a streaming list (KEP-3157)."""


class Unusable(msgspec.Struct, gc=False):
    """An object that came and could not be transformed: only its version counts. (Its deletion is a Deleted.)"""

    key: str
    resource_version: str


class NotSelectedEvent(msgspec.Struct, gc=False):
    """An object that is not selected: only its version counts."""

    resource_version: str


Event: TypeAlias = Change[T] | Bookmark | Unusable | NotSelectedEvent


class _Envelope(msgspec.Struct, gc=False):
    type: str
    object: msgspec.Raw


class _BookmarkMeta(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class _Bookmark(msgspec.Struct, gc=False, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: _BookmarkMeta = _BookmarkMeta()


_envelope = msgspec.json.Decoder(_Envelope)
_bookmark = msgspec.json.Decoder(_Bookmark)
_status = msgspec.json.Decoder(Status)

_MODIFIED = b'{"type":"MODIFIED","object":'
_ADDED = b'{"type":"ADDED","object":'
_DELETED = b'{"type":"DELETED","object":'
"""How kube-apiserver begins its lines: the object is then a slice of the line, and nothing is scanned twice."""


class EventStream(Generic[T]):
    """An open watch. `batch` gives what came; `close` ends it from any task."""

    def __init__(self, stream: ResponseStream, decoder: Decoder[T], stack: AsyncExitStack) -> None:
        self._stream = stream
        self._decoder = decoder
        self._stack = stack
        self._pending: list[Event[T]] = []
        self._error: InformerdError | None = None

    async def batch(self) -> list[Event[T]]:
        """The events that have come, at least one; an empty list at the end of the stream.

        Raises the ApiError that an ERROR event carries and MalformedStream, each after all events before it have been
        given, and Unreachable where the connection broke. Objects of another kind are logged and dropped.
        """
        while True:
            if self._pending:
                events, self._pending = self._pending, []
                return events
            if self._error is not None:
                raise self._error
            lines = await self._stream.batch()
            if not lines:
                return []
            self._pending = self._decode(lines)

    def push_back(self, events: list[Event[T]]) -> None:
        """Give these again at the next `batch`."""
        self._pending = [*events, *self._pending]

    def close(self) -> None:
        """End the stream: a waiting `batch` returns or raises soon."""
        self._stream.close()

    async def release(self) -> None:
        """Close the connection. Whoever began the watch must call this once."""
        await self._stack.aclose()

    def _decode(self, lines: list[Line]) -> list[Event[T]]:
        events: list[Event[T]] = []
        for line in lines:
            try:
                events.append(self._event(line))
            except NotSelected as error:
                events.append(NotSelectedEvent(error.resource_version))
            except UnexpectedObject as error:
                self._decoder.errors.add_unexpected(f"dropped from the watch of {self._decoder.resource.key}", error)
            except InformerdError as error:
                self._error = error
                break
        return events

    def _event(self, line: Line) -> Event[T]:
        try:
            if line[:28] == _MODIFIED:
                obj = self._decoder.decode(line[28:-1])
                return Updated(obj.key, obj)
            if line[:25] == _ADDED:
                obj = self._decoder.decode(line[25:-1])
                return Added(obj.key, obj)
            if line[:27] == _DELETED:
                obj = self._decoder.decode(line[27:-1])
                return Deleted(obj.key, obj)
        except (*UNREADABLE, TransformFailed, UnreadableObject):
            pass  # members in another order, broken, or to be left out: the long way tells
        try:
            return self._any_event(*_parts(line))
        except (*UNREADABLE, ValueError) as error:
            raise MalformedStream(f"a watch event of {self._decoder.resource.key} is malformed: {error}") from error

    def _any_event(self, event_type: str, raw: memoryview) -> Event[T]:
        match event_type:
            case "ADDED" | "MODIFIED" | "DELETED":
                return self._object_event(event_type, raw)
            case "BOOKMARK":
                return self._bookmark_event(raw)
            case "ERROR":
                raise error_from_status(_status.decode(raw))
        raise MalformedStream(f"a watch event of {self._decoder.resource.key} has the unknown type {event_type!r}")

    def _object_event(self, event_type: str, raw: memoryview) -> Event[T]:
        try:
            obj = self._decoder.decode(raw)
        except TransformFailed as error:
            self._decoder.errors.add_untransformed(f"left out of the watch of {self._decoder.resource.key}", error)
            if event_type == "DELETED":  # or the store would keep it for ever
                gone = self._decoder.identity(raw)
                return Deleted(gone.key, gone, final_state_unknown=True)
            return Unusable(error.key, error.resource_version)
        except (*UNREADABLE, UnreadableObject) as error:
            obj, unreadable = self._decoder.unreadable(raw, error)
            if event_type == "DELETED":
                return Deleted(obj.key, obj, final_state_unknown=True)
            self._decoder.errors.add_unreadable(f"taken out by the watch of {self._decoder.resource.key}", unreadable)
            return BecameUnreadable(obj.key, obj, unreadable.unreadable)
        if event_type == "DELETED":
            return Deleted(obj.key, obj)
        return Added(obj.key, obj) if event_type == "ADDED" else Updated(obj.key, obj)

    def _bookmark_event(self, raw: memoryview) -> Bookmark:
        bookmark = _bookmark.decode(raw)
        self._decoder.check_kind(bookmark.api_version, bookmark.kind)
        meta = bookmark.metadata
        return Bookmark(meta.resource_version, (meta.annotations or {}).get(INITIAL_EVENTS_END) == "true")


def _parts(line: Line) -> tuple[str, memoryview]:
    """An event's type and object. Raises one of UNREADABLE, and ValueError for what is no JSON object at all."""
    try:
        envelope = _envelope.decode(line)
    except UNREADABLE as error:  # nested too deeply, for instance
        members = json_members(line, b"type", b"object")
        if len(members) < 2:
            raise error from None
        return msgspec.json.decode(members[b"type"], type=str), memoryview(members[b"object"])
    return envelope.type, memoryview(envelope.object)
