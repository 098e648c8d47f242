"""Steps: what a coroutine does between two waits, during which nothing else in its event loop gets a turn."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Steps(Generic[T]):
    """Awaits a coroutine, and knows how long the longest of its steps took. To be awaited once."""

    __slots__ = ("_coroutine", "_now", "longest")

    def __init__(self, coroutine: Coroutine[Any, Any, T], now: Callable[[], float]) -> None:
        self.longest = 0.0
        """Seconds; what is under way is not in it."""
        self._coroutine = coroutine
        self._now = now

    def __await__(self) -> Generator[Any, Any, T]:
        """As ``await coroutine`` (PEP 380), with a look at the clock before and after each step."""
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
                if (seconds := now() - began) > self.longest:
                    self.longest = seconds
            try:
                given, step = (yield awaited), coroutine.send
            except GeneratorExit:
                coroutine.close()
                raise
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is the coroutine's to have
                given, step = error, coroutine.throw
