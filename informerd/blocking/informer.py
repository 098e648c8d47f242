"""Blocking informer and its handlers, for threads without an event loop; see `informerd.blocking.informers`."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Generic, TypeVar

from informerd.blocking.loop_thread import LoopThread
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import Handler
from informerd.cache.health import Health, not_synced_reason
from informerd.cache.lister import Lister
from informerd.cache.shared_informer import Registration, SharedInformer
from informerd.clock import SystemClock, within
from informerd.errors import NotInTime, NotSynced
from informerd.objects import Object
from informerd.selectors.field_selector import FieldSelector
from informerd.selectors.label_selector import LabelSelector

T = TypeVar("T", bound=Object)
R = TypeVar("R")

TIMEOUT = 60.0
"""Default time-out in seconds."""


class BlockingRegistration(Generic[T]):
    """A handler's registration, for any thread."""

    def __init__(self, loop: LoopThread, registration: Registration[T]) -> None:
        self._loop = loop
        self._registration = registration

    @property
    def has_synced(self) -> bool:
        """Whether each initial add has been delivered (returned or raised)."""
        return self._registration.has_synced

    @property
    def failures(self) -> int:
        """Number of exceptions of the handler."""
        return self._registration.failures

    @property
    def depth(self) -> int:
        """Notifications that wait for the handler."""
        return self._registration.depth

    def wait_for_sync(self, timeout: float | None = TIMEOUT) -> None:
        """Wait until `has_synced`, `timeout` seconds at most. Raises NotInTime, and InformerStopped."""
        name = self._registration.name
        late = partial(NotInTime, f"the handler {name} did not get the first list within {timeout} s")
        self._loop.run(lambda: _in_time(self._registration.wait_for_sync, timeout, late))

    def remove(self) -> None:
        """Stop notifying the handler, and drop what was not delivered. May be repeated, also by the handler."""
        self._registration.remove()


class BlockingInformer(Generic[T]):
    """One informer, for any thread. Reading before it has synced raises NotSynced, rather than show half of a list."""

    def __init__(self, loop: LoopThread, factory: SharedInformerFactory, informer: SharedInformer[T]) -> None:
        self._loop = loop
        self._factory = factory
        self._informer = informer

    @property
    def has_synced(self) -> bool:
        """Whether the store has held a first complete list."""
        return self._informer.has_synced

    def health(self) -> Health:
        """The informer's present health, see `Health`."""
        return self._loop.call(self._informer.health)

    def get(self, name: str, namespace: str = "") -> T:
        """The object of that name. Raises NotFound, as the API server would, and NotSynced."""
        return self._read(lambda: self._informer.lister.get(name, namespace))

    def list(
        self,
        namespace: str = "",
        *,
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        where: Callable[[T], bool] | None = None,
    ) -> builtins.list[T]:
        """The objects of a namespace (of all without one) that meet all that is asked for, as of one moment.

        `where` is called in the calling thread. Raises MalformedSelector, UnknownField and NotSynced.
        """
        lister = self._informer.lister
        objects = self._read(
            lambda: lister.list(namespace, label_selector=label_selector, field_selector=field_selector)
        )
        return objects if where is None else [*filter(where, objects)]

    def wait_for_sync(self, timeout: float | None = TIMEOUT) -> None:
        """Wait until `has_synced`, `timeout` seconds at most. Raises NotInTime, which says why not."""
        self._loop.run(lambda: _in_time(self._informer.wait_for_sync, timeout, partial(self._late, timeout)))

    def wait_for(self, resource_version: str, timeout: float | None = TIMEOUT) -> None:
        """Wait until the store has seen that version, such as that of one's own write. Raises NotInTime."""
        waiting = partial(self._informer.wait_for, resource_version)
        self._loop.run(lambda: _in_time(waiting, timeout, partial(self._late, timeout)))

    def wait_until(self, predicate: Callable[[Lister[T]], R], timeout: float | None = TIMEOUT) -> R:
        """Wait until `predicate` is true; it is called in the informer's thread. See `SharedInformer.wait_until`."""
        return self._loop.run(lambda: self._informer.wait_until(predicate, timeout))

    def add_handler(
        self,
        handler: Handler[T],
        *,
        resync: float | None = None,
        same_version_updates: bool | None = None,
        name: str = "",
    ) -> BlockingRegistration[T]:
        """Add `handler`, which runs in a thread of its own and may block; see `SharedInformer.add_handler`."""
        adding = partial(
            self._informer.add_handler,
            handler,
            resync=resync,
            same_version_updates=same_version_updates,
            name=name,
            in_thread=True,
        )
        return BlockingRegistration(self._loop, self._loop.call(adding))

    def drop(self) -> None:
        """Stop the informer."""
        self._loop.run(lambda: self._factory.drop(self._informer))

    def _read(self, read: Callable[[], R]) -> R:
        def reading() -> R:
            if not self._informer.has_synced:
                raise NotSynced({self._informer.resource.key: not_synced_reason(self._informer.health())})
            return read()

        return self._loop.call(reading)

    def _late(self, timeout: float | None) -> NotInTime:
        key, why = self._informer.resource.key, not_synced_reason(self._informer.health())
        return NotInTime(f"waited {timeout} s for {key}, which is {why}")


async def _in_time(
    wait: Callable[[], Coroutine[Any, Any, None]], timeout: float | None, late: Callable[[], NotInTime]
) -> None:
    try:
        async with within(timeout, SystemClock()):
            await wait()
    except TimeoutError:
        raise late() from None
