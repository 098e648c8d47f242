"""Group of runnables that start together, and stop together within a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from informerd.clock import Clock, within
from informerd.manager.runnable import Run

CANCEL_SECONDS = 1.0
"""Seconds that a runnable has to end in once it is cancelled."""


class RunnableGroup:
    """Runs that start inside `context`, which their tasks keep. One that is added after `start` starts at once."""

    def __init__(
        self, clock: Clock, context: Callable[[], AbstractContextManager[object]] = lambda: nullcontext()
    ) -> None:
        self.runs: list[Run] = []
        self._clock = clock
        self._context = context
        self._started = False
        self._stopped = False

    def add(self, run: Run) -> None:
        """Add a run."""
        self.runs.append(run)
        if self._started and not self._stopped:
            self._begin(run)

    def start(self) -> None:
        """Start all runnables."""
        self._started = True
        for run in self.runs:
            self._begin(run)

    def _begin(self, run: Run) -> None:
        with self._context():
            run.start()

    async def stop(self, seconds: float) -> tuple[str, ...]:
        """Stop all, by cancellation after `seconds` (0: at once). Returns the names of those that have not ended."""
        self._stopped = True
        if seconds > 0:
            for run in self.runs:
                run.stop()
            await self._ended(seconds)
        self.cancel()
        await self._ended(CANCEL_SECONDS)
        return tuple(run.name for run in self._running())

    def cancel(self) -> None:
        """Have them end at once, and wait for none."""
        self._stopped = True
        for run in self._running():
            run.cancel()

    async def _ended(self, seconds: float) -> None:
        tasks = [run.task for run in self._running() if run.task is not None]
        if not tasks:
            return
        try:
            async with within(seconds, self._clock):
                await asyncio.wait(tasks)
        except TimeoutError:
            return

    def _running(self) -> list[Run]:
        return [run for run in self.runs if run.is_running]
