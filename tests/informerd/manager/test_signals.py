"""Tests of the end of a process whose event loop does not end."""

from __future__ import annotations

import pytest

from tests.support.program import run_program

pytestmark = pytest.mark.program

LEFT = """
import logging, sys, threading
from informerd.manager.signals import LastResort

logging.basicConfig()
last_resort = LastResort(float(sys.argv[1]))
last_resort.arm()
if sys.argv[2:] == ["ends"]:
    last_resort.disarm()
else:
    threading.Event().wait()
"""
SAYS = "tasks or threads do not end: the process ends without them"


def test_a_process_whose_loop_does_not_end_in_time_ends_with_1_and_says_so() -> None:
    ended = run_program("-c", LEFT, "0.01")
    assert ended.returncode == 1
    assert SAYS in ended.stderr


def test_a_process_whose_loop_ends_is_not_touched() -> None:
    ended = run_program("-c", LEFT, "600", "ends")
    assert (ended.returncode, ended.stderr) == (0, "")
