"""Programs that are forked from a process with their imports done, so that each starts at once.

``python -m tests.support.program_fork_server FOLDER MODULE…`` imports the modules, then reads requests, a line of JSON
each, forks a program for each that does what ``python`` would with the same arguments, and prints its process id; its
exit code becomes a file in the folder. It ends with its standard input. Its imports must not start a thread or
Twisted's reactor, which all forks would share.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from tests.support.program import ROOT
from tests.support.wait import until

DJANGO = "django.setup()"
"""Name among the modules that stands for Django with the settings of this process's environment."""
PROGRAM_MODULES = (
    "django.core.management.commands.runserver", "django.db.backends.sqlite3.base", "django.db.migrations.executor",
    "django.core.handlers.asgi", "django.template.loader_tags", "channels.layers", "channels.routing",
    "channels.generic.websocket", "channels_redis.core", "uvloop", "redis.asyncio", "cryptography.x509",
    "cryptography.fernet", "ruamel.yaml", "prometheus_client", "twisted.internet.asyncioreactor",
    "twisted.web.http", "twisted.internet.ssl", "autobahn.websocket.protocol", "autobahn.nvx",
    "autobahn.twisted.websocket", "whitenoise.middleware", "django_htmx.middleware", "re2", "environ", "csp",
    "informerd.manager.manager", "informerd.controllers.command_line", "devcluster.demo_server",
    "devcluster.workload_size",
)  # fmt: skip
"""Modules whose import takes long and needs no settings, for programs with settings of their own."""
PAGE_SERVER_MODULES = (
    DJANGO, "dashboard.urls", "dashboard.server.consumers", "dashboard.live.hub.on_demand_kinds",
    "dashboard.pages.controllers.worker_client",
    "tests.support.controllers.sample_worker", "tests.support.browser.fast_forwarded_hours", "channels.layers",
    "uvloop", "twisted.internet.asyncioreactor",
    "twisted.web.http", "autobahn.websocket.protocol", "autobahn.nvx",
)  # fmt: skip
"""Modules whose import takes long, for page servers, which all have the same settings."""
WITH_WARNINGS = ("-X", "dev", "-W", "error")
"""Options of Python with which programs of informerd are tested; they are forked from a process that has them, too."""
INFORMERD_MODULES = (
    "informerd.manager.manager", "informerd.controllers.command_line", "informerd.blocking", "informerd.metrics",
    "cryptography.x509", "ruamel.yaml", "uvloop",
)  # fmt: skip
"""Modules whose import takes long, for those."""
DEFAULTS = {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)}
"""Variables for Python that make no difference to a forked program."""


class Request(NamedTuple):
    """Program to start: `python ARGUMENTS` with these variables, its outputs added to the files `log` and `errors`."""

    arguments: list[str]
    env: dict[str, str]
    log: str
    errors: str


class ForkedProgram:
    """A process that is another one's child, with what Program needs of subprocess.Popen."""

    def __init__(self, pid: int, exit_code: Path) -> None:
        self.pid = pid
        self._handle: int | None = os.pidfd_open(pid)
        self._exit_code = exit_code
        self._returned: int | None = None

    def poll(self) -> int | None:
        """Its exit code once it has ended, minus the signal's number where one ended it; else None."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Raises TimeoutExpired, as subprocess does."""
        returned = self._ended(timeout)
        if returned is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return returned

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
            until(self._exit_code.exists, what=f"exit code of process {self.pid}")
            self._returned = int(self._exit_code.read_text())
        return self._returned


class ProgramPool:
    """The process from which programs are forked, started with the first of them. A context manager."""

    def __init__(self, *modules: str, options: Sequence[str] = ()) -> None:
        self._modules = modules
        self._options = tuple(options)
        self._process: subprocess.Popen[str] | None = None
        self._stack = contextlib.ExitStack()
        self._started: list[tuple[Sequence[str], ForkedProgram]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Raises AssertionError where programs run still; they are killed."""
        running = [(arguments, program) for arguments, program in self._started if program.poll() is None]
        for _arguments, program in running:
            program.kill()
        if self._process is not None:
            self._process.communicate(timeout=30)
        self._stack.close()
        assert not running, f"left running by their tests: {[arguments for arguments, _ in running]}"

    def can_start(self, arguments: Sequence[str], env: Mapping[str, str]) -> bool:
        """Whether a forked process can be that program: a module, a script or code, with the options of this pool
        and no others, and with this process's variables for Python.
        """
        count = len(self._options)
        if tuple(arguments[:count]) != self._options:
            return False
        variables = {name: env.get(name) for name in {*env, *os.environ} if name.startswith("PYTHON")}
        same = all(value in (os.environ.get(name), DEFAULTS.get(name)) for name, value in variables.items())
        return same and (arguments[count] in ("-m", "-c") or arguments[count].endswith(".py"))

    def start(
        self, arguments: Sequence[str], env: Mapping[str, str], log: Path, errors: Path | None = None
    ) -> ForkedProgram:
        """The program that `python ARGUMENTS` would be in the project's folder; its outputs are added to `log`, or to
        `log` and `errors`.
        """
        sys.audit("os.fork")
        arguments = arguments[len(self._options) :]
        if self._process is None:
            self._codes = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="exit-codes-")))
            command = [sys.executable, *self._options, "-m", __name__, str(self._codes), *self._modules]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = Request(list(arguments), dict(env), str(log), str(errors or log))
        print(json.dumps(request), file=self._process.stdin, flush=True)
        pid = int(self._process.stdout.readline())
        program = ForkedProgram(pid, self._codes / str(pid))
        self._started.append((arguments, program))
        return program


def main(codes: Path, modules: Sequence[str]) -> Request | None:
    """Fork programs until standard input ends. In each of them this returns what the program is to be."""
    for name in modules:
        if name == DJANGO:
            import django

            django.setup()
        else:
            importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules
    signal.signal(signal.SIGCHLD, lambda *_: _store_exit_codes(codes))
    gc.freeze()
    for line in sys.stdin:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # until an older process's code of that id is gone
        pid = os.fork()
        if not pid:
            return Request(*json.loads(line))
        (codes / str(pid)).unlink(missing_ok=True)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        print(pid, flush=True)  # noqa: T201 -- what the tests read
    return None


def _store_exit_codes(codes: Path) -> None:
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            part = codes / "part"
            part.write_text(str(os.waitstatus_to_exitcode(ended[1])))
            part.rename(codes / str(ended[0]))


def run(request: Request) -> None:
    """Turn this forked process into the program."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    os.environ.clear()
    os.environ.update(request.env)
    time.tzset()
    random.seed()
    out, errors = (os.open(path, os.O_WRONLY | os.O_APPEND) for path in (request.log, request.errors))
    null = os.open(os.devnull, os.O_RDONLY)
    for descriptor, target in ((null, 0), (out, 1), (errors, 2)):
        os.dup2(descriptor, target)
        os.close(descriptor)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    if request.arguments[0] == "-c":
        code, sys.argv = request.arguments[1], ["-c", *request.arguments[2:]]
        sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(code, "<string>", "exec", dont_inherit=True), sys.modules["__main__"].__dict__)
    elif request.arguments[0] == "-m":
        sys.argv = request.arguments[1:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = request.arguments
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__" and (request := main(Path(sys.argv[1]), sys.argv[2:])) is not None:
    run(request)
