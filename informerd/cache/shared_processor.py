"""Shared processor: distributes notifications to all handlers of one informer (client-go's sharedProcessor)."""

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
        """The present listeners, in the order in which they were added."""
        return [*self._listeners]

    def add(self, listener: Listener[T]) -> None:
        """Add a listener, which is notified from now on."""
        self._listeners.append(listener)
        self._counters.add(listener)
        self._changed.set()

    def forget(self, listener: Listener[T]) -> None:
        """Remove a listener; an unknown one is ignored."""
        if listener in self._listeners:
            self._listeners.remove(listener)
            self._changed.set()
            self._leaving = [each for each in (*self._leaving, listener) if each.is_running]
            self._counters.retain({*self._listeners, *self._leaving})

    def start(self) -> None:
        """Begin to deliver what their buffers hold."""
        for listener in self._listeners:
            listener.start()

    async def stop(self) -> None:
        """End the delivery, and wait for the end of calls under way."""
        await asyncio.gather(*(listener.stop() for listener in [*self._listeners, *self._leaving]))

    def distribute(self, notifications: Sequence[Notification[T]], listeners: Sequence[Listener[T]]) -> None:
        """Notify these listeners."""
        if notifications:
            for listener in listeners:
                listener.enqueue(notifications)

    def distribute_end_of_initial_list(self) -> None:
        """Notify all listeners that the first list is complete."""
        for listener in self._listeners:
            listener.enqueue_end_of_initial_list()

    def listeners_due(self) -> list[Listener[T]]:
        """Listeners due for a resync; their next one is a period away."""
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
            await fifo.wait_until_processed()
