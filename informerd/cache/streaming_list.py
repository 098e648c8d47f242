"""Streaming list (watch-list, KEP-3157): the first events of a watch, up to a bookmark, are the list."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from informerd.cache.delta import Added, BecameUnreadable, Deleted, Updated
from informerd.cache.pager import Progress
from informerd.cache.watch_event_stream import EventStream, NotSelectedEvent, Unusable
from informerd.errors import MalformedStream, Unreadable
from informerd.objects import Object

T = TypeVar("T", bound=Object)


class StreamedList(msgspec.Struct, Generic[T]):
    """The objects by key at the version of the bookmark that ended the list; the stream goes on from there.

    `unusable` are the keys of objects that exist and could not be transformed, `unreadable` those that cannot be read.
    """

    objects: dict[str, T]
    resource_version: str
    unusable: frozenset[str] = frozenset()
    unreadable: dict[str, Unreadable] = msgspec.field(default_factory=dict)


async def collect_initial_list(stream: EventStream[T], progress: Progress) -> StreamedList[T] | None:
    """Read up to the bookmark that ends the list; None if the stream ends before.

    Raises what the stream raises, and MalformedStream where the bookmark does not say from where to go on.
    """
    objects: dict[str, T] = {}
    unusable: set[str] = set()
    unreadable: dict[str, Unreadable] = {}
    while events := await stream.batch():
        for position, event in enumerate(events):
            if isinstance(event, (Added, Updated)):
                objects[event.key] = event.object
                unreadable.pop(event.key, None)
            elif isinstance(event, BecameUnreadable):
                objects.pop(event.key, None)
                unreadable[event.key] = event.unreadable
            elif isinstance(event, Deleted):
                objects.pop(event.key, None)
                unusable.discard(event.key)
                unreadable.pop(event.key, None)
            elif isinstance(event, Unusable):
                unusable.add(event.key)
            elif isinstance(event, NotSelectedEvent):
                pass
            elif event.ends_initial:
                if not event.resource_version:
                    raise MalformedStream("the bookmark that ends the streaming list has no resource version")
                stream.push_back(events[position + 1 :])
                return StreamedList(objects, event.resource_version, frozenset(unusable), unreadable)
        progress(len(objects), None)
    return None
