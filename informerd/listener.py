"""Listeners: one for each handler, with a buffer and a task of its own, so that a slow one holds up nobody else."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from inspect import isawaitable
from typing import Generic, TypeAlias, TypeVar

import msgspec

from informerd.clock import Clock
from informerd.handler import Handler, is_another_object, name_of
from informerd.objects import Object
from informerd.repeats import Repeats, nth
from informerd.waiting import Waiting

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

BUFFER_WARNING = 100_000
"""Notifications waiting for one handler that are worth a line in the log."""

TURN = 100
"""Notifications after which the event loop gets its turn, even where the handler never waits."""


class Add(msgspec.Struct, Generic[T], gc=False):
    object: T
    is_in_initial_list: bool


class Update(msgspec.Struct, Generic[T], gc=False):
    old: T
    new: T


class Delete(msgspec.Struct, Generic[T], gc=False):
    object: T
    final_state_unknown: bool


Notification: TypeAlias = Add[T] | Update[T] | Delete[T]


class Listener(Generic[T]):
    """Delivers notifications to one handler, in order. It is also the registration that add_handler gives back.

    What the handler raises is logged and counted, and delivery goes on.
    """

    def __init__(
        self,
        handler: Handler[T],
        *,
        clock: Clock,
        resync: float = 0.0,
        same_version_updates: bool = False,
        on_remove: Callable[[Listener[T]], None],
        name: str = "",
        resource: str = "",
    ) -> None:
        self.name = name or name_of(handler)
        """What logs and metrics call the handler."""
        self._resource = resource
        self._repeats = Repeats(clock)
        self.resync = resync
        """Seconds between resyncs, 0 for none."""
        self.resync_due = clock.now() + resync
        self.given = 0
        """Notifications put into the buffer so far."""
        self.failures = 0
        """How often the handler raised."""
        self.overflows = 0
        """How often the buffer grew past BUFFER_WARNING."""
        self._handler = handler
        self._same_version_updates = same_version_updates
        self._on_remove = on_remove
        self._batches: deque[Sequence[Notification[T]] | None] = deque()
        self._depth = 0
        self._waiting = Waiting(clock)
        self._overflowing = False
        self._wakeup = asyncio.Event()
        self._synced = asyncio.Event()
        self._removed = False
        self._task: asyncio.Task[None] | None = None

    @property
    def has_synced(self) -> bool:
        """Whether the informer has synced and each initial add has been delivered (returned or raised)."""
        return self._synced.is_set()

    @property
    def depth(self) -> int:
        """Notifications that wait for the handler."""
        return self._depth

    @property
    def oldest_age(self) -> float:
        """Seconds since the oldest notification that waits, or its batch, was put into the buffer; 0 for none."""
        return self._waiting.oldest_age

    async def wait_for_sync(self) -> None:
        """Wait until `has_synced`."""
        await self._synced.wait()

    def remove(self) -> None:
        """Tell the handler nothing more; what was not delivered is dropped. May be repeated, also by the handler."""
        if self._removed:
            return
        self._removed = True
        self._batches.clear()
        self._waiting.clear()
        self._depth = 0
        self._wakeup.set()
        self._on_remove(self)

    def give(self, notifications: Sequence[Notification[T]]) -> None:
        """Append to the buffer. For the informer; the sequence may be shared by all listeners."""
        self._batches.append(notifications)
        self._depth += len(notifications)
        self._waiting.put(len(notifications))
        self.given += len(notifications)
        self._wakeup.set()
        if self._depth <= BUFFER_WARNING // 2:
            self._overflowing = False
        elif self._depth > BUFFER_WARNING and not self._overflowing:
            self._overflowing = True
            self.overflows += 1
            fields = {"resource": self._resource, "handler": self.name, "depth": self._depth}
            log.warning("%d notifications wait for the handler %s", self._depth, self.name, extra=fields)

    def give_end_of_initial_list(self) -> None:
        """Append the mark after which the handler has synced. For the informer."""
        self._batches.append(None)
        self._wakeup.set()

    def start(self) -> None:
        """Begin to deliver. For the informer."""
        if self._task is None and not self._removed:
            self._task = asyncio.create_task(self._run(), name=f"handler {self._handler!r}")

    async def stop(self) -> None:
        """Cancel the delivery and wait for its end. For the informer."""
        self.remove()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while not self._removed:
            if not self._batches:
                self._wakeup.clear()
                await self._wakeup.wait()
                continue
            batch = self._batches.popleft()
            if batch is None:
                self._synced.set()
                continue
            await self._deliver_batch(batch)
            self._waiting.take(len(batch))

    async def _deliver_batch(self, batch: Sequence[Notification[T]]) -> None:
        for count, notification in enumerate(batch, 1):
            if self._removed:
                return
            try:
                answer = self._call(notification)
                if answer is not None and isawaitable(answer):
                    await answer
            except asyncio.CancelledError as error:
                if self._is_cancelled():
                    raise
                self._failed(notification, error)  # something that the handler awaited was cancelled, not this task
            except Exception as error:  # noqa: BLE001 - a handler's failure must not end the delivery
                self._failed(notification, error)
            self._depth = max(0, self._depth - 1)
            if count % TURN == 0:
                await asyncio.sleep(0)
        await asyncio.sleep(0)

    def _is_cancelled(self) -> bool:
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0

    def _failed(self, notification: Notification[T], error: BaseException) -> None:
        self.failures += 1
        if number := self._repeats.count(type(error).__name__):
            key = _key(notification)
            fields = {"resource": self._resource, "handler": self.name, "object": key, "failures": number}
            text = "the handler %s failed on %s %s%s"
            log.error(text, self.name, self._resource, key, nth(number), exc_info=error, extra=fields)

    def _call(self, notification: Notification[T]) -> object:
        match notification:
            case Update(old, new):
                if self._same_version_updates or _differ(old, new):
                    return self._handler.on_update(old, new)
                return None
            case Add(obj, is_in_initial_list):
                return self._handler.on_add(obj, is_in_initial_list)
            case Delete(obj, final_state_unknown):
                return self._handler.on_delete(obj, final_state_unknown)


def _differ(old: Object, new: Object) -> bool:
    """A store restored from a backup may give another object the version that the old one had."""
    return old.metadata.resource_version != new.metadata.resource_version or is_another_object(old, new)


def _key(notification: Notification[T]) -> str:
    return notification.new.key if isinstance(notification, Update) else notification.object.key
