"""Path of an event through predicates and handler into a queue, with every exception of these logged."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from informerd.clock import Clock
from informerd.controller.events import ObjectEvent, is_unchanged
from informerd.controller.handlers import EnqueueHandler, as_request
from informerd.controller.predicates import Predicate, evaluate
from informerd.controller.request import Request
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.objects import Object
from informerd.workqueue.work_queue import LOW_PRIORITY

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)


class RequestQueue(Protocol):
    """Part of a work queue that a source needs."""

    def add(self, item: Request, *, priority: int = 0) -> None: ...


class EnqueueTarget:
    """Whom a source feeds: a controller's queue, and what the log needs."""

    def __init__(self, controller: str, queue: RequestQueue, clock: Clock) -> None:
        self.controller = controller
        self.queue = queue
        self.clock = clock
        self._repeats = LogThrottle(clock)

    def log_error(self, what: str, name: str, about: str, error: BaseException) -> None:
        """Log that something of a source's raised; a storm of it in a few lines."""
        if number := self._repeats.count(f"{what} {type(error).__name__}"):
            fields = {"controller": self.controller, "object": about, "failures": number}
            text = "the %s %s of the controller %s failed on %s%s"
            log.error(text, what, name, self.controller, about, repeat_suffix(number), exc_info=error, extra=fields)


class Enqueuer(Generic[T]):
    """One source's: predicates, which are ANDed, and a handler. Nothing that they raise comes out of it."""

    def __init__(self, target: EnqueueTarget, handler: EnqueueHandler[T], predicates: Sequence[Predicate[T]]) -> None:
        self._target = target
        self._add = target.queue.add
        self._handler = handler
        self._predicates = predicates

    def enqueue(self, event: ObjectEvent[T]) -> None:
        """Put the event's requests into the queue, with LOW_PRIORITY where nothing has changed, else with 0."""
        for predicate in self._predicates:
            if not self._passes(predicate, event):
                return
        priority = LOW_PRIORITY if is_unchanged(event) else 0
        try:
            for request in self._handler(event):
                self._add(as_request(request), priority=priority)
        except Exception as error:  # noqa: BLE001 - what a handler or predicate raises ends no informer
            self._target.log_error("handler", self._handler.name, event.objects[-1].key, error)

    def _passes(self, predicate: Predicate[T], event: ObjectEvent[T]) -> bool:
        try:
            return evaluate(predicate, event)
        except Exception as error:  # noqa: BLE001 - what a handler or predicate raises ends no informer
            self._target.log_error("predicate", predicate.name, event.objects[-1].key, error)
            return True
