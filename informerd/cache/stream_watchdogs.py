"""Watchdogs of a watch's stream that has fallen silent: one before the end of a streaming list, one after it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar

from informerd.cache.watch_event_stream import EventStream
from informerd.clock import Clock
from informerd.objects import Object

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

WARN_EVERY = 10.0
"""Seconds between two warnings of silence before the bookmark."""

GIVE_UP_AFTER = 30.0
"""Seconds of silence before the bookmark after which the API server is assumed not to support streaming lists.
(client-go would wait for ever.)"""


class StallWatchdog:
    """Warns each 10 s of silence before the bookmark that ends a streaming list, and closes the stream after 30 s."""

    def __init__(self, stream: EventStream[T], *, clock: Clock, name: str) -> None:
        self.has_given_up = False
        self._close = stream.close
        self._clock = clock
        self._name = name
        self._heard_at = clock.now()

    def record_event(self) -> None:
        """Something came."""
        self._heard_at = self._clock.now()

    async def run(self) -> None:
        """Watch the stream until cancelled, or until it has given up."""
        while True:
            await self._clock.sleep(WARN_EVERY)
            silent = self._clock.now() - self._heard_at
            if silent < WARN_EVERY:
                continue
            text = "%s: the bookmark that ends the streaming list has not come, nor anything for %g s"
            log.warning(text, self._name, silent, extra={"resource": self._name, "silent": silent})
            if silent >= GIVE_UP_AFTER:
                self.has_given_up = True
                self._close()
                return


class StreamWatchdog:
    """Calls `on_silence` once when `limit` seconds pass without a word on a stream that sends periodic bookmarks.

    It begins with the first periodic bookmark: streams that never send one (events have no watch cache) may be silent
    for as long as nothing happens.
    """

    def __init__(self, clock: Clock, limit: float, on_silence: Callable[[], None]) -> None:
        self._clock = clock
        self._limit = limit
        self._on_silence = on_silence
        self._last_word = clock.now()
        self._task: asyncio.Task[None] | None = None

    def record_event(self, *, bookmark: bool) -> None:
        """Something came; `bookmark`: a periodic bookmark was in it."""
        self._last_word = self._clock.now()
        if bookmark and self._task is None:
            self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while (rest := self._last_word + self._limit - self._clock.now()) > 0:
            await self._clock.sleep(rest)
        self._on_silence()
