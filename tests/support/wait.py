"""Polling of a condition of real processes until it holds or a deadline passes.

Half a minute is much longer than anything here takes, also on a shared machine; the benchmarks measure how long it may
take for people.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from informerd.testing.waiting import eventually

__all__ = ["eventually", "until"]

T = TypeVar("T")
_INTERVAL = 0.02


def until(condition: Callable[[], T], *, within: float = 30.0, what: str = "", every: float = _INTERVAL) -> T:
    """The first true answer of `condition`, asked `every` so many seconds; AssertionError after `within` seconds."""
    deadline = time.monotonic() + within
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within:g} s: {what or condition}")
        time.sleep(every)
    return answer
