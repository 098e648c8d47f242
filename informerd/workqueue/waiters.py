"""Waiters in one event loop, until they are woken."""

from __future__ import annotations

import asyncio
from collections import deque

from informerd.errors import InvalidCall

WRONG_THREAD_HINT = (
    "call it in the thread of its event loop, from another one by loop.call_soon_threadsafe(queue.add, key)"
)


class Waiters:
    """Woken one by one in the order in which they came, or all at once. `title` is of what they wait for."""

    def __init__(self, title: str) -> None:
        self.waiting: deque[asyncio.Future[None]] = deque()
        self._title = title

    async def wait(self, *, pass_on: bool = False) -> None:
        """Wait to be woken. A waiter that is cancelled after it was woken passes that on, with `pass_on`."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(waiter)
        try:
            await waiter
        except BaseException:
            if not waiter.done() or waiter.cancelled():
                self.waiting = deque(each for each in self.waiting if each is not waiter)
            elif pass_on:
                self.wake()
            raise

    def wake(self) -> None:
        """Wake the oldest waiter. Raises InvalidCall outside the event loop that it waits in."""
        while self.waiting:
            waiter = self.waiting.popleft()
            if waiter.done():
                continue
            if waiter.get_loop() is not running_loop():
                self.waiting.appendleft(waiter)
                raise InvalidCall(f"{self._title} is used from outside its event loop: {WRONG_THREAD_HINT}")
            waiter.set_result(None)
            return

    def wake_all(self) -> None:
        """Wake all. Raises as `wake` does."""
        while self.waiting:
            self.wake()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that runs in this thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
