"""Delta FIFO: changes on their way from the reflector to the store, in strict order and never compressed.

It is client-go's atomic queue (the_real_fifo.go): the whole content of a list is one ReplacedAll, whose deletes are
computed when it is popped, against the store at that moment.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Generic, TypeVar

from informerd.cache.delta import Bookmark, Change, Delta, ReplacedAll, SyncAll
from informerd.cache.queue_age import QueueAge
from informerd.clock import Clock, SystemClock
from informerd.errors import Unreadable
from informerd.objects import Object

T = TypeVar("T", bound=Object)

BATCH_KEYS = 1000
"""The most distinct keys in one batch."""


class FifoClosed(Exception):
    """The queue was closed and nothing is left in it."""


class DeltaFifo(Generic[T]):
    """Deltas in the order in which they came. One task takes them out: `pop`, then `done`.

    Unbounded: the reader of the stream yields to the event loop between reads, so the consumer keeps up.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._waiting = QueueAge(clock or SystemClock())
        self._batches: deque[list[Delta[T]]] = deque()
        self._growing: set[str] | None = None
        """The keys of the last batch, where more changes may join it."""
        self._wakeup = asyncio.Event()
        self._closed = False
        self._put_count = self._popped_count = self._done_count = 0
        self._barriers: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._populated = False
        self._synced = False

    def __len__(self) -> int:
        return self._put_count - self._popped_count

    @property
    def oldest_age(self) -> float:
        """Seconds since the oldest delta that is not in the store yet was put in; 0 where there is none."""
        return self._waiting.oldest_age

    @property
    def has_synced(self) -> bool:
        """Whether the first ReplacedAll has been processed (an empty one too), or any change came before it."""
        return self._synced

    def extend(self, changes: Sequence[Change[T]]) -> None:
        """Append changes. Raises FifoClosed, as the other ways in do."""
        self._check_open()
        if not changes:
            return
        keys = {change.key for change in changes}
        growing = self._growing
        if len(keys) < len(changes) or len(keys) > BATCH_KEYS:
            self._extend_one_by_one(changes)
        elif growing is not None and len(growing) + len(keys) <= BATCH_KEYS and growing.isdisjoint(keys):
            self._batches[-1].extend(changes)
            growing |= keys
        else:
            self._batches.append([*changes])
            self._growing = keys
        self._put(len(changes))
        if not self._populated:
            self._populated = self._synced = True

    def replace(
        self,
        objects: dict[str, T],
        resource_version: str,
        unusable: frozenset[str] = frozenset(),
        unreadable: dict[str, Unreadable] | None = None,
    ) -> None:
        """Append a list's content, see ReplacedAll. The dicts belong to the FIFO afterwards."""
        self._populated = True
        self._append_alone(ReplacedAll(objects, resource_version, unusable, unreadable or {}))

    def sync_all(self) -> None:
        """Append a resync."""
        self._append_alone(SyncAll())

    def bookmark(self, bookmark: Bookmark) -> None:
        """Append a bookmark."""
        self._append_alone(bookmark)

    def clear(self) -> None:
        """Drop all queued deltas, after a failure of the consumer; a new list must follow."""
        self._batches.clear()
        self._growing = None
        self._waiting.clear()
        self._popped_count = self._done_count = self._put_count
        for _, waiter in self._barriers:
            waiter.cancel()
        self._barriers.clear()

    def close(self) -> None:
        """Accept no more deltas; `pop` returns those that are queued, then raises FifoClosed."""
        self._closed = True
        self._wakeup.set()

    async def pop(self) -> list[Delta[T]]:
        """Wait for the next batch: one ReplacedAll, SyncAll or Bookmark alone, or changes of at most 1,000 objects.

        A batch ends before a key that it has already. Raises FifoClosed.
        """
        while not self._batches:
            if self._closed:
                raise FifoClosed
            self._wakeup.clear()
            await self._wakeup.wait()
        batch = self._batches.popleft()
        if not self._batches:
            self._growing = None
        self._popped_count += len(batch)
        return batch

    def done(self, batch: list[Delta[T]]) -> None:
        """Say that a popped batch is in the store."""
        self._done_count += len(batch)
        self._waiting.take(len(batch))
        if not self._synced and batch and isinstance(batch[0], ReplacedAll):
            self._synced = True
        while self._barriers and self._barriers[0][0] <= self._done_count:
            waiter = self._barriers.popleft()[1]
            if not waiter.done():
                waiter.set_result(None)

    async def wait_until_processed(self) -> None:
        """Wait until all that is queued now is in the store."""
        if self._done_count >= self._put_count:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._barriers.append((self._put_count, waiter))
        await waiter

    def _check_open(self) -> None:
        if self._closed:
            raise FifoClosed

    def _append_alone(self, delta: Delta[T]) -> None:
        self._check_open()
        self._batches.append([delta])
        self._growing = None
        self._put(1)

    def _extend_one_by_one(self, changes: Sequence[Change[T]]) -> None:
        keys = self._growing
        for change in changes:
            if keys is None or change.key in keys or len(keys) >= BATCH_KEYS:
                keys = self._growing = set()
                self._batches.append([])
            keys.add(change.key)
            self._batches[-1].append(change)

    def _put(self, count: int) -> None:
        self._put_count += count
        self._waiting.put(count)
        self._wakeup.set()
