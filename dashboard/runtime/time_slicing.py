"""Long work in slices of a few milliseconds, so that the event loop can run other tasks in between."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Literal, Protocol, TypeVar

logger = logging.getLogger(__name__)
T = TypeVar("T")

SLICE_SECONDS = 0.005
"""Seconds of a slice."""
STEP_SECONDS = 0.0005
"""Seconds of processor time of a step of joined work."""
EAGER_STEPS = 8
EAGER_SECONDS = 0.02
"""Steps of new work that are done at once, and the seconds of processor time after which no more of them begin: short
work is complete before anything else runs.
"""

SlicedWork = Iterator[Literal["wait"] | None]
"""Yields after each small step, of a few milliseconds at most; "wait" where it can do nothing before other work has
run.
"""


async def in_turns(items: Iterable[T]) -> AsyncIterator[T]:
    """The items, with a turn for other tasks after each slice; an item should take a few milliseconds at most."""
    end = time.perf_counter() + SLICE_SECONDS
    for item in items:
        yield item
        if time.perf_counter() >= end:
            await asyncio.sleep(0)
            end = time.perf_counter() + SLICE_SECONDS


class Slices(Protocol):
    """Runs work in slices."""

    def add(self, work: SlicedWork, *, urgent: bool = False) -> None:
        """Start a piece of work."""


def run_at_once(work: SlicedWork) -> None:
    """Do all of the work now, where nothing else has to run meanwhile."""
    for _ in work:
        pass


def joined(works: Iterable[SlicedWork], seconds: float = STEP_SECONDS) -> SlicedWork:
    """The works one after the other, in steps of so many seconds of processor time: fewer where theirs are short."""
    end = time.thread_time() + seconds
    for work in works:
        for step in work:
            if step == "wait" or time.thread_time() >= end:
                yield step
                end = time.thread_time() + seconds


class TimeSlicer:
    """Runs pieces of work in turn, each for a slice, on the event loop that added them. Where urgent work waits, every
    other slice is urgent work's.
    """

    def __init__(self, seconds: float = SLICE_SECONDS) -> None:
        self._seconds = seconds
        self._waiting: deque[SlicedWork] = deque()
        self._urgent: deque[SlicedWork] = deque()
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._waiting) + len(self._urgent)

    def add(self, work: SlicedWork, *, urgent: bool = False) -> None:
        """Start a piece of work; what is left after its first steps is done later. Its exceptions are logged."""
        end = time.thread_time() + EAGER_SECONDS
        for _ in range(EAGER_STEPS):
            step = _step(work)
            if step == "end":
                return
            if step == "wait" or time.thread_time() >= end:
                break
        (self._urgent if urgent else self._waiting).append(work)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="slices")

    async def stop(self) -> None:
        """Drop all unfinished work."""
        self._waiting.clear()
        self._urgent.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _run(self) -> None:
        try:
            while len(self):
                for queue in (self._urgent, self._waiting):
                    if queue:
                        await asyncio.sleep(0)
                    if queue:  # it still has some
                        self._slice(queue)
        finally:
            self._task = None

    def _slice(self, queue: deque[SlicedWork]) -> None:
        work = queue.popleft()
        end = time.perf_counter() + self._seconds
        while (step := _step(work)) != "end":
            if step == "wait" or time.perf_counter() >= end:
                queue.append(work)
                return


class DelayedSlices:
    """Passes work on to `slices`, where it does nothing until `is_due`."""

    def __init__(self, slices: Slices, is_due: Callable[[], bool]) -> None:
        self._slices = slices
        self._is_due = is_due

    def add(self, work: SlicedWork, *, urgent: bool = False) -> None:
        self._slices.add(work if self._is_due() else self._delayed(work), urgent=urgent)

    def _delayed(self, work: SlicedWork) -> SlicedWork:
        while not self._is_due():
            yield "wait"
        yield from work


def _step(work: SlicedWork) -> Literal["end", "wait"] | None:
    try:
        return next(work, "end")
    except Exception:
        logger.exception("a work in slices failed")
        return "end"
