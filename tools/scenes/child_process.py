"""Child processes of a stage, ended with it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self

ROOT = Path(__file__).resolve().parent.parent.parent
START_LIMIT = 300.0
"""Seconds for a program to be ready, on a machine that has forty others to run."""


class DidNotStart(RuntimeError):
    """A program of a stage ended or was not ready in time; the message ends with what it wrote."""


def wait_until(what: str, ready: Callable[[], object], limit: float = START_LIMIT) -> None:
    """Wait for `ready`; raises DidNotStart after `limit` seconds."""
    deadline = time.monotonic() + limit
    while not ready():
        if time.monotonic() > deadline:
            raise DidNotStart(f"{what}: not within {limit:.0f} s")
        time.sleep(0.1)


class Process(Protocol):
    """What is needed here, and by the tests, of subprocess.Popen."""

    pid: int

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, number: int, /) -> None: ...

    def kill(self) -> None: ...


class Pool(Protocol):
    """A process from which Python programs are forked with their imports done."""

    def can_start(self, arguments: Sequence[str], env: Mapping[str, str]) -> bool: ...

    def start(
        self, arguments: Sequence[str], env: Mapping[str, str], log: Path, errors: Path | None = None
    ) -> Process: ...


class Child:
    """One process, from start() to end(): of the Python that runs this, or of another `program`."""

    pool: Pool | None = None
    """Where the tests have one, programs are forked from it."""

    def __init__(self, *arguments: str, program: str = sys.executable, env: Mapping[str, str] | None = None) -> None:
        self._arguments = arguments
        self._program = program
        self._env = {**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})}
        handle, name = tempfile.mkstemp(prefix="scene-", suffix=".log")
        os.close(handle)
        self._log = Path(name)
        self._process: Process | None = None

    def start(self) -> Self:
        is_python = self._program == sys.executable
        if is_python and self.pool is not None and self.pool.can_start(self._arguments, self._env):
            self._process = self.pool.start(self._arguments, self._env, self._log)
            return self
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, *self._arguments], cwd=ROOT, env=self._env, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log,
            )  # fmt: skip
        return self

    def wait_for_output(self, pattern: str) -> re.Match[str]:
        """Wait until it has written what matches. Raises DidNotStart."""
        found: list[re.Match[str]] = []

        def look() -> bool:
            text = self._log.read_text(errors="replace")
            if self._process is None or self._process.poll() is not None:
                raise DidNotStart(f"{' '.join(self._arguments)} ended:\n{text}")
            found.extend(re.finditer(pattern, text))
            return bool(found)

        wait_until(" ".join(self._arguments), look)
        return found[0]

    def wait_for_end(self) -> None:
        """Wait until it has ended by itself. Raises DidNotStart where it failed, or did not end."""
        process = self._process
        if process is None:
            return
        wait_until(" ".join(self._arguments), lambda: process.poll() is not None)
        if process.poll():
            raise DidNotStart(f"{' '.join(self._arguments)}:\n{self._log.read_text(errors='replace')}")

    def pause(self) -> None:
        """Stop the process, as on a machine that is suspended; nothing is lost."""
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        self._send(signal.SIGCONT)

    def end(self) -> None:
        """Ends it, also where it is paused. Once is enough."""
        if self._process is None:
            return
        self.resume()
        self._send(signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None
        self._log.unlink(missing_ok=True)

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
