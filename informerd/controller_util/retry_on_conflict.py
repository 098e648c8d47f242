"""Retry on conflict: reads and tries again with a growing delay (client-go's util/retry)."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from informerd.clock import Clock, SystemClock
from informerd.errors import Conflict

R = TypeVar("R")

MAX_TRIES = 8
FIRST_DELAY = 0.01
"""Seconds before the second try; the delay doubles with each further one."""
MAX_DELAY = 1.0
"""Maximum of these seconds. Each delay is drawn between the value and twice the value, so that rivals part."""


async def retry_on_conflict(
    attempt: Callable[[], Awaitable[R]],
    *,
    tries: int = MAX_TRIES,
    clock: Clock | None = None,
    chance: Callable[[], float] = random.random,
) -> R:
    """The result of `attempt`, called again while it raises Conflict; after `tries` calls, that Conflict.

    `attempt` must read the object again each time. Any other exception ends the retries.
    """
    clock = clock or SystemClock()
    for number in range(tries - 1):
        try:
            return await attempt()
        except Conflict:
            await clock.sleep(min(MAX_DELAY, FIRST_DELAY * 2**number) * (1.0 + chance()))
    return await attempt()
