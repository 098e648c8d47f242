"""The events of an open watch, decoded as they come, a batch at a time."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Generic, Literal, TypeVar

import msgspec

from informerd.decoder import Decoder, TransformFailed
from informerd.errors import InformerdError, MalformedStream, Status, UnexpectedObject, error_from_status
from informerd.objects import Object
from informerd.stream import WatchStream

T = TypeVar("T", bound=Object)

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
"""The annotation of the bookmark that ends a streaming list (KEP-3157)."""

EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "UNUSABLE"]


class WatchEvent(msgspec.Struct, Generic[T], gc=False):
    """One event of a watch. UNUSABLE stands for an object that could not be transformed: only its version counts.

    (Its deletion is a DELETED all the same.)
    """

    type: EventType
    object: T | None
    resource_version: str
    ends_initial: bool = False
    """A bookmark with the annotation that ends a streaming list."""
    final_state_unknown: bool = False
    """A DELETED whose object could not be transformed: it has nothing but its identity and version."""


class _Envelope(msgspec.Struct, gc=False):
    type: str
    object: msgspec.Raw


class _BookmarkMeta(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    resource_version: str = ""
    annotations: dict[str, str] = {}


class _Bookmark(msgspec.Struct, gc=False, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: _BookmarkMeta = _BookmarkMeta()


_envelope = msgspec.json.Decoder(_Envelope)
_bookmark = msgspec.json.Decoder(_Bookmark)
_status = msgspec.json.Decoder(Status)

_PREFIXES: tuple[tuple[bytes, EventType], ...] = (
    (b'{"type":"MODIFIED","object":', "MODIFIED"),
    (b'{"type":"ADDED","object":', "ADDED"),
    (b'{"type":"DELETED","object":', "DELETED"),
)
"""How kube-apiserver writes events: the object is then a slice of the line, and nothing is scanned twice."""


class EventStream(Generic[T]):
    """An open watch. `batch` gives what came; `close` ends it from any task."""

    def __init__(self, stream: WatchStream, decoder: Decoder[T], stack: AsyncExitStack) -> None:
        self._stream = stream
        self._decoder = decoder
        self._stack = stack
        self._pending: list[WatchEvent[T]] = []
        self._error: InformerdError | None = None

    async def batch(self) -> list[WatchEvent[T]]:
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

    def push_back(self, events: list[WatchEvent[T]]) -> None:
        """Give these again at the next `batch`."""
        self._pending = [*events, *self._pending]

    def close(self) -> None:
        """End the stream: a waiting `batch` returns or raises soon."""
        self._stream.close()

    async def release(self) -> None:
        """Close the connection. To be called once by whoever began the watch."""
        await self._stack.aclose()

    def _decode(self, lines: list[bytes]) -> list[WatchEvent[T]]:
        events = []
        for line in lines:
            try:
                events.append(self._event(line))
            except UnexpectedObject as error:
                self._decoder.faults.unexpected(f"dropped from the watch of {self._decoder.resource.key}", error)
            except InformerdError as error:
                self._error = error
                break
        return events

    def _event(self, line: bytes) -> WatchEvent[T]:
        for prefix, event_type in _PREFIXES:
            if line.startswith(prefix):
                try:
                    return self._object_event(event_type, memoryview(line)[len(prefix) : -1])
                except msgspec.DecodeError:
                    break  # members in another order, or broken: the long way tells
        try:
            envelope = _envelope.decode(line)
            return self._any_event(envelope.type, memoryview(envelope.object))
        except msgspec.DecodeError as error:
            raise MalformedStream(f"a watch event of {self._decoder.resource.key} is malformed: {error}") from error

    def _any_event(self, event_type: str, raw: memoryview) -> WatchEvent[T]:
        match event_type:
            case "ADDED" | "MODIFIED" | "DELETED":
                return self._object_event(event_type, raw)
            case "BOOKMARK":
                return self._bookmark_event(raw)
            case "ERROR":
                raise error_from_status(_status.decode(raw))
        raise MalformedStream(f"a watch event of {self._decoder.resource.key} has the unknown type {event_type!r}")

    def _object_event(self, event_type: EventType, raw: memoryview) -> WatchEvent[T]:
        try:
            obj = self._decoder.decode(raw)
        except TransformFailed as error:
            self._decoder.faults.untransformed(f"left out of the watch of {self._decoder.resource.key}", error)
            if event_type == "DELETED":  # or the store would keep it for ever
                gone = self._decoder.identity(raw)
                return WatchEvent(event_type, gone, error.resource_version, final_state_unknown=True)
            return WatchEvent("UNUSABLE", None, error.resource_version)
        return WatchEvent(event_type, obj, obj.metadata.resource_version)

    def _bookmark_event(self, raw: memoryview) -> WatchEvent[T]:
        bookmark = _bookmark.decode(raw)
        self._decoder.check_kind(bookmark.api_version, bookmark.kind)
        meta = bookmark.metadata
        ends = meta.annotations.get(INITIAL_EVENTS_END) == "true"
        return WatchEvent("BOOKMARK", None, meta.resource_version, ends)
