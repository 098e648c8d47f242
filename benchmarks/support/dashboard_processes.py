"""Programs of the dashboard for benchmarks, started as a person starts them: one process, or worker and web process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.support.process_usage import core_seconds, resident_mb
from tests.support.controlplane import free_ports
from tests.support.program import ROOT, Program

REDIS = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
_UNLIMITED = {
    "DELTABOARD_SOCKETS": "100000", "DELTABOARD_SOCKETS_PER_USER": "100000", "DELTABOARD_LIMIT_VIEWS": "100000/100000",
    "DELTABOARD_LIMIT_PAGES": "100000/100000",
}  # fmt: skip
_NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Running:
    """A dashboard that answers at `url`; `programs` are its processes by what they are."""

    url: str
    programs: dict[str, Program]

    def memory_mb(self) -> dict[str, float]:
        """Resident memory of each process."""
        return {name: resident_mb(_pid(program)) for name, program in self.programs.items()}

    def core_seconds(self) -> float:
        """Processor time that all of them have used so far."""
        return sum(core_seconds(_pid(program)) for program in self.programs.values())

    def wait_until_ready(self, within: float = 180) -> float:
        """Wait until every kind has been listed and is live; the seconds that it took."""
        began = time.monotonic()
        while not _is_ready(f"{self.url}/readyz"):
            if time.monotonic() - began > within:
                raise SystemExit(f"the dashboard is not ready after {within} s:\n{self.outputs()}")
            time.sleep(0.05)
        return time.monotonic() - began

    def outputs(self) -> str:
        return "\n".join(f"--- {name}\n{program.output[-3000:]}" for name, program in self.programs.items())


@contextmanager
def dashboard(
    kubeconfig: Path,
    *,
    split: bool = False,
    tables: bool = False,
    limited: bool = False,
    settings: Mapping[str, str] = _NO_SETTINGS,
) -> Iterator[Running]:
    """The dashboard on a cluster; `split`: a worker and one web process, joined by Redis; `tables`: what pages keep.
    `settings` are further environment variables.

    A benchmark is one user with more sockets than a person has, so there are no limits of them, but with `limited`.
    """
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    web = ("manage.py", "deltaboard", "--port", str(port))
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        env = {"KUBECONFIG": str(kubeconfig), "HOME": home, "DELTABOARD_VAR": home, "SECRET_KEY": "of a benchmark",
               "REDIS_URL": "", "DELTABOARD_TOKEN": "off", **({} if limited else _UNLIMITED), **settings}  # fmt: skip
        if tables:
            _migrate(env)
        if split:
            joined = {**env, "REDIS_URL": REDIS, "DELTABOARD_CHANNEL_PREFIX": f"bench-{uuid.uuid4().hex[:8]}"}
            worker = stack.enter_context(Program("manage.py", "informerd", env=joined))
            programs = {"worker": worker, "web": stack.enter_context(Program(*web, env=joined))}
        else:
            programs = {"dashboard": stack.enter_context(Program(*web, env=env))}
        yield Running(url, programs)


@contextmanager
def ready_dashboard(
    kubeconfig: Path,
    *,
    split: bool = False,
    tables: bool = False,
    limited: bool = False,
    settings: Mapping[str, str] = _NO_SETTINGS,
) -> Iterator[Running]:
    """As `dashboard`, once it is ready; prints the time that took on standard error."""
    with dashboard(kubeconfig, split=split, tables=tables, limited=limited, settings=settings) as running:
        print(f"ready after {running.wait_until_ready():.1f} s", file=sys.stderr)
        yield running


def _migrate(env: dict[str, str]) -> None:
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **env})


def _pid(program: Program) -> int:
    if program.process is None:
        raise ProcessLookupError(f"{program.arguments} does not run")
    return program.process.pid


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
