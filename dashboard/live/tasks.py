"""Tasks that must not end: what fails is logged and begun again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

from informerd.clock import Clock

logger = logging.getLogger(__name__)

PAUSE = 1.0
"""Seconds before a failed task is begun again."""


async def kept_running(name: str, run: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Run until cancelled; an exception is a fault of ours: it is logged with its trace, then `run` starts again."""
    while True:
        try:
            await run()
        except Exception:
            logger.exception("%s failed and is started again in %g s", name, PAUSE)
            await clock.sleep(PAUSE)
        else:
            return


async def cancelled(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks and wait until they have ended, whatever they raise."""
    ending = [task for task in tasks if task is not asyncio.current_task()]
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
