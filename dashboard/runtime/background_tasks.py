"""Helpers for background tasks: restart one that fails, cancel several."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from informerd.clock import Clock

logger = logging.getLogger(__name__)

RESTART_DELAY = 1.0
"""Seconds before a failed task is started again."""


async def keep_running(name: str, run: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Run until cancelled. An exception is a bug: it is logged with its traceback, then `run` starts again."""
    while True:
        try:
            await run()
        except Exception:
            logger.exception("%s failed and will be restarted in %g s", name, RESTART_DELAY)
            await clock.sleep(RESTART_DELAY)
        else:
            return


async def cancel_all(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they have ended, whatever they raise."""
    ending = [task for task in tasks if task is not asyncio.current_task()]
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
