"""Program in the background of the tests, started with a log and ended with them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path


class ControlPlaneError(Exception):
    """A program did not start, or ended by itself; the message ends with the last lines of its log."""


class Daemon:
    """One program whose working folder and log are in `directory`; `start` may be repeated after `kill`."""

    def __init__(self, program: Path, directory: Path) -> None:
        self.name = program.name
        self._program = program
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def runs(self) -> bool:
        """Whether it was started and not killed (it may have ended by itself, see `check`)."""
        return self._process is not None

    @property
    def pid(self) -> int:
        """Its process. Raises ControlPlaneError where it was not started."""
        if self._process is None:
            raise ControlPlaneError(f"{self.name} does not run")
        return self._process.pid

    def start(self, arguments: list[str]) -> None:
        """Start it so that it ends with this process, even if this one is killed (where setpriv is installed).

        Linux counts the end of the calling thread as the end of the process: what is to outlive a test is to be
        started from the main thread, not by `asyncio.to_thread`, whose threads end with the test's event loop.
        """
        guard = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*guard, str(self._program), *arguments],
                cwd=self._directory,
                env={**os.environ, "GOGC": "400"},  # one that lives a minute need not collect its garbage often
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it as a crash would (SIGKILL); nothing happens if it does not run."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def pause(self) -> None:
        """Freeze it (SIGSTOP): its connections stay open and nothing answers from the moment this returns.

        The signal alone is not enough: until each of its threads has stopped, another may still answer.
        """
        self._signal(signal.SIGSTOP)
        if self._process is not None:
            os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def resume(self) -> None:
        """Let it go on (SIGCONT)."""
        self._signal(signal.SIGCONT)

    def check(self) -> None:
        """Raise ControlPlaneError where it does not run."""
        if self._process is None or self._process.poll() is not None:
            code = None if self._process is None else self._process.returncode
            raise ControlPlaneError(f"{self.name} ended with {code}\n{self.log_tail()}")

    def log_tail(self, lines: int = 15) -> str:
        """The end of its log."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-lines:]) if self._log.exists() else ""

    @property
    def _log(self) -> Path:
        return self._directory / f"{self.name}.log"

    def _signal(self, number: signal.Signals) -> None:
        if self._process is None:
            raise ControlPlaneError(f"{self.name} is not running")
        self._process.send_signal(number)
