"""Tests of the suite's time-out: a test that hangs fails, reports its tasks, and the next test runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.program import ROOT

pytestmark = pytest.mark.program

HANGING = """
import asyncio
import pytest

@pytest.fixture
async def never_ends():
    yield
    await asyncio.Event().wait()

async def test_an_end_hangs(never_ends):
    pass

async def test_both_hang(never_ends):
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(asyncio.Event().wait(), name="the one to blame")

async def test_the_next_one_runs():
    pass
"""


def test_a_hang_fails_with_the_stacks_of_all_tasks(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(HANGING)
    options = ["-p", "tests.support.timeout_report", "-p", "no:cacheprovider", "-p", "no:django", "-q"]
    settings = [
        "asyncio_mode=auto",
        "asyncio_default_fixture_loop_scope=function",
        "timeout=3",  # a busy machine may need one to tell of the call before the end is timed anew
        "timeout_method=signal",
    ]
    options += [part for setting in settings for part in ("-o", setting)]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(tmp_path), str(tmp_path / "test_it.py")]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=170, check=False)
    words = found.stdout + found.stderr
    assert "1 failed, 2 passed, 2 errors" in words, words
    assert words.count("Timeout (>3.0s) from pytest-timeout") >= 3
    assert "name='the one to blame'" in words
    assert "asyncio/locks.py" in words
    assert "in never_ends" in words
