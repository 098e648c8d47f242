"""Tests of the report of a failure: it has the output of the programs that the test has started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.program import ROOT

pytestmark = pytest.mark.program

FAILING = """
import pytest
from tests.support.program import Program

@pytest.fixture
def ended():
    program = Program("-c", "raise SystemExit('why it ended')").start()
    program.process.wait(30)
    yield program

def test_it_fails_beside_a_program(ended):
    program = Program("-c", "print('its last words'); import time; time.sleep(60)")
    with program:
        program.wait_for(lambda: "its last words" in program.output)
    with Program("-c", "print('said while it runs'); import time; time.sleep(60)") as program:
        program.wait_for(lambda: program.output)
        assert False
"""


def test_a_failure_comes_with_the_output_of_its_programs(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAILING)
    options = ["-p", "tests.support.program_output_report", "-p", "no:cacheprovider", "-p", "no:django", "-q"]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(tmp_path), str(tmp_path / "test_it.py")]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=170, check=False).stdout
    assert "1 failed" in found, found
    assert "ended with 1" in found
    assert "why it ended" in found
    assert "said while it runs" in found
    assert "output of -c print('its last words')" not in found  # it was ended in order
