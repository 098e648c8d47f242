"""Long work in slices: what takes more than a few milliseconds must let the event loop live in between."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterator
from typing import Literal

logger = logging.getLogger(__name__)

SLICE = 0.005
"""Seconds that a slice takes before everybody else has a turn."""
AT_ONCE = 8
"""Steps of a new work that are done at once, however long they take: short work is done before anybody can look."""

Work = Iterator[Literal["wait"] | None]
"""Yields after each small step, of a millisecond at most; "wait" where there is nothing to do before others have."""


def at_once(work: Work) -> None:
    """Do all of a work now: where nobody else has to be let live."""
    for _ in work:
        pass


class Slices:
    """Does works by turns, each for a slice. All of them run on the event loop that added them."""

    def __init__(self, seconds: float = SLICE) -> None:
        self._seconds = seconds
        self._waiting: deque[Work] = deque()
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, work: Work) -> None:
        """Begin a work; what is left of it after its first steps is done later. What it raises is logged."""
        for _ in range(AT_ONCE):
            step = _step(work)
            if step == "end":
                return
            if step == "wait":
                break
        self._waiting.append(work)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="slices")

    async def stop(self) -> None:
        """Let go of whatever is not done yet."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _run(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(0)
                if self._waiting:
                    self._slice(self._waiting.popleft())
        finally:
            self._task = None

    def _slice(self, work: Work) -> None:
        end = time.perf_counter() + self._seconds
        while (step := _step(work)) != "end":
            if step == "wait" or time.perf_counter() >= end:
                self._waiting.append(work)
                return


def _step(work: Work) -> Literal["end", "wait"] | None:
    try:
        return next(work, "end")
    except Exception:
        logger.exception("a work in slices failed")
        return "end"
