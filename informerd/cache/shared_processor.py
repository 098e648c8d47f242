"""The shared processor: all handlers of one informer, and what is due to them (client-go's sharedProcessor)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Generic, TypeVar

from informerd.cache.counters import HandlerCounters
from informerd.cache.delta_fifo import DeltaFifo
from informerd.cache.listener import Listener
from informerd.cache.notification import Notification
from informerd.clock import Clock, sleep_or
from informerd.objects import Object

T = TypeVar("T", bound=Object)


class SharedProcessor(Generic[T]):
    """Gives notifications to every listener's buffer; none of them can hold it up."""

    def __init__(self, clock: Clock, counters: HandlerCounters) -> None:
        self._clock = clock
        self._counters = counters
        self._listeners: list[Listener[T]] = []
        self._leaving: list[Listener[T]] = []  # removed, but in the middle of a last call
        self._changed = asyncio.Event()

    @property
    def listeners(self) -> list[Listener[T]]:
        """Those that are told now, in the order in which they were added."""
        return [*self._listeners]

    def add(self, listener: Listener[T]) -> None:
        """Tell it, too, from now on."""
        self._listeners.append(listener)
        self._counters.add(listener)
        self._changed.set()

    def forget(self, listener: Listener[T]) -> None:
        """Tell it nothing more; nothing happens if it is not told."""
        if listener in self._listeners:
            self._listeners.remove(listener)
            self._changed.set()
            self._leaving = [each for each in (*self._leaving, listener) if each.is_running]
            self._counters.keep({*self._listeners, *self._leaving})

    def start(self) -> None:
        """Begin to deliver what their buffers hold."""
        for listener in self._listeners:
            listener.start()

    async def stop(self) -> None:
        """End the delivery, and wait for the end of calls under way."""
        await asyncio.gather(*(listener.stop() for listener in [*self._listeners, *self._leaving]))

    def give(self, notifications: Sequence[Notification[T]], listeners: Sequence[Listener[T]]) -> None:
        """Tell these listeners."""
        if notifications:
            for listener in listeners:
                listener.give(notifications)

    def give_end_of_initial_list(self) -> None:
        """Tell all listeners that the first list is complete."""
        for listener in self._listeners:
            listener.give_end_of_initial_list()

    def due(self) -> list[Listener[T]]:
        """Those for whom it is time for a resync; the next one is a period of theirs away."""
        now = self._clock.now()
        due = [listener for listener in self._listeners if listener.resync and listener.resync_due <= now]
        for listener in due:
            listener.resync_due = now + listener.resync
        return due

    async def resync(self, fifo: DeltaFifo[T]) -> None:
        """Put a resync into the queue whenever a listener is due, until cancelled."""
        while True:
            self._changed.clear()
            due = [listener.resync_due for listener in self._listeners if listener.resync]
            if not due:
                await self._changed.wait()
                continue
            wait = min(due) - self._clock.now()
            if wait > 0 and await sleep_or(self._changed, wait, self._clock):
                continue
            fifo.sync_all()
            await fifo.processed()
