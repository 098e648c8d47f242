"""Compilation of the tests by the first two workers of a run: hooks that let the others wait for them.

In a new clone no test is compiled. Two workers, one from each end, compile them in less time than six that all compile
the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.program import ROOT
from tests.support.wait import until

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
"""Which of several workers of the run this process is: gw0, gw1, …; empty where there is one."""
COLLECTED = Path(tempfile.gettempdir()) / f"collected-{os.environ.get('PYTEST_XDIST_TESTRUNUID')}"
"""The file by which the first worker says that it has collected, and so compiled, the tests."""


LONGEST = 120.0
"""Seconds after which a worker compiles the rest itself."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Wait for the first worker where less than half of the tests are compiled; the second helps it meanwhile."""
    folder = ROOT / "tests"
    if WORKER not in ("", "gw0") and is_new(folder):
        helper = compile_from_the_end(folder) if WORKER == "gw1" else None
        with suppress(AssertionError):
            until(COLLECTED.exists, within=LONGEST, every=0.2)
        if helper is not None:
            helper.kill()
            helper.wait()
    try:
        return (yield)
    finally:
        if WORKER == "gw0":
            COLLECTED.touch()


def compile_from_the_end(folder: Path) -> subprocess.Popen[bytes]:
    """A program that compiles the tests of a folder, beginning with those that are collected last."""
    files = sorted(folder.rglob("test_*.py"), reverse=True)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", *map(str, files)]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pytest_sessionfinish() -> None:
    """Take the file away."""
    if WORKER == "gw0":
        COLLECTED.unlink(missing_ok=True)


def is_new(folder: Path) -> bool:
    """Whether less than half of a folder's tests are compiled."""
    return len([*folder.rglob("test_*-pytest-*.pyc")]) < len([*folder.rglob("test_*.py")]) / 2
