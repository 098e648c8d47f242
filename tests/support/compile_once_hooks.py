"""Compilation of the tests by the first worker of a run: hooks that let the others wait for it.

In a new clone no test is compiled. One worker alone compiles them in less time than six of them beside each other.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.support.program import ROOT
from tests.support.wait import until

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
"""Which of several workers of the run this process is: gw0, gw1, …; empty where there is one."""
COLLECTED = Path(tempfile.gettempdir()) / f"collected-{os.environ.get('PYTEST_XDIST_TESTRUNUID')}"
"""The file by which the first worker says that it has collected, and so compiled, the tests."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Wait for the first worker where less than half of the tests are compiled."""
    folder = ROOT / "tests"
    if WORKER not in ("", "gw0") and is_new(folder):
        until(COLLECTED.exists, within=120, what="the first worker has collected the tests", every=0.2)
    try:
        return (yield)
    finally:
        if WORKER == "gw0":
            COLLECTED.touch()


def pytest_sessionfinish() -> None:
    """Take the file away."""
    if WORKER == "gw0":
        COLLECTED.unlink(missing_ok=True)


def is_new(folder: Path) -> bool:
    """Whether less than half of a folder's tests are compiled."""
    return len([*folder.rglob("test_*-pytest-*.pyc")]) < len([*folder.rglob("test_*.py")]) / 2
