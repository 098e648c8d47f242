"""Page servers that are forked from a process with their imports done, so that each starts at once.

``python -m tests.support.browser.page_server_pool`` reads the name of a log file a line, forks a page server that
writes there, and prints its process id. It ends with its standard input. Its imports must not start a thread or
Twisted's reactor, which all forks would share.
"""

from __future__ import annotations

import gc
import importlib
import os
import random
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

from tests.support.program import ROOT

NEEDED = (
    "dashboard.urls", "dashboard.server.consumers", "dashboard.live.hub.interest",
    "dashboard.pages.controllers.worker_client",
    "tests.support.controllers.sample_worker", "tests.support.browser.time_lapse", "channels.layers", "uvloop",
    "twisted.internet.asyncioreactor",
    "twisted.web.http", "autobahn.websocket.protocol", "autobahn.nvx",
)  # fmt: skip
"""Modules whose import takes long."""


class Forked:
    """A process that is another one's child, with what Program needs of subprocess.Popen."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle: int | None = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """0 once it has ended, else None. The exit code is known to its parent only."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Raises TimeoutExpired, as subprocess does."""
        if self._ended(timeout) is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return 0

    def send_signal(self, number: int) -> None:
        """Send the signal; ignored where the process has ended."""
        if self.poll() is None and self._handle is not None:
            signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _ended(self, within: float | None) -> int | None:
        if self._handle is not None and select.select([self._handle], [], [], within)[0]:
            os.close(self._handle)
            self._handle = None
        return 0 if self._handle is None else None


class PageServerPool:
    """The process from which page servers are forked. A context manager."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.support.browser.page_server_pool"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)

    def fork(self, log: Path) -> Forked:
        """A page server that writes into `log`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(log, file=self._process.stdin, flush=True)
        return Forked(int(self._process.stdout.readline()))


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    import django

    django.setup()
    for name in NEEDED:
        importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children that end are gone
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            be_page_server(line.rstrip("\n"))
        print(pid, flush=True)  # noqa: T201 -- what the tests read


def be_page_server(log: str) -> None:
    """Turn this forked process into a page server that logs into the file `log`. Never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    random.seed()
    out = os.open(log, os.O_WRONLY | os.O_APPEND)
    null = os.open(os.devnull, os.O_RDONLY)
    for descriptor, target in ((null, 0), (out, 1), (out, 2)):
        os.dup2(descriptor, target)
    status = 1
    try:
        page_server = importlib.import_module("tests.support.browser.page_server")
        page_server.main()
        status = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
