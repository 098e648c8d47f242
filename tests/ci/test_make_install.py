"""Tests of the installation by make: quiet where it succeeds, with all that pip says where it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.program import ROOT

pytestmark = pytest.mark.program

PIP = """#!/bin/sh
echo "$*" >> "$CALLS"
echo "WARNING: Location 'file:///nowhere' is ignored" >&2
[ -z "$FAILS" ] || { echo "ERROR: No matching distribution found for django" >&2; exit 1; }
"""


@pytest.mark.parametrize(("target", "requirements"), [("run", ""), ("docs", "-docs"), ("dev", "-dev")])
@pytest.mark.parametrize("fails", ["", "yes"])
def test_pips_warnings_are_shown_only_where_it_fails(
    tmp_path: Path, target: str, requirements: str, fails: str
) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path / "Makefile")
    for each in ("", "-docs", "-dev"):
        (tmp_path / f"requirements{each}.txt").touch()
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PIP)
    python.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], "CALLS": str(tmp_path / "calls"), "FAILS": fails}
    command = ["make", "VENV=venv", f"venv/.{target}"]
    made = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert f"--require-hashes -r requirements{requirements}.txt" in (tmp_path / "calls").read_text()
    assert (made.returncode == 0) == (not fails)
    assert ("ERROR: No matching distribution" in made.stderr) == bool(fails)
    assert ("WARNING" in made.stdout + made.stderr) == bool(fails)
    assert (tmp_path / "venv" / f".{target}").exists() == (not fails), "a failed installation begins again"
    assert "WARNING" in (tmp_path / "venv" / "pip.log").read_text()
