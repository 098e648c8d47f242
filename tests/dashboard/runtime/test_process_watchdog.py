"""Tests of the watchdog of the process where it ends none; tests/hostile/test_blocked_event_loop.py has the rest."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from dashboard.runtime.process_watchdog import _is_debugged, _OwnSeconds
from tests.support.program import ROOT


async def test_only_seconds_that_this_process_had_are_counted() -> None:
    clock = _OwnSeconds()
    before = clock.now()
    await clock.sleep(0.01)
    assert clock.now() - before == 0.01


def test_a_thread_whose_frames_are_traced_has_a_debugger() -> None:
    thread, frame = threading.get_ident(), sys._getframe()
    assert not _is_debugged(thread)
    frame.f_trace = lambda *_: None  # as bdb has it at a breakpoint
    try:
        assert _is_debugged(thread)
    finally:
        frame.f_trace = None


_INTERRUPTED = """
import asyncio, os, signal, time
from dashboard.runtime import process_watchdog

async def watch():
    process_watchdog.watch_process(0)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.3)

process_watchdog.STOP_SECONDS = 0
signal.signal(signal.SIGINT, signal.SIG_IGN)
asyncio.run(watch())
"""


@pytest.mark.program
def test_an_interrupt_that_a_script_has_ignored_by_what_runs_in_its_background_ends_nothing() -> None:
    ended = subprocess.run([sys.executable, "-c", _INTERRUPTED], cwd=ROOT, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
