"""Our programs, started as a person starts them, with their output stored for the failure message."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from tests.support.wait import until
from tools.scenes.child_process import Pool, Process

ROOT = Path(__file__).resolve().parents[2]
_SLOW = re.compile(r"^Executing <.*> took \d+\.\d+ seconds\n", re.MULTILINE)


class Program:
    """One process. `with Program([...])` ends it; its output goes to a file, shown when it fails."""

    pools: Sequence[Pool] = ()
    """What programs are forked from in a run of the tests, where that makes no difference but to the time they take."""
    started: ClassVar[weakref.WeakSet[Program]] = weakref.WeakSet()
    """Those that were started, for the report of a failure (program_output_report.py)."""

    def __init__(
        self, *arguments: str, env: Mapping[str, str] | None = None, root: Path = ROOT, python: Path | None = None
    ) -> None:
        self.arguments = arguments
        self.env = {**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})}
        self.root = root
        """The project's folder; another one is that of another version, which `python` can run."""
        self.python = python
        self.log = Path(tempfile.mkstemp(prefix="program-", suffix=".log")[1])
        self.process: Process | None = None

    def start(self) -> Self:
        assert not self.running(), f"{self.arguments} runs already"
        self.started.add(self)
        if self.root == ROOT and (pool := pool_for(self.arguments, self.env, self.pools)):
            self.process = pool.start(self.arguments, self.env, self.log)
            return self
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.python or sys.executable, *self.arguments], cwd=self.root, env=self.env, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        return self

    @property
    def output(self) -> str:
        """The program's output, without asyncio's debug lines about slow steps."""
        return without_slow_steps(self.log.read_text(errors="replace"))

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def wait_for(self, ready: Callable[[], bool], *, within: float = 120.0) -> Self:
        def ready_or_ended() -> bool:
            assert self.running(), f"{self.arguments} ended early:\n{self.output}"
            return ready()

        try:
            until(ready_or_ended, within=within, what=f"{self.arguments} ready")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.output}") from None
        return self

    def stop(self, signal_number: int = signal.SIGTERM, *, within: float = 30.0) -> int:
        """Send the signal and wait; returns the exit code. SIGKILL follows where it does not end in time."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.arguments} did not end within {within} s:\n{self.output}") from None

    def kill(self) -> None:
        """As a crash would."""
        self.stop(signal.SIGKILL)

    def pause(self) -> None:
        """Freeze it (SIGSTOP): its connections stay open, and it does nothing from the moment this returns."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        until(lambda: not self.running() or self._stopped(), what=f"{self.arguments} stopped")

    def _stopped(self) -> bool:
        """Whether each of its threads has; until then another may still answer."""
        assert self.process is not None
        states = [path.read_text() for path in Path(f"/proc/{self.process.pid}/task").glob("*/stat")]
        return all(state.rpartition(")")[2].split()[0] == "T" for state in states)

    def resume(self) -> None:
        """Let it go on (SIGCONT); nothing happens to one that is not frozen."""
        if self.running() and self.process is not None:
            self.process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Self:
        return self if self.running() else self.start()

    def __exit__(self, _type: object = None, error: BaseException | None = None, _traceback: object = None) -> None:
        """End it. Its output is added to the error with which the block ends."""
        if error is not None:
            error.add_note(f"output of {self.arguments}:\n{self.output}")
        try:
            self.stop()
        finally:
            self.log.unlink(missing_ok=True)


def pool_for(arguments: Sequence[str], env: Mapping[str, str], pools: Sequence[Pool]) -> Pool | None:
    """The first of `pools` that can start this program, if any."""
    return next((pool for pool in pools if pool.can_start(arguments, env)), None)


def run_program(
    *arguments: str, env: Mapping[str, str] | None = None, within: float = 170.0
) -> subprocess.CompletedProcess[str]:
    """Run ``python ARGUMENTS`` in the project's folder to its end, with these variables alone, or with this process's.

    Returns its exit code and both outputs. Raises subprocess.TimeoutExpired after `within` seconds; it is killed then.
    """
    variables = dict(os.environ if env is None else env)
    pool = pool_for(arguments, variables, Program.pools)
    if pool is None:
        return subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=within, check=False,
        )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="program-") as folder:
        outputs = Path(folder) / "output", Path(folder) / "errors"
        for each in outputs:
            each.touch()
        process = pool.start(arguments, variables, *outputs)
        try:
            returned = process.wait(within)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        return subprocess.CompletedProcess(arguments, returned, *(each.read_text() for each in outputs))


def without_slow_steps(output: str) -> str:
    """`output` without the lines of asyncio's debug mode (-X dev) about steps over 0.1 s: a busy machine has them."""
    return _SLOW.sub("", output)


def answers(url: str) -> bool:
    """Whether an HTTP GET gets an answer below 500."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return bool(answer.status < 500)
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False
