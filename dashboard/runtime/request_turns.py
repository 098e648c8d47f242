"""Turns of requests on the event loop: one of them runs in each iteration of the loop, at most."""

from __future__ import annotations

import asyncio
import types
from collections import deque
from collections.abc import Awaitable, Generator
from typing import Any


class RequestTurns:
    """Runs pieces of work in turn, each until it waits for something, with an iteration of the event loop in between.

    Without turns, all that are ready run in the same iteration, and what comes from the network waits until the last of
    them is done: ten pages of 20 ms delay everything else by 200 ms; with turns, each step of it by 20 ms. What is not
    run here takes no turns: tasks that the work starts, and everything else on the loop.
    """

    def __init__(self) -> None:
        self._is_taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def run(self, work: Awaitable[None]) -> None:
        """Await `work`, each of its steps in a turn."""
        await self._take_steps(work.__await__())

    @types.coroutine
    def _take_steps(self, steps: Generator[Any, Any, None]) -> Generator[Any, None, None]:
        try:
            yield from self._take_each(steps)
        finally:
            steps.close()  # does nothing unless the task was thrown away before the work ended

    def _take_each(self, steps: Generator[Any, Any, None]) -> Generator[Any, None, None]:
        error: BaseException | None = None
        while True:
            try:
                yield from self._take_turn().__await__()
            except GeneratorExit:
                raise
            except BaseException as raised:  # noqa: BLE001 -- it is for the work, which ends or goes on in its turn
                error = raised
                continue
            try:
                waits_for = steps.send(None) if error is None else steps.throw(error)
            except StopIteration:
                return
            finally:
                error = None  # its traceback refers to this frame
            try:
                yield waits_for
            except GeneratorExit:
                raise
            except BaseException as raised:  # noqa: BLE001 -- as above
                error = raised
            finally:
                waits_for = None  # it may have the error

    async def _take_turn(self) -> None:
        """Return when the turn comes; it ends with this iteration of the event loop."""
        loop = asyncio.get_running_loop()
        if self._is_taken:
            turn = loop.create_future()
            self._waiting.append(turn)
            try:
                await turn
            except BaseException:
                if turn.done() and not turn.cancelled():  # the turn came in the same moment
                    self._pass_on()
                turn.cancel()
                raise
        self._is_taken = True
        loop.call_soon(self._pass_on)

    def _pass_on(self) -> None:
        self._is_taken = False
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                self._is_taken = True
                turn.set_result(None)
                return
