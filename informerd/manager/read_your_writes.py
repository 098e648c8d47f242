"""Read-your-writes: waits until a cache shows one's own write, so that the next read sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from informerd.cache.handler import HandlerFunctions
from informerd.cache.health import not_synced_reason
from informerd.cache.shared_informer import Registration, SharedInformer
from informerd.clock import Clock, within
from informerd.errors import NotInTime
from informerd.objects import Object

T = TypeVar("T", bound=Object)


class ReadYourWrites(Generic[T]):
    """Waits on one informer, `timeout` seconds at most. Raises NotInTime, and InformerStopped.

    The write is done all the same: NotInTime says that reads may not show it yet.
    """

    def __init__(
        self, informer: SharedInformer[T], *, timeout: float, clock: Clock, is_cached: Callable[[T], bool]
    ) -> None:
        """`is_cached` says of an object whether the informer's selectors match it."""
        self._informer = informer
        self._timeout = timeout
        self._clock = clock
        self._is_cached = is_cached
        self._registration: Registration[T] | None = None
        self._deletion_waiters: dict[str, list[asyncio.Future[None]]] = {}
        """Waiters for the end of an object, by its key."""

    async def wait_until_cached(self, obj: T) -> None:
        """Wait until the cache has seen this version of the object. One that it does not hold is not waited for."""
        version = obj.metadata.resource_version
        if version and (self._informer.store.get(obj.key) is not None or self._is_cached(obj)):
            try:
                async with within(self._timeout, self._clock):
                    await self._informer.wait_for(version)
            except TimeoutError as error:
                raise self._late(f"{obj.key} was written") from error

    async def wait_until_deleted(self, key: str, uid: str | None) -> None:
        """Wait until the cache has no object of that key, or one with another uid than `uid`."""
        try:
            async with within(self._timeout, self._clock):
                while (obj := self._informer.store.get(key)) is not None and uid in (None, obj.metadata.uid):
                    await self._wait_for_delete(key)
        except TimeoutError as error:
            raise self._late(f"{key} was deleted") from error

    def close(self) -> None:
        """Remove the handler, if there is one: the informer may belong to somebody else."""
        if self._registration is not None:
            self._registration.remove()

    async def _wait_for_delete(self, key: str) -> None:
        if self._registration is None:
            handler: HandlerFunctions[T] = HandlerFunctions(on_delete=self._deleted, on_update=self._updated)
            self._registration = self._informer.add_handler(handler, name="own writes")
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._deletion_waiters.setdefault(key, []).append(waiter)
        await waiter

    def _deleted(self, obj: T, final_state_unknown: bool) -> None:  # noqa: ARG002 - it is a handler's
        self._wake(obj.key)

    def _updated(self, old: T, new: T) -> None:
        if old.metadata.uid != new.metadata.uid:
            self._wake(new.key)

    def _wake(self, key: str) -> None:
        for waiter in self._deletion_waiters.pop(key, ()):
            if not waiter.done():
                waiter.set_result(None)

    def _late(self, what: str) -> NotInTime:
        resource, health = self._informer.resource.key, not_synced_reason(self._informer.health())
        return NotInTime(f"{what}, but the cache of {resource} has not shown it within {self._timeout:g} s ({health})")
