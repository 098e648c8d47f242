"""Caller of one handler, which logs and survives every exception of the handler."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from inspect import isawaitable
from types import CoroutineType
from typing import Generic, TypeVar

from informerd.cache.handler import Handler
from informerd.cache.notification import Add, Notification, Update
from informerd.clock import Clock
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.objects import Object, is_same_state

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)


class HandlerCaller(Generic[T]):
    """Calls one handler, from one thread at a time. What it raises is logged and counted.

    `name` and `resource` are for the log. `in_thread`: it is called from a thread of its own, where SystemExit and
    KeyboardInterrupt end nothing, and are failures like others.
    """

    def __init__(
        self,
        handler: Handler[T],
        *,
        name: str,
        resource: str,
        clock: Clock,
        same_version_updates: bool = False,
        in_thread: bool = False,
    ) -> None:
        self.failures = 0
        """Number of exceptions of the handler."""
        self.done_count = 0
        """Notifications dealt with."""
        self.is_stopped = False
        """Set it from any thread to prevent further calls."""
        self._handler = handler
        self._name = name
        self._resource = resource
        self._repeats = LogThrottle(clock)
        self._same_version_updates = same_version_updates
        self._caught = (BaseException,) if in_thread else (Exception, asyncio.CancelledError)

    def call(self, batch: Sequence[Notification[T]], start: int, end: int) -> tuple[int, Awaitable[object] | None]:
        """Deliver `batch[start:end]`, up to the first awaitable result; returns the next index and that awaitable.

        The caller passes an exception of the awaitable to `record_failure`, and adds it to `done_count` when it is
        over.
        """
        handler, same = self._handler, self._same_version_updates
        for position in range(start, end):
            if self.is_stopped:
                break
            notification = batch[position]
            answer: Awaitable[object] | None = None
            try:
                if isinstance(notification, Update):
                    if same or _differ(notification.old, notification.new):
                        answer = handler.on_update(notification.old, notification.new)
                elif isinstance(notification, Add):
                    answer = handler.on_add(notification.object, notification.is_in_initial_list)
                else:
                    answer = handler.on_delete(notification.object, notification.final_state_unknown)
                if answer is not None and (type(answer) is CoroutineType or isawaitable(answer)):
                    return position + 1, answer
            except self._caught as error:
                self.record_failure(notification, error)
            self.done_count += 1
        return end, None

    def call_in_thread(self, batches: Sequence[Sequence[Notification[T]]]) -> None:
        """Hand over all of them. An answer that would have to be awaited is a failure."""
        for batch in batches:
            position = 0
            while position < len(batch) and not self.is_stopped:
                position, answer = self.call(batch, position, len(batch))
                if answer is not None:
                    self._refuse(batch[position - 1], answer)

    def record_failure(self, notification: Notification[T], error: BaseException) -> None:
        """Count and log what the handler raised."""
        self.failures += 1
        if number := self._repeats.count(type(error).__name__):
            key = notification.key
            fields = {"resource": self._resource, "handler": self._name, "object": key, "failures": number}
            text = "the handler %s failed on %s %s%s"
            log.error(text, self._name, self._resource, key, repeat_suffix(number), exc_info=error, extra=fields)

    def _refuse(self, notification: Notification[T], answer: Awaitable[object]) -> None:
        if isinstance(answer, CoroutineType):
            answer.close()
        self.record_failure(
            notification, TypeError("a handler in a thread must have plain functions; an async handler needs no thread")
        )
        self.done_count += 1


def _differ(old: Object, new: Object) -> bool:
    """A server restored from a backup gives out the versions since then again: to other states and other objects."""
    if old is new:
        return False
    return old.metadata.resource_version != new.metadata.resource_version or not is_same_state(old, new)
