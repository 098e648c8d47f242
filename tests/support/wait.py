"""Polling of a condition of real processes until it holds or a deadline passes.

Half a minute is much longer than anything here takes, also on a shared machine; the benchmarks measure how long it may
take for people.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from informerd.testing.polling import eventually

__all__ = ["eventually", "until"]

T = TypeVar("T")
_SHORTEST = 0.005
_LONGEST = 0.1
_GROWTH = 1.3


def until(condition: Callable[[], T], *, within: float = 30.0, what: str = "", every: float | None = None) -> T:
    """The first true answer of `condition`; AssertionError after `within` seconds.

    It is asked again after 5 ms, then after ever longer pauses, up to 100 ms: what comes soon is seen soon, and what
    takes long is not slowed down by being asked for. With `every`, all pauses are so many seconds.
    """
    deadline = time.monotonic() + within
    pause = every or _SHORTEST
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within:g} s: {what or condition}")
        time.sleep(pause)
        pause = every or min(pause * _GROWTH, _LONGEST)
    return answer
