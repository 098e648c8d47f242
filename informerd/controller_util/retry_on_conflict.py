"""Conflicts: somebody else was faster, so read again and try again, a little later (client-go's util/retry)."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from informerd.clock import Clock, SystemClock
from informerd.errors import Conflict

R = TypeVar("R")

TRIES = 8
FIRST = 0.01
"""Seconds before the second try; twice as many before each further one…"""
LONGEST = 1.0
"""…up to so many. Each is drawn between that and twice that, so that rivals part."""


async def retry_on_conflict(
    attempt: Callable[[], Awaitable[R]],
    *,
    tries: int = TRIES,
    clock: Clock | None = None,
    chance: Callable[[], float] = random.random,
) -> R:
    """What `attempt` gives, called again while it raises Conflict; after so many `tries`, that Conflict.

    `attempt` must read the object anew each time, or it will always be late. Anything else that it raises ends this.
    """
    clock = clock or SystemClock()
    for number in range(tries - 1):
        try:
            return await attempt()
        except Conflict:
            await clock.sleep(min(LONGEST, FIRST * 2**number) * (1.0 + chance()))
    return await attempt()
