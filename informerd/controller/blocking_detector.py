"""Detector of long steps of a coroutine, between two awaits, during which the event loop runs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class BlockingDetector(Generic[T]):
    """Awaits a coroutine, and knows how long the longest of its steps took. To be awaited once."""

    __slots__ = ("_coroutine", "_now", "longest_step")

    def __init__(self, coroutine: Coroutine[Any, Any, T], now: Callable[[], float]) -> None:
        self.longest_step = 0.0
        """Seconds, without the step that is under way."""
        self._coroutine = coroutine
        self._now = now

    def __await__(self) -> Generator[Any, Any, T]:
        """As ``await coroutine`` (PEP 380), with the duration of each step measured."""
        now, coroutine = self._now, self._coroutine
        step, given = coroutine.send, None
        while True:
            began = now()
            try:
                awaited = step(given)
            except StopIteration as end:
                result: T = end.value
                return result
            finally:
                if (seconds := now() - began) > self.longest_step:
                    self.longest_step = seconds
            try:
                given, step = (yield awaited), coroutine.send
            except GeneratorExit:
                coroutine.close()
                raise
            except BaseException as error:  # noqa: BLE001 - what is thrown in goes on to the coroutine
                given, step = error, coroutine.throw
