"""Pool of processes for long computing on texts of users, with limits of time and memory after which the work is ended.

A thread would share the interpreter with the event loop, keep the memory that it needed, and could not be ended.
"""

from __future__ import annotations

import asyncio
import copyreg
import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import django

from dashboard.runtime.app_state import Key
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, Limits, Owners
from dashboard.runtime.malloc_tuning import large_work_ended
from dashboard.runtime.thread_pools import run_in_thread
from informerd.clock import SystemClock

T = TypeVar("T")

PROCESSES = 1
"""A second core is left to the event loop and the API server's answers."""
LONG_TEXT = 256 * 1024
"""Characters; what reads a longer text runs in a process."""
SECONDS = 20
"""Processor time of one piece of work."""
GRACE_SECONDS = 10
"""Processor time after that until the system ends the process, where Python does not react."""
MEMORY = 1024 * 1024 * 1024
"""Bytes that a process may allocate. The longest texts, of 3 MiB and 400,000 values, need a fifth of it."""
TASKS_PER_PROCESS = 50
"""Pieces of work after which a process is replaced, which gives its memory back."""

_CONTEXT = multiprocessing.get_context("spawn")


class WorkEnded(Exception):
    """The work was ended before it had a result. The message is a sentence for the person."""

    sentence = "This text could not be worked on, because the process for it ended."

    def __init__(self) -> None:
        super().__init__(self.sentence)

    def __reduce__(self) -> tuple[type[WorkEnded], tuple[()]]:
        return type(self), ()


class TookTooLong(WorkEnded):
    """The work used up its time."""

    sentence = "Checking this text takes too long, so it was ended. Make the text shorter, or divide it into several."


class NeededTooMuchMemory(WorkEnded):
    """The work used up its memory, or the system ended its process, as it does where memory is short."""

    sentence = (
        "Checking this text needs too much memory, so it was ended. Make the text shorter, or divide it into several."
    )


class WorkProcesses:
    """Runs functions of modules in processes that are started when they are first needed.

    Owners take turns, so one who has a hundred pieces of work delays nobody by more than one of them.
    """

    def __init__(self, *, seconds: int = SECONDS, memory: int = MEMORY) -> None:
        self._new_process = partial(_Process, seconds, memory)
        self._turns = ConcurrencyLimit(
            Limits(PROCESSES, PROCESSES), SystemClock(), queue_seconds=None, max_waiting=sys.maxsize
        )
        self._threads = ThreadPoolExecutor(PROCESSES, "work processes")
        self._idle: list[_Process] = []
        self._running: set[_Process] = set()

    async def run_if_long(self, owners: Owners, function: Callable[..., T], *arguments: object, size: int) -> T:
        """As `run` where `size`, the length of the text that is read, is over LONG_TEXT, else in a thread."""
        if size > LONG_TEXT:
            return await self.run(owners, function, *arguments)
        return await run_in_thread(function, *arguments)

    async def run(self, owners: Owners, function: Callable[..., T], *arguments: object) -> T:
        """The result of `function`, which only computes, or the exception that it raises; all must be picklable.

        Waits for the owners' turn. Raises TookTooLong, NeededTooMuchMemory, and WorkEnded where the process ends for
        another reason. Where the caller is cancelled the process is ended, too.
        """
        async with self._turns.slot(owners):
            process = self._idle.pop() if self._idle else self._new_process()
            self._running.add(process)
            try:
                call = partial(process.call, function, *arguments)
                result: T = await asyncio.get_running_loop().run_in_executor(self._threads, call)
            except asyncio.CancelledError:
                process.end()
                raise
            finally:
                large_work_ended()
                self._running.discard(process)
                if process.is_usable:
                    self._idle.append(process)
            return result

    def stop(self) -> None:
        """End the processes at once."""
        for process in (*self._idle, *self._running):
            process.end()
        self._idle.clear()


WORK_PROCESSES: Key[WorkProcesses] = Key("work processes")


class _Process:
    """One process, which has one piece of work at a time. `call` is for a thread: it waits."""

    def __init__(self, seconds: int, memory: int) -> None:
        self._connection, connection = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(connection, seconds, memory), daemon=True)
        self._begin: Callable[[], None] | None = partial(_start, self._process, connection)
        self._tasks = 0
        self._has_ended = False

    @property
    def is_usable(self) -> bool:
        return not self._has_ended

    def call(self, function: Callable[..., T], *arguments: object) -> T:
        """As WorkProcesses.run."""
        if self._begin is not None:
            self._begin()
            self._begin = None
        if self._has_ended:  # while it began
            self.end()
        self._tasks += 1
        try:
            self._connection.send((function, arguments))
            result, error = self._connection.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            reason = WorkEnded() if self._has_ended else _reason(self._process.exitcode)
            self._has_ended = True
            raise reason from None
        if self._tasks >= TASKS_PER_PROCESS or isinstance(error, NeededTooMuchMemory):
            self.end()
        if error is not None:
            raise error
        found: T = result
        return found

    def end(self) -> None:
        """End the process at once; a call that waits for it raises WorkEnded."""
        self._has_ended = True
        if self._begin is None:
            self._process.kill()


def _start(process: Any, connection: Connection) -> None:
    process.start()
    connection.close()  # the process has its own: else its end would not be seen


def _reason(exit_code: int | None) -> WorkEnded:
    """Why a process has ended, by the signal that ended it."""
    if exit_code in (-signal.SIGXCPU, -signal.SIGPROF):
        return TookTooLong()
    return NeededTooMuchMemory() if exit_code == -signal.SIGKILL else WorkEnded()


# --- in the process ---


def _serve(connection: Connection, seconds: int, memory: int) -> None:
    """Do one piece of work after the other, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's
    threading.Thread(target=_end_with_parent, daemon=True).start()
    django.setup()
    resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    with suppress(EOFError):
        while True:
            _answer(connection, seconds)


def _answer(connection: Connection, seconds: int) -> None:
    result: object = None
    error: Exception | None = None
    try:
        function, arguments = connection.recv()
        result = _limited(seconds, function, *arguments)
    except EOFError:
        raise
    except MemoryError:
        error = NeededTooMuchMemory()
    except Exception as raised:  # noqa: BLE001 -- it is raised in the other process
        error = raised
    try:
        connection.send((result, error))
    except MemoryError:
        connection.send((None, NeededTooMuchMemory()))
    except Exception as raised:  # noqa: BLE001 -- pickling raises what an object's own code does
        connection.send((None, TypeError(f"the result of work in a process: {raised}")))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _limited(seconds: int, function: Callable[..., T], *arguments: object) -> T:
    """Call `function` in this process with a limit of processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds + GRACE_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return function(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(*_: object) -> NoReturn:
    raise TookTooLong


def _read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Names no class, as MappingProxyType does itself: pickle looks for it in builtins, where it is not."""
    return MappingProxyType(values)


def _reduce_mapping_proxy(
    proxy: MappingProxyType[Any, Any],
) -> tuple[Callable[..., MappingProxyType[Any, Any]], tuple[Any, ...]]:
    return _read_only, (dict(proxy),)


copyreg.pickle(MappingProxyType, _reduce_mapping_proxy)
