"""Delta processor: pops deltas from the FIFO, applies them to the store and notifies the handlers.

The same as client-go's controller.processLoop and processDeltas (controller.go).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice
from typing import Generic, TypeVar, cast

from informerd.cache.counters import InformerCounters
from informerd.cache.delta import BecameUnreadable, Bookmark, Change, Deleted, Delta, ReplacedAll, SyncAll
from informerd.cache.delta_fifo import BATCH_KEYS, DeltaFifo
from informerd.cache.mutation_detector import MutationDetector
from informerd.cache.notification import Add, Delete, Notification, Update
from informerd.cache.shared_processor import SharedProcessor
from informerd.cache.store import Store
from informerd.objects import Object

T = TypeVar("T", bound=Object)


class DeltaProcessor(Generic[T]):
    """The only writer of its store. `on_batch` is called after each batch is in the store and given to the handlers."""

    def __init__(
        self,
        fifo: DeltaFifo[T],
        store: Store[T],
        handlers: SharedProcessor[T],
        *,
        counters: InformerCounters,
        mutations: MutationDetector[T] | None,
        on_batch: Callable[[], None],
    ) -> None:
        self._fifo = fifo
        self._store = store
        self._handlers = handlers
        self._counters = counters
        self._mutations = mutations
        self._on_batch = on_batch

    async def run(self) -> None:
        """Apply batches until cancelled. Between two batches other tasks run."""
        while True:
            batch = await self._fifo.pop()
            await self._apply(batch)
            self._fifo.done(batch)
            self._on_batch()
            await asyncio.sleep(0)

    async def _apply(self, batch: list[Delta[T]]) -> None:
        match batch[0]:
            case ReplacedAll() as replaced:
                await self._replace(self._with_unusable(replaced), replaced)
            case SyncAll():
                await self._sync_all()
            case Bookmark(version):
                self._store.resource_version = version
                self._counters.bookmarks += 1
            case _:
                notifications: list[Notification[T]] = []
                try:
                    self._change(cast("list[Change[T]]", batch), notifications)
                finally:  # where it fails half-way, handlers are told of the half that is in the store
                    self._handlers.distribute(notifications, self._handlers.listeners)

    def _with_unusable(self, replaced: ReplacedAll[T]) -> dict[str, T]:
        """A list's objects; those that could not be transformed are taken from the store."""
        objects = replaced.objects
        for key in replaced.unusable - objects.keys():
            if (known := self._store.get(key)) is not None:
                objects[key] = known
        return objects

    def _change(self, changes: list[Change[T]], notifications: list[Notification[T]]) -> None:
        """Apply changes to the store and append the notifications for handlers."""
        store = self._store
        if self._mutations is not None:
            self._mutations.add(change.object for change in changes)
        initial = not self._fifo.has_synced
        before, removed = len(store), 0
        for change in changes:
            obj = change.object
            if isinstance(change, Deleted):
                if (last := store.remove(change.key)) is not None:
                    removed += 1
                    unknown = change.final_state_unknown
                    notifications.append(Delete(last if unknown else obj, unknown))
                continue
            if isinstance(change, BecameUnreadable):
                if (last := store.put_unreadable(change.unreadable)) is not None:
                    removed += 1
                    notifications.append(Delete(last, True))
                continue
            old = store.put(change.key, obj)
            notifications.append(Add(obj, initial) if old is None else Update(old, obj))
        store.resource_version = changes[-1].object.metadata.resource_version or store.resource_version
        self._counters.count_changes(len(changes), len(notifications), removed, len(store) - before)

    async def _replace(self, objects: dict[str, T], replaced: ReplacedAll[T]) -> None:
        """Replace the store's content in one step, then notify the handlers in turns, deletes first.

        A handler that is added in between gets the new content from `add_handler`.
        """
        initial = not self._fifo.has_synced
        if self._mutations is not None:
            self._mutations.add(objects.values())
        before = await self._store.replace(objects, replaced.resource_version, replaced.unreadable)
        listeners = self._handlers.listeners
        gone: list[Notification[T]] = [Delete(obj, True) for key, obj in before.items() if key not in objects]
        self._counters.count_replacement(len(before), len(objects), len(gone))
        self._handlers.distribute(gone, listeners)
        rest = iter(objects.items())
        try:
            while turn := [*islice(rest, BATCH_KEYS)]:
                self._handlers.distribute(
                    [_notification_of(before.get(key), obj, initial) for key, obj in turn], listeners
                )
                await asyncio.sleep(0)
        finally:  # where it is cut short, they are told of the rest that is in the store
            self._handlers.distribute([_notification_of(before.get(key), obj, initial) for key, obj in rest], listeners)

    async def _sync_all(self) -> None:
        due = self._handlers.listeners_due()
        rest = iter(self._store.list())
        while turn := [*islice(rest, BATCH_KEYS)]:
            self._handlers.distribute([Update(obj, obj) for obj in turn], due)
            await asyncio.sleep(0)
        self._counters.resyncs += 1


def _notification_of(old: T | None, obj: T, initial: bool) -> Notification[T]:
    return Add(obj, initial) if old is None else Update(old, obj)
