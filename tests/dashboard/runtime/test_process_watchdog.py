"""Tests of the watchdog of the process where it ends none; tests/hostile/test_blocked_event_loop.py has the rest."""

from __future__ import annotations

import sys
import threading

from dashboard.runtime.process_watchdog import _is_debugged, _OwnSeconds


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
