"""The delta FIFO: changes on their way from the reflector to the store, in strict order and never compressed.

It is client-go's atomic queue (the_real_fifo.go): a list's whole content travels as one ReplacedAll, whose deletes are
computed when it is taken out, against the store as it is then.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeAlias, TypeVar

import msgspec

from informerd.clock import Clock, SystemClock
from informerd.objects import Object
from informerd.waiting import Waiting

T = TypeVar("T", bound=Object)

BATCH_KEYS = 1000
"""The most distinct keys in one batch."""


class Added(msgspec.Struct, Generic[T], gc=False):
    """The API server says that it is new."""

    key: str
    object: T


class Updated(msgspec.Struct, Generic[T], gc=False):
    """The API server says that it changed."""

    key: str
    object: T


class Deleted(msgspec.Struct, Generic[T], gc=False):
    """It is gone; `object` is its last state, or where that is unknown its identity and version."""

    key: str
    object: T
    final_state_unknown: bool = False


class ReplacedAll(msgspec.Struct, Generic[T]):
    """A list: these objects by key and no others exist at `resource_version`."""

    objects: dict[str, T]
    resource_version: str


class SyncAll(msgspec.Struct):
    """Time for a resync: an update for each object in the store, without a call to the API server."""


class Bookmark(msgspec.Struct):
    """Everything up to `resource_version` has come."""

    resource_version: str


Change: TypeAlias = Added[T] | Updated[T] | Deleted[T]
Delta: TypeAlias = Change[T] | ReplacedAll[T] | SyncAll | Bookmark


class FifoClosed(Exception):
    """The queue was closed and nothing is left in it."""


class DeltaFifo(Generic[T]):
    """Deltas in the order in which they came. One task takes them out: `pop`, then `done`.

    Unbounded: the reader of the stream yields to the event loop between reads, so the consumer keeps up.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._waiting = Waiting(clock or SystemClock())
        self._deltas: deque[Delta[T]] = deque()
        self._wakeup = asyncio.Event()
        self._closed = False
        self._put_count = 0
        self._done_count = 0
        self._barriers: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._populated = False
        self._synced = False

    def __len__(self) -> int:
        return len(self._deltas)

    @property
    def oldest_age(self) -> float:
        """Seconds since the oldest delta that is not in the store yet was put in; 0 where there is none."""
        return self._waiting.oldest_age

    @property
    def has_synced(self) -> bool:
        """Whether the first ReplacedAll has been processed (an empty one too), or any change came before it."""
        return self._synced

    def extend(self, changes: Iterable[Change[T] | Bookmark]) -> None:
        """Append changes and bookmarks. Raises FifoClosed, as the other ways in do."""
        self._check_open()
        before = len(self._deltas)
        self._deltas.extend(changes)
        added = len(self._deltas) - before
        if not added:
            return
        self._put(added)
        if not self._populated and not all(isinstance(delta, Bookmark) for delta in self._deltas):
            self._populated = self._synced = True

    def replace(self, objects: dict[str, T], resource_version: str) -> None:
        """Append a list's content; the dict is taken over."""
        self._check_open()
        self._deltas.append(ReplacedAll(objects, resource_version))
        self._populated = True
        self._put(1)

    def sync_all(self) -> None:
        """Append a resync."""
        self._check_open()
        self._deltas.append(SyncAll())
        self._put(1)

    def clear(self) -> None:
        """Drop what is queued: whoever took things out has failed, and a new list is to follow."""
        self._deltas.clear()
        self._waiting.clear()
        self._done_count = self._put_count
        for _, waiter in self._barriers:
            waiter.cancel()
        self._barriers.clear()

    def close(self) -> None:
        """Take nothing more; what is queued is still given out, then `pop` raises FifoClosed."""
        self._closed = True
        self._wakeup.set()

    async def pop(self) -> list[Delta[T]]:
        """Wait for the next batch: one ReplacedAll, SyncAll or Bookmark alone, or changes of at most 1,000 objects.

        A batch ends before a key that it has already. Raises FifoClosed.
        """
        while not self._deltas:
            if self._closed:
                raise FifoClosed
            self._wakeup.clear()
            await self._wakeup.wait()
        return self._take()

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

    async def processed(self) -> None:
        """Wait until all that is queued now is in the store."""
        if self._done_count >= self._put_count:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._barriers.append((self._put_count, waiter))
        await waiter

    def _check_open(self) -> None:
        if self._closed:
            raise FifoClosed

    def _put(self, count: int) -> None:
        self._put_count += count
        self._waiting.put(count)
        self._wakeup.set()

    def _take(self) -> list[Delta[T]]:
        deltas = self._deltas
        batch: list[Delta[T]] = []
        keys: set[str] = set()
        while deltas:
            delta = deltas[0]
            if isinstance(delta, (ReplacedAll, SyncAll, Bookmark)):
                if not batch:
                    batch.append(deltas.popleft())
                break
            if delta.key in keys or len(keys) >= BATCH_KEYS:
                break
            keys.add(delta.key)
            batch.append(deltas.popleft())
        return batch
