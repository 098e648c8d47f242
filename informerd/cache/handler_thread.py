"""Thread of one blocking handler, so that it can wait without holding up anything else."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from queue import SimpleQueue

from informerd.clock import Clock, sleep_or

Job = Callable[[], None]


class HandlerThread:
    """Runs jobs one after the other. All but the jobs happens on one event loop.

    It is a daemon: a job that never returns does not keep the interpreter from its end.
    """

    def __init__(self, name: str, clock: Clock) -> None:
        self._clock = clock
        self._jobs: SimpleQueue[tuple[Job, asyncio.Future[None]] | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return not self._ended.is_set()

    async def run(self, job: Job) -> None:
        """Run `job` in the thread and wait for its end. Raises what it raises. A job under way cannot be cancelled."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._jobs.put((job, done))
        await done

    def end(self) -> None:
        """Let the thread end after the jobs it has. May be repeated."""
        self._jobs.put(None)

    async def join(self, seconds: float) -> bool:
        """Wait for the thread's end, at most `seconds`. Returns whether it has ended."""
        if not await sleep_or(self._ended, seconds, self._clock):
            return False
        self._thread.join()  # it has said its last word
        return True

    def _work(self) -> None:
        while (entry := self._jobs.get()) is not None:
            job, done = entry
            error: BaseException | None = None
            try:
                job()
            except BaseException as raised:  # noqa: BLE001 - it is raised where the job is waited for
                error = raised
            self._tell(_settle, done, error)
        self._tell(self._ended.set)

    def _tell(self, callback: Callable[..., object], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop was closed meanwhile: nobody waits any more
            self._loop.call_soon_threadsafe(callback, *arguments)


def _settle(done: asyncio.Future[None], error: BaseException | None) -> None:
    if done.done():  # who waited was cancelled
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
