"""Sources of one controller, from their start through their sync to their end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

from informerd.clock import within
from informerd.controller.enqueuer import EnqueueTarget
from informerd.controller.sources import RunningSource, Source
from informerd.errors import CacheSyncTimeout, InvalidCall

log = logging.getLogger(__name__)

WARN_AFTER = 10.0
"""Seconds after which a controller that still waits for its sources says so."""


class SourceSet:
    """Sources of one controller, which all feed one target. A source added after `start` begins immediately."""

    def __init__(self, target: EnqueueTarget) -> None:
        self._target = target
        self._sources: list[Source] = []
        self._started: list[RunningSource] = []
        self._has_begun = False

    def __iter__(self) -> Iterator[Source]:
        return iter(self._sources)

    @property
    def pending(self) -> dict[str, str]:
        """Why sources have not synced, by name; without sources that have not been started."""
        pending: dict[str, str] = {}
        for number, (source, started) in enumerate(zip(self._sources, self._started, strict=False), start=1):
            if not started.has_synced:
                name = source.name
                pending[f"{name} (source {number})" if name in pending else name] = started.not_synced_reason
        return pending

    def add(self, source: Source) -> None:
        """Add a source. Raises InvalidCall for what is no source, and what its start raises."""
        if not callable(getattr(source, "start", None)) or isinstance(source, type):
            raise InvalidCall(f"{source!r} is not a source: KindSource(kind.informer) makes one from a kind")
        if self._has_begun:
            self._started.append(source.start(self._target))
        self._sources.append(source)

    def start(self) -> None:
        """Begin, in the running event loop. Raises InformerStopped."""
        self._has_begun = True
        for source in self._sources:
            self._started += [source.start(self._target)]  # each at once, so that `stop` ends those before a failure

    async def wait_for_sync(self, timeout: float | None, stopping: asyncio.Event) -> bool:
        """Wait until all have synced, `timeout` seconds at most; False where `stopping` is set before.

        Raises CacheSyncTimeout and InformerStopped.
        """
        name, clock = self._target.controller, self._target.clock
        syncing = asyncio.create_task(self._all_synced(), name=f"sync of the controller {name}")
        ending = asyncio.create_task(stopping.wait(), name=f"stop of the controller {name}")
        complaining = asyncio.create_task(self._complain(), name=f"complaint of the controller {name}")
        try:
            async with within(timeout, clock):
                await asyncio.wait((syncing, ending), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            sentence = f"the caches of the controller {name} have not synced within {timeout:g} s: {{}}"
            raise CacheSyncTimeout(self.pending, sentence) from None
        finally:
            for task in (syncing, ending, complaining):
                task.cancel()
            await asyncio.wait((syncing, ending, complaining))
        if stopping.is_set():
            return False
        syncing.result()
        return True

    async def stop(self) -> None:
        """End all of them, and wait for that."""
        for started in self._started:
            await started.stop()

    async def _all_synced(self) -> None:
        for each in self._started:  # those that are added while this waits, too
            await each.wait_for_sync()

    async def _complain(self) -> None:
        """Log once why no worker has started. Waiting for ever may be intended."""
        name = self._target.controller
        await self._target.clock.sleep(WARN_AFTER)
        for source, why in self.pending.items():
            text = "the controller %s has no worker yet, because %s is %s"
            log.warning(text, name, source, why, extra={"controller": name, "source": source, "problem": why})
