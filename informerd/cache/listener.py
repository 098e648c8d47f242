"""Listener of one handler, with a buffer and a task of its own, so that a slow handler holds up no other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from informerd.cache.handler import Handler, name_of
from informerd.cache.handler_caller import HandlerCaller
from informerd.cache.handler_thread import HandlerThread
from informerd.cache.handler_time_slice import HandlerTimeSlice
from informerd.cache.notification import Notification
from informerd.cache.queue_age import QueueAge
from informerd.clock import Clock
from informerd.errors import InformerStopped
from informerd.objects import Object

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

BUFFER_WARNING = 100_000
"""Number of notifications waiting for one handler that is logged as a warning."""

STOP_LIMIT = 10.0
"""Seconds that a stopping informer waits for a call in a thread."""


class Listener(Generic[T]):
    """Delivers notifications to one handler, in order. It is also the registration that add_handler gives back.

    What the handler raises is logged and counted, and delivery goes on. With `in_thread` the handler is called in a
    thread of its own, one call at a time; what has gathered meanwhile is handed over together.
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
        in_thread: bool = False,
    ) -> None:
        self.name = name or name_of(handler)
        """The handler's name in logs and metrics."""
        self.resync = resync
        """Seconds between resyncs, 0 for none."""
        self.resync_due = clock.now() + resync
        self.enqueued_count = 0
        """Notifications put into the buffer so far."""
        self.overflows = 0
        """Number of times that the buffer grew past BUFFER_WARNING."""
        self._clock = clock
        self._resource = resource
        self._in_thread = in_thread
        self._caller = HandlerCaller(
            handler,
            name=self.name,
            resource=resource,
            clock=clock,
            same_version_updates=same_version_updates,
            in_thread=in_thread,
        )
        self._turns = HandlerTimeSlice(self.name, clock)
        self._on_remove = on_remove
        self._batches: deque[Sequence[Notification[T]] | None] = deque()
        self._waiting = QueueAge(clock)
        self._overflowing = False
        self._wakeup = asyncio.Event()
        self._settled = asyncio.Event()
        self._synced = False
        self._removed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread: HandlerThread | None = None

    @property
    def has_synced(self) -> bool:
        """Whether the informer has synced and each initial add has been delivered (returned or raised)."""
        return self._synced

    @property
    def depth(self) -> int:
        """Number of notifications that wait for the handler, including the one being handled."""
        return 0 if self._removed else self.enqueued_count - self._caller.done_count

    @property
    def failures(self) -> int:
        """Number of exceptions of the handler."""
        return self._caller.failures

    @property
    def oldest_age(self) -> float:
        """Seconds since the oldest notification that waits, or its batch, was put into the buffer; 0 for none."""
        return self._waiting.oldest_age

    @property
    def is_running(self) -> bool:
        """Whether its task, or a call in its thread, has not ended."""
        if self._task is None:
            return False
        return not self._task.done() or (self._thread is not None and self._thread.is_running)

    async def wait_for_sync(self) -> None:
        """Wait until `has_synced`. Raises InformerStopped if it is removed or the informer stops before."""
        await self._settled.wait()
        if not self._synced:
            raise InformerStopped(f"the handler {self.name} was removed before it got the first list")

    def remove(self) -> None:
        """Stop notifying the handler, and drop what was not delivered. A call under way runs to its end.

        May be repeated, and called from any thread, by the handler too.
        """
        self._caller.is_stopped = True
        if self._loop is None or _running_loop() is self._loop:
            self._leave()
        else:
            with contextlib.suppress(RuntimeError):  # the event loop was closed, and with it all is over
                self._loop.call_soon_threadsafe(self._leave)

    def enqueue(self, notifications: Sequence[Notification[T]]) -> None:
        """Append to the buffer. For the informer; the sequence may be shared by all listeners."""
        if self._removed:
            return
        self._batches.append(notifications)
        self.enqueued_count += len(notifications)
        self._waiting.put(len(notifications))
        self._wakeup.set()
        depth = self.enqueued_count - self._caller.done_count
        if depth <= BUFFER_WARNING // 2:
            self._overflowing = False
        elif depth > BUFFER_WARNING and not self._overflowing:
            self._overflowing = True
            self.overflows += 1
            fields = {"resource": self._resource, "handler": self.name, "depth": depth}
            log.warning("%d notifications wait for the handler %s", depth, self.name, extra=fields)

    def enqueue_end_of_initial_list(self) -> None:
        """Append the mark that ends the initial list: the handler has synced once it gets there. For the informer."""
        if not self._removed:
            self._batches.append(None)
            self._wakeup.set()

    def start(self) -> None:
        """Begin to deliver. For the informer."""
        if self._task is None and not self._removed:
            self._loop = asyncio.get_running_loop()
            self._task = asyncio.create_task(self._run(), name=f"handler {self.name}")

    async def stop(self) -> None:
        """End the delivery and wait for its end. For the informer.

        An async call under way is cancelled; one in a thread is waited for, STOP_LIMIT seconds at most.
        """
        self.remove()
        if self._task is not None:
            if not self._task.cancelling():
                self._task.cancel()
            await asyncio.wait((self._task,))
        thread = self._thread
        if thread is not None and not await thread.join(STOP_LIMIT):
            text = "the handler %s did not return within %g s; its thread is abandoned"
            log.warning(text, self.name, STOP_LIMIT, extra={"resource": self._resource, "handler": self.name})
        self._thread = None

    def _leave(self) -> None:
        if self._removed:
            return
        self._removed = True
        self._batches.clear()
        self._waiting.clear()
        self._settled.set()
        self._wakeup.set()
        self._on_remove(self)

    async def _run(self) -> None:
        if self._in_thread:
            self._thread = HandlerThread(f"handler {self.name}", self._clock)
        try:
            while not self._removed:
                if not self._batches:
                    self._wakeup.clear()
                    await self._wakeup.wait()
                    self._turns.start_turn()
                elif (batch := self._batches.popleft()) is None:
                    self._synced = True
                    self._settled.set()
                elif self._thread is None:
                    await self._deliver(batch)
                    self._waiting.take(len(batch))
                else:
                    await self._deliver_in(self._thread, batch)
        finally:
            if self._thread is not None:
                self._thread.end()

    async def _deliver(self, batch: Sequence[Notification[T]]) -> None:
        position, count = 0, len(batch)
        caller, turns = self._caller, self._turns
        while position < count and not self._removed:
            start = position
            end = start + turns.calls_left
            position, answer = caller.call(batch, start, end if end < count else count)  # noqa: FURB136 - the hot path
            if answer is None:
                turns.count_calls(position - start)
            else:
                turns.count_awaited(position - start)
                try:
                    await answer
                except asyncio.CancelledError as error:
                    if is_cancelled():
                        raise
                    caller.record_failure(
                        batch[position - 1], error
                    )  # what the handler awaited was cancelled, not this task
                except Exception as error:  # noqa: BLE001 - a handler that raises is called again with the next one
                    caller.record_failure(batch[position - 1], error)
                caller.done_count += 1
            if turns.calls_left <= 0:
                await asyncio.sleep(0)
                turns.start_turn()

    async def _deliver_in(self, thread: HandlerThread, batch: Sequence[Notification[T]]) -> None:
        """Hand over the batch, and what follows it up to the end of the initial list, in one go."""
        batches = [batch]
        while self._batches and (following := self._batches[0]) is not None:
            batches.append(following)
            self._batches.popleft()
        await thread.run(partial(self._caller.call_in_thread, batches))
        self._waiting.take(sum(map(len, batches)))


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def is_cancelled() -> bool:
    """Whether the current task has been asked to cancel."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
