"""A manager's caches: started, settled, and stopped where they are its own."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from informerd.cache.factory import SharedInformerFactory, why_not
from informerd.cache.health import Health
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock, within
from informerd.errors import InformerStopped, NotSynced
from informerd.manager.advice import Advice
from informerd.manager.cached_client import CachedClient

SETTLE = 30.0
"""Seconds that what reads the caches is kept waiting for all of them, before it waits for its own alone."""


class Caches:
    """Those of `client`. With `shared` its factory is somebody else's: it is started for new informers, never ended."""

    def __init__(self, client: CachedClient, *, shared: bool, clock: Clock) -> None:
        self._client = client
        self._shared = shared
        self._clock = clock
        self._advice = Advice(client.factory.discovery, client.rest.config.user)

    def start(self) -> None:
        """Start whatever does not run yet."""
        for factory in self._client.factories:
            factory.start()
        for informer in self._informers():
            self._advice.watch(informer)

    async def settled(self) -> None:
        """Wait until each has synced or says why it cannot: one kind that is missing does not hold up the others."""
        with contextlib.suppress(TimeoutError):
            async with within(SETTLE, self._clock):
                for informer in self._informers():
                    await _settled(informer)

    def check(self) -> None:
        """Raises NotSynced, which says of each that has not synced why not, and what is to be done about it."""
        pending = {_name(each): self._why_not(each) for each in self._informers() if not each.has_synced}
        if pending:
            raise NotSynced(pending)

    async def stop(self, seconds: float) -> tuple[str, ...]:
        """End those that are its own; what has not ended then."""
        self._client.close()
        await self._advice.close()
        own = self._own()
        try:
            async with within(seconds, self._clock):
                for factory in own:
                    await factory.stop()
        except TimeoutError:
            return ("caches",)
        return ()

    def _why_not(self, informer: SharedInformer[Any]) -> str:
        return ": ".join(filter(None, (why_not(informer.health()), self._advice.on(informer))))

    def _own(self) -> list[SharedInformerFactory]:
        factories = self._client.factories
        return factories[1:] if self._shared else factories

    def _informers(self) -> list[SharedInformer[Any]]:
        return self._client.informers


def _name(informer: SharedInformer[Any]) -> str:
    where = " ".join(filter(None, (informer.namespace and f"in {informer.namespace}", informer.selector)))
    return f"{informer.resource.key} {where}".rstrip()


async def _settled(informer: SharedInformer[Any]) -> None:
    changed = asyncio.Event()

    def on_health(_: Health) -> None:
        changed.set()

    end = informer.on_health(on_health)
    try:
        while not informer.has_synced and informer.health().state in ("starting", "syncing"):
            changed.clear()
            await changed.wait()
        if informer.health().state == "live":  # the first list is being stored
            with contextlib.suppress(InformerStopped):
                await informer.wait_for_sync()
    finally:
        end()
