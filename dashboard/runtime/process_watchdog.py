"""Watchdog of this process: ends it where its event loop is blocked, or where it does not end after SIGTERM.

What blocks the loop may be anything, so nothing here needs the loop's thread:

* A thread asks the loop for a sign of life each second. It counts its own seconds: a process that was stopped (SIGSTOP,
  a frozen container, a suspended machine) has no seconds to count.
* Code in C that never lets another thread run is met by the kernel's timer of the process's CPU time (ITIMER_VIRTUAL),
  which the thread renews each second. Its signal ends the process.
* SIGTERM and SIGINT reach a second thread through a pipe. faulthandler's handler, which is in C, writes to it and then
  calls the handler that was there. (`signal.set_wakeup_fd` has one place, which uvloop and Twisted use.)
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import NoReturn

from informerd.clock import SystemClock
from informerd.leader_election.loop_watchdog import INTERVAL, LoopWatchdog

EXIT_CODE = 70
"""Exit code of a process that was ended here (EX_SOFTWARE of sysexits.h)."""
STOP_SECONDS = 10.0
"""Seconds from SIGTERM or SIGINT to the end of the process."""
CPU_SECONDS = 5.0
"""Seconds of CPU time in which no other thread could run; then SIGVTALRM ends the process."""
WRITE_SECONDS = 2.0
"""Seconds to wait until the stacks are written: a full pipe may take them never."""
STDERR = 2


def watch_process(blocked_seconds: float) -> None:
    """Watch this process, from its running event loop, whose signal handlers are installed already.

    A loop without a turn for `blocked_seconds` ends the process with EXIT_CODE, after the stacks of all threads were
    written to stderr; 0 leaves a blocked loop alone, and so does a debugger. SIGTERM and SIGINT end it within
    STOP_SECONDS, with 0 or by itself where it can, else in the same way. A signal that this process ignores stays so.
    """
    _end_soon_after_signals()
    if blocked_seconds:
        loop, thread = asyncio.get_running_loop(), threading.get_ident()
        watching = partial(_watch_loop, loop, thread, blocked_seconds)
        threading.Thread(target=lambda: asyncio.run(watching()), name="loop watchdog", daemon=True).start()


class _OwnSeconds(SystemClock):
    """Counts the seconds that were slept by it."""

    def __init__(self) -> None:
        self._slept = 0.0

    def now(self) -> float:
        return self._slept

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        self._slept += seconds


async def _watch_loop(loop: asyncio.AbstractEventLoop, thread: int, limit: float) -> None:
    renewing = asyncio.create_task(_renew_cpu_timer())
    while True:
        problem = await LoopWatchdog(loop, thread, clock=_OwnSeconds(), limit=limit).run()
        if loop.is_closed():
            break
        if not _is_debugged(thread):
            _end_process(problem)
    renewing.cancel()


async def _renew_cpu_timer() -> None:
    if not hasattr(faulthandler, "register"):  # Windows has neither
        return
    faulthandler.register(signal.SIGVTALRM, file=STDERR, all_threads=True, chain=True)
    try:
        while True:
            signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
            await asyncio.sleep(INTERVAL)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _end_soon_after_signals() -> None:
    if not hasattr(faulthandler, "register"):
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) is signal.SIG_IGN:  # a shell's script has SIGINT ignored by what it runs with &
            continue
        faulthandler.register(number, file=writing, all_threads=False, chain=True)
    threading.Thread(target=_end_soon_after_first, args=(reading,), name="stop watchdog", daemon=True).start()


def _end_soon_after_first(reading: int) -> None:
    os.read(reading, 1)
    time.sleep(STOP_SECONDS)
    _end_process(f"the process was asked to end {STOP_SECONDS:.0f} s ago and has not")


def _end_process(problem: str) -> NoReturn:
    writing = threading.Thread(target=_write_stacks, args=(problem,), daemon=True)
    writing.start()
    writing.join(WRITE_SECONDS)
    os._exit(EXIT_CODE)


def _write_stacks(problem: str) -> None:
    os.write(STDERR, f"Deltaboard ends with exit code {EXIT_CODE}: {problem}. Its threads:\n".encode())
    faulthandler.dump_traceback(file=STDERR, all_threads=True)


def _is_debugged(thread: int) -> bool:
    """Whether a debugger is attached to `thread`: one in Python, which traces its frames, or one outside."""
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None:
        return True
    frame = sys._current_frames().get(thread)  # noqa: SLF001 - there is no other way to see another thread's
    while frame is not None:
        if frame.f_trace is not None:
            return True
        frame = frame.f_back
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return False
    return "TracerPid:\t0\n" not in status
