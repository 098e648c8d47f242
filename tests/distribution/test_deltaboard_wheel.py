"""Tests of the wheel of Deltaboard: built, installed into an empty environment, and used as a person would.

DELTABOARD_WHEELS names the folder of a release, whose wheels are then installed, by hash (`make release`).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest

from informerd.version import VERSION
from tests.support.program import ROOT
from tests.support.wait import until

pytestmark = [pytest.mark.program, pytest.mark.timeout(900)]  # it fetches what is installed

PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
LONGEST = 600.0
"""Seconds for one program."""


class Installed(NamedTuple):
    """An environment with the wheel, and a person's home, which is empty at first."""

    commands: Path
    home: Path

    def environ(self) -> dict[str, str]:
        passed = {name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR")}
        return {"HOME": str(self.home), "PATH": os.defpath, "PYTHONUNBUFFERED": "1", **passed}

    def run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.commands / command, *arguments], env=self.environ(), cwd=self.home, capture_output=True, text=True,
            timeout=LONGEST, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", str(folder / "env"))
    python = folder / "env" / "bin" / "python"
    install = (*PIP, "--python", str(python), "install", "--no-compile")
    if released := os.environ.get("DELTABOARD_WHEELS"):
        shutil.copytree(released, wheels := folder / "wheels")
        run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", folder=wheels)
        run(*install, "--require-hashes", "-r", f"deltaboard-{VERSION}.requirements.txt", folder=wheels)
    else:
        wheels = folder / "wheels"
        run(*PIP, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(ROOT), str(ROOT / "informerd"))
        run(*install, *map(str, sorted(wheels.glob("*.whl"))))
    home = folder / "home"
    home.mkdir()
    return Installed(python.parent, home)


def run(*command: str, folder: Path = ROOT) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_installed_deltaboard_shows_the_demo_cluster_and_keeps_its_state_in_the_users_folder(
    installed: Installed,
) -> None:
    assert installed.run("deltaboard", "--version").stdout == f"Deltaboard {VERSION}\n"
    log = installed.home.parent / "log"
    with log.open("w") as output:
        program = subprocess.Popen(
            [installed.commands / "deltaboard", "demo", "--port", "0", "--no-browser"],
            env=installed.environ(), cwd=installed.home, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        address, token = until(lambda: re.findall(r"(http://127\.0\.0\.1:\d+/)\?token=(\S+)", log.read_text()))[0]
        until(lambda: "Cluster demo at" in log.read_text())
        until(lambda: "alpha" in get(f"{address}resources/mydemos/", token))
        statics = set(re.findall(r'(?:src|href)="/(static/[^"#]+)', get(f"{address}resources/mydemos/", token)))
        assert len(statics) >= 3
        for static in statics:
            assert get(address + static, token), static
        program.send_signal(signal.SIGTERM)
        assert program.wait(LONGEST) == 0, log.read_text()
    finally:
        program.kill()
        program.wait()
    assert names(installed.home) == {".local"}
    state = installed.home / ".local" / "state" / "deltaboard"
    assert state.stat().st_mode & 0o777 == 0o700
    assert {"deltaboard.sqlite3", "history", "secret_key", "token"} <= names(state)


def test_doctor_and_other_commands_of_it(installed: Installed) -> None:
    done = installed.run("deltaboard", "doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "works   cluster   Deltaboard will start its demo cluster." in done.stdout
    assert installed.run("deltaboard", "manage", "history", "verify").returncode == 0
    wrong = installed.run("deltaboard", "manage", "no-such-command")
    assert wrong.returncode == 1
    assert "Unknown command: 'no-such-command'" in wrong.stderr


def test_it_does_without_the_official_package(installed: Installed) -> None:
    assert installed.run("python", "-c", "import kubernetes").returncode == 1
    assert installed.run("python", "-c", "import informerd, dashboard, devcluster").returncode == 0


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def get(address: str, token: str) -> str:
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=LONGEST) as answer:
            text: str = answer.read().decode("utf-8", "replace")
            return text
    except OSError:  # a list that is not read yet is a 503
        return ""


@pytest.mark.long
def test_the_bill_of_materials_has_each_package_of_the_wheel_with_its_licence(installed: Installed) -> None:
    wheels = installed.home.parent / "wheels"
    run(sys.executable, "-m", "tools.sbom", str(wheels))
    rows = (wheels / "licences.md").read_text().splitlines()
    assert {"Django", "opentelemetry-sdk"} <= {row.split()[1] for row in rows}
    assert not [row for row in rows if "not said" in row or row.endswith("|  |")]
    assert not [row for row in rows if row.startswith("| kubernetes ")]
    assert '"bomFormat": "CycloneDX"' in (wheels / "deltaboard.cdx.json").read_text()
