"""Processes for long computing on texts of users, with a limit of processor time after which the work is ended.

A thread would share the interpreter with the event loop, keep the memory that it needed, and could not be ended.
"""

from __future__ import annotations

import asyncio
import copyreg
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import django

from dashboard.runtime.app_state import Key

T = TypeVar("T")

PROCESSES = 1
"""A second core is left to the event loop and the API server's answers."""
SECONDS = 20
"""Processor time of one piece of work."""
GRACE_SECONDS = 10
"""Processor time after that until the system ends the process, where Python does not react."""
TASKS_PER_PROCESS = 50
"""Pieces of work after which a process is replaced, which gives its memory back."""


class TookTooLong(Exception):
    """The work was ended because it used up its time."""


class WorkProcesses:
    """Runs functions of modules in processes that are started when they are first needed."""

    def __init__(self, *, seconds: int = SECONDS) -> None:
        self._seconds = seconds
        self._executor: ProcessPoolExecutor | None = None
        self._tasks = 0

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """The result of `function`, which only computes; all of it must be picklable. Raises TookTooLong."""
        executor = self._current()
        call: Callable[[], T] = partial(_limited, self._seconds, function, *arguments)
        try:
            return await asyncio.get_running_loop().run_in_executor(executor, call)
        except BrokenProcessPool:  # the system ended the process; what waited behind it is not tried again
            if self._executor is executor:
                self._executor = None
            raise TookTooLong from None

    def _current(self) -> ProcessPoolExecutor:
        """The executor, a new one after TASKS_PER_PROCESS pieces of work; the old one ends with what it has.

        The executor's own max_tasks_per_child hangs in Python 3.11 (github.com/python/cpython/issues/115634).
        """
        if self._executor is not None and self._tasks >= TASKS_PER_PROCESS:
            self._executor.shutdown(wait=False)
            self._executor = None
        if self._executor is None:
            self._executor, self._tasks = _executor(), 0
        self._tasks += 1
        return self._executor

    def stop(self) -> None:
        """End the processes at once."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():  # a web process has no others
                process.terminate()
            self._executor = None


WORK_PROCESSES: Key[WorkProcesses] = Key("work processes")


def _executor() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """Prepare a process: it ends with its parent, and a Ctrl-C is the parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    django.setup()


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
