"""Caches of a manager, which it starts, waits for, and stops where they are its own."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health, not_synced_reason
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock, within
from informerd.errors import InformerStopped, NotSynced
from informerd.manager.cached_client import CachedClient
from informerd.manager.sync_advice import SyncAdvice

SETTLE_SECONDS = 30.0
"""Seconds that readers of the caches wait for all of them, before they wait for their own only."""


class Caches:
    """The caches of `client`. With `shared` the factory is the caller's: started for new informers, never ended."""

    def __init__(self, client: CachedClient, *, shared: bool, clock: Clock) -> None:
        self._client = client
        self._shared = shared
        self._clock = clock
        self._advice = SyncAdvice(client.factory.discovery, client.rest.config.user)

    def start(self) -> None:
        """Start the informers that do not run yet."""
        for factory in self._client.factories:
            factory.start()
        for informer in self._informers():
            self._advice.watch(informer)

    async def wait_until_settled(self) -> None:
        """Wait until each has synced or says why it cannot: one kind that is missing does not hold up the others."""
        with contextlib.suppress(TimeoutError):
            async with within(SETTLE_SECONDS, self._clock):
                for informer in self._informers():
                    await _settled(informer)

    def check(self) -> None:
        """Raises NotSynced, which says of each that has not synced why not, and what is to be done about it."""
        pending = {_name(each): self._why_not(each) for each in self._informers() if not each.has_synced}
        if pending:
            raise NotSynced(pending)

    async def stop(self, seconds: float) -> tuple[str, ...]:
        """Stop the caches that the manager started. Returns "caches" where they have not ended in time."""
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
        return ": ".join(filter(None, (not_synced_reason(informer.health()), self._advice.advice_for(informer))))

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
