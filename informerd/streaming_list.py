"""The streaming list (watch-list, KEP-3157): the first events of a watch, up to a bookmark, are the list."""

from __future__ import annotations

import logging
from typing import Generic, TypeVar

import msgspec

from informerd.clock import Clock
from informerd.event_stream import EventStream
from informerd.objects import Object
from informerd.pager import Progress

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

WARN_EVERY = 10.0
GIVE_UP_AFTER = 30.0
"""Seconds of silence before the bookmark after which the API server is taken not to know streaming lists. (client-go
would wait for ever.)"""


class StreamedList(msgspec.Struct, Generic[T]):
    """The objects by key at the version of the bookmark that ended the list; the stream goes on from there."""

    objects: dict[str, T]
    resource_version: str


async def collect(stream: EventStream[T], progress: Progress) -> StreamedList[T] | None:
    """Read up to the bookmark that ends the list; None if the stream ends before. Raises what the stream raises."""
    objects: dict[str, T] = {}
    while events := await stream.batch():
        for position, event in enumerate(events):
            if event.ends_initial:
                stream.push_back(events[position + 1 :])
                return StreamedList(objects, event.resource_version)
            if event.object is None:
                continue
            if event.type == "DELETED":
                objects.pop(event.object.key, None)
            else:
                objects[event.object.key] = event.object
        progress(len(objects), None)
    return None


class Patience:
    """Warns while the bookmark that ends a streaming list does not come, and gives up when all is silent."""

    def __init__(self, stream: EventStream[T], *, clock: Clock, name: str) -> None:
        self.gave_up = False
        self._close = stream.close
        self._clock = clock
        self._name = name
        self._heard = clock.now()

    def heard(self) -> None:
        """Something came."""
        self._heard = self._clock.now()

    async def run(self) -> None:
        """Watch until cancelled or out of patience."""
        while True:
            await self._clock.sleep(WARN_EVERY)
            log.warning("%s: the bookmark that ends the streaming list has not come yet", self._name)
            if self._clock.now() - self._heard >= GIVE_UP_AFTER:
                self.gave_up = True
                self._close()
                return
