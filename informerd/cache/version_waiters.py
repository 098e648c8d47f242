"""Waiters for a resource version in a store, such as the version of one's own write."""

from __future__ import annotations

import asyncio

from informerd.resource_version import has_reached


class VersionWaiters:
    """Waiters for versions of one store."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(self, version: str) -> None:
        """Wait until `release` gets that version or a later one. Raises what `fail` is given."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (version, waiter)
        self._waiting.append(entry)
        try:
            await waiter
        finally:  # whoever is cancelled must not wait for the next batch to be removed
            if entry in self._waiting:
                self._waiting.remove(entry)

    def release(self, version: str) -> None:
        """Wake the waiters for versions up to `version`, which the store has seen."""
        if not self._waiting:
            return
        waiting = []
        for wanted, waiter in self._waiting:
            if waiter.done():
                continue
            if has_reached(version, wanted):
                waiter.set_result(None)
            else:
                waiting.append((wanted, waiter))
        self._waiting = waiting

    def fail(self, error: Exception) -> None:
        """Nobody need wait any more."""
        for _, waiter in self._waiting:
            if not waiter.done():
                waiter.set_exception(error)
