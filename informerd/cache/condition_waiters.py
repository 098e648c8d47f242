"""Waiters for a condition of a store, asked after each batch of changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")


class ConditionWaiters:
    """Waiters for conditions of one store."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []

    async def wait(self, condition: Callable[[], R | None]) -> R:
        """The first answer of `condition` that is not None, now or after a batch. Raises what it raises, and what
        `fail` is given.
        """
        if (answer := condition()) is not None:
            return answer
        waiter: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        entry = (condition, waiter)
        self._waiting.append(entry)
        try:
            return await waiter
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)

    def ask(self) -> None:
        """The store has changed."""
        for entry in [*self._waiting]:
            condition, waiter = entry
            if waiter.done():
                continue
            try:
                answer = condition()
            except Exception as error:  # noqa: BLE001 - whatever it raises is for who waits
                waiter.set_exception(error)
            else:
                if answer is not None:
                    waiter.set_result(answer)

    def fail(self, error: Exception) -> None:
        """Nobody need wait any more."""
        for _, waiter in self._waiting:
            if not waiter.done():
                waiter.set_exception(error)
