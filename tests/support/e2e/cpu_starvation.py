"""Time for which processes were ready to run and got no processor, which excuses that much delay.

Linux counts it for each thread (``/proc/PID/schedstat``, since 2.6.23); here it is that of a process's first thread,
which runs its event loop. A stopped process waits for nothing.
"""

from __future__ import annotations

import bisect
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tests.support.program import Program

EVERY = 0.1
"""Seconds between two looks."""


class Waited:
    """Waiting time of programs that work one after the other, recorded from `start` to `stop`, or at each `look`.

    Each of `stages` are programs that do the same work beside each other, of which the one that waited longest counts.
    """

    def __init__(self, *stages: Iterable[Program]) -> None:
        self._stages = tuple(tuple(_Waits(program) for program in stage) for stage in stages)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name="waited")

    def start(self) -> None:
        self.look()
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()

    def between(self, since: float, until: float) -> float:
        """Seconds that they waited between two moments (Unix seconds), at most their difference."""
        waited = sum(max(program.between(since, until) for program in stage) for stage in self._stages)
        return min(waited, max(0.0, until - since))

    def look(self) -> None:
        """See how long each has waited by now."""
        for stage in self._stages:
            for program in stage:
                program.look()

    def _look_on(self) -> None:
        while not self._ending.wait(EVERY):
            self.look()


class _Waits:
    """Waiting time of one program, also across restarts."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._moments: list[float] = []
        self._seconds: list[float] = []
        self._last: dict[int, float] = {}

    def between(self, since: float, until: float) -> float:
        return max(0.0, self._at(until) - self._at(since))

    def _at(self, moment: float) -> float:
        """Up to the last look before that moment."""
        number = bisect.bisect_right(self._moments, moment)
        return self._seconds[number - 1] if number else 0.0

    def look(self) -> None:
        process = self._program.process
        more = self._since_last(process.pid) if process else 0.0
        self._seconds.append((self._seconds[-1] if self._seconds else 0.0) + more)
        self._moments.append(time.time())

    def _since_last(self, pid: int) -> float:
        waited = self._last.get(pid, 0.0)
        with suppress(OSError, ValueError, IndexError):  # it has ended, or this kernel does not count
            waited = int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
        more, self._last[pid] = waited - self._last.get(pid, 0.0), waited
        return more
