"""Recording of one kind: an informer's handler that puts each change into the queue, and knows what is covered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from dashboard.live.history.change_queue import Change, ChangeQueue, Covered, ListBegin, ListEnd, NamespaceLost
from dashboard.live.history.version import Operation
from informerd.cache.handler import Handler, is_another_object
from informerd.cache.health import Health
from informerd.objects import Object

INTERRUPTED = "the watch was interrupted, and the API server no longer had what happened meanwhile"
OVERFLOW = "more changed than could be written"
CATCH_UP = 1_000_000
"""Microseconds in which the informer hands on what a list brought."""


class ListedRegistration(Protocol):
    """Registration of the handler, as the informer returns it."""

    @property
    def has_synced(self) -> bool: ...

    @property
    def depth(self) -> int: ...

    @property
    def oldest_age(self) -> float: ...

    def remove(self) -> None: ...


class RecordedInformer(Protocol):
    """A KindInformer."""

    @property
    def unreadable(self) -> Mapping[str, Any]: ...

    def health(self) -> Health: ...

    def add_handler(self, handler: Handler[Any]) -> ListedRegistration: ...


class KindRecording:
    """Belongs to the event loop. `now` is Unix microseconds; `why_full` the reason where the queue is full."""

    def __init__(
        self,
        key: str,
        informer: RecordedInformer,
        queue: ChangeQueue,
        now: Callable[[], int],
        why_full: Callable[[], str] = lambda: OVERFLOW,
    ) -> None:
        self.key = key
        self.lost = 0
        """Changes for which there was no room."""
        self._informer = informer
        self._queue = queue
        self._now = now
        self._why_full = why_full
        self._reason = ""
        """Why there was a gap before `_since`."""
        self._since = 0
        """Since when every change was put into the queue; 0 while that is not so."""
        self._is_overflowing = False
        self._relists = 0
        self._caught_up_after = 0
        """When what a list brought after an interruption has reached this handler."""
        self._is_list_open = False
        self._registration: ListedRegistration = self._register()

    def list_again(self, *, since: int = 0, reason: str = "") -> None:
        """Put all objects into the queue. `since`: only changes since then are there. With a `reason`, changes before
        were lost.
        """
        if reason:
            self._break(reason)
        elif self._since:
            self._since = max(self._since, since)
        self._registration.remove()
        self._registration = self._register()

    def stop(self) -> None:
        """Record no more."""
        self._registration.remove()

    @property
    def is_listing(self) -> bool:
        """Whether a list is on its way that pages are waiting for, too."""
        return self._is_list_open and self._informer.health().state == "syncing"

    def forget_namespace(self, namespace: str) -> None:
        """Record that the account may no longer list a namespace."""
        if not self._queue.put(NamespaceLost(self.key, namespace, self._now())):
            self._overflow()

    def covered(self) -> Covered | None:
        """Since and until when every change of the kind is in the queue; None while that is not so. For each second."""
        registration, health = self._registration, self._informer.health()
        if self._is_overflowing:
            if self._queue.has_room:
                self._is_overflowing = False
                self.list_again()
            return None
        if self._is_list_open:
            if not registration.has_synced:
                return None
            self._is_list_open = False
            listed = frozenset(health.namespaces) if health.is_by_namespace else None
            self._queue.put(ListEnd(self.key, self._now(), frozenset(self._informer.unreadable), listed))
        if health.state != "live":
            return None
        now = self._now()
        if health.relists != self._relists:
            self._relists = health.relists
            if self._since:
                self._break(INTERRUPTED)
                self._caught_up_after = now + CATCH_UP
        if now - int(registration.oldest_age * 1e6) < self._caught_up_after:
            return None
        if not self._since:
            self._since = now
        return Covered(self.key, self._since, max(self._since, now - int(registration.oldest_age * 1e6)), self._reason)

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
        self._put(Operation.FOUND if is_in_initial_list else Operation.ADDED, obj)

    def on_update(self, old: Object, new: Object) -> None:
        if is_another_object(old, new):
            self._put(Operation.MISSING, old)
            self._put(Operation.ADDED, new)
        else:
            self._put(Operation.MODIFIED, new)

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        if not final_state_unknown:
            self._put(Operation.DELETED, obj)
        elif obj.key not in self._informer.unreadable:
            self._put(Operation.MISSING, obj)

    def _put(self, operation: Operation, obj: Object) -> None:
        if self._is_overflowing:
            self.lost += 1
        elif not self._queue.put(Change(self.key, operation, obj, self._now())):
            self.lost += 1
            self._overflow()

    def _overflow(self) -> None:
        self._is_overflowing = True
        self._break(self._why_full())

    def _break(self, reason: str) -> None:
        self._since, self._reason = 0, reason

    def _register(self) -> ListedRegistration:
        self._is_list_open = True
        self._relists = self._relists if self._since else self._informer.health().relists
        self._queue.put(ListBegin(self.key))
        return self._informer.add_handler(self)
