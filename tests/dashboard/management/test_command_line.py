"""Tests of the command `deltaboard` as a person types it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from informerd.version import VERSION
from tests.dashboard.management.test_commands import unconfigured
from tests.support.program import ROOT, Program, run_program

pytestmark = pytest.mark.program

COMMAND = ("-m", "dashboard.management.command_line")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Everything but a cluster: the configuration that is named is not there."""
    return {**unconfigured(tmp_path), "KUBECONFIG": str(tmp_path / "none")}


def test_it_makes_its_database_and_opens_the_browser_with_a_code_that_lets_it_in_once(
    environ: dict[str, str], tmp_path: Path
) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new && mv {opened}.new {opened}\n')
    browser.chmod(stat.S_IRWXU)
    environ |= {"BROWSER": f"{browser} %s", "DELTABOARD_VAR": str(tmp_path / "new"), "DELTABOARD_TOKEN": "on"}
    with Program(*COMMAND, "--port", "0", "--read-only", env=environ) as program:
        program.wait_for(opened.exists)
        address = opened.read_text().strip()
        assert "migrat" not in program.output
        assert (tmp_path / "new" / "token").read_text().strip() not in address
        assert get(address)[0] == 303
        assert get(address)[0] == 403
        assert "read-only" in get(address, token=(tmp_path / "new" / "token").read_text().strip())[1].lower()


def get(address: str, token: str = "") -> tuple[int, str]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    path = "/" if token else f"{parts.path}?{parts.query}"
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
    answer = connection.getresponse()
    try:
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_without_a_display_it_says_that_no_browser_was_started(environ: dict[str, str]) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        environ.pop(name, None)
    with Program(*COMMAND, "--port", "0", env=environ) as program:
        program.wait_for(lambda: "No browser could be started: open the address above." in program.output)
        program.wait_for(lambda: "No cluster yet" in program.output)


@pytest.mark.long
def test_demo_takes_the_demo_cluster_whatever_is_configured(environ: dict[str, str]) -> None:
    with Program(*COMMAND, "demo", "--port", "0", "--no-browser", env=environ) as program:
        program.wait_for(lambda: "Cluster demo at" in program.output)
        assert "because: the demo cluster was asked for" in program.output
        assert "browser" not in program.output


def test_version_help_and_other_commands(environ: dict[str, str]) -> None:
    assert run_program(*COMMAND, "--version", env=environ).stdout == f"Deltaboard {VERSION}\n"
    told = run_program(*COMMAND, "--help", env=environ).stdout
    assert all(word in told for word in ("demo", "doctor", "--context", "--read-only", "--no-browser"))
    assert run_program(*COMMAND, "manage", "history", "sizes", env=environ).stdout == "The history is empty.\n"


@pytest.mark.parametrize("command", [COMMAND, ("manage.py",)])
def test_a_command_whose_reader_has_enough_ends_without_a_word(
    environ: dict[str, str], command: tuple[str, ...]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing) as pipe:
        ended = subprocess.run(
            [sys.executable, *command, "doctor"],
            cwd=ROOT,
            env=environ,
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGPIPE, b"")


BROKEN = """
import sys
from unittest.mock import patch

from dashboard.management import command_line

with patch.object(command_line, "_run", side_effect=BrokenPipeError("a socket")):
    command_line.main(["doctor"])
"""


def test_another_broken_pipe_keeps_its_traceback(environ: dict[str, str]) -> None:
    ended = run_program("-c", BROKEN, env=environ)
    assert (ended.returncode, ended.stderr.splitlines()[-1]) == (1, "BrokenPipeError: a socket")


def test_options_that_mean_nothing_are_refused(environ: dict[str, str]) -> None:
    ended = run_program(*COMMAND, "demo", "--context", "staging", env=environ)
    assert ended.returncode == 2
    assert "the demo cluster has no contexts: leave --context out" in ended.stderr
    ended = run_program(*COMMAND, "--port", "0", "doctor", env=environ)
    assert ended.returncode == 2
    assert "doctor starts no dashboard" in ended.stderr
    ended = run_program(*COMMAND, "--port", "0", "manage", env=environ)
    assert ended.returncode == 2
    assert "write `deltaboard manage COMMAND`" in ended.stderr


def test_a_wrong_setting_is_one_line(environ: dict[str, str]) -> None:
    ended = run_program(*COMMAND, env={**environ, "DELTABOARD_CLUSTER": "no"})
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == ["DELTABOARD_CLUSTER is 'no', but must be one of demo"]


@pytest.mark.parametrize("content", ["this is no database", ""])
def test_a_database_that_cannot_be_used_is_one_line_and_it_runs_without(
    environ: dict[str, str], tmp_path: Path, content: str
) -> None:
    file = tmp_path / "broken.sqlite3"
    file.write_text(content)
    address = f"sqlite:///{file}" if content else f"sqlite:///{tmp_path}/none/database.sqlite3"
    with Program(*COMMAND, "--port", "0", "--no-browser", env={**environ, "DATABASE_URL": address}) as program:
        program.wait_for(lambda: "No cluster yet" in program.output)
        assert "The database cannot be used: " in program.output
        assert "Traceback" not in program.output


def test_ctrl_c_while_it_asks_leaves_no_trace(environ: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        cluster = {"server": f"https://127.0.0.1:{silent.getsockname()[1]}"}
        content = {
            "clusters": [{"name": "a", "cluster": cluster}],
            "users": [{"name": "a", "user": {"token": "a"}}],
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
            "current-context": "a",
        }
        Path(environ["KUBECONFIG"]).write_text(json.dumps(content))
        with Program(*COMMAND, "doctor", env=environ) as program:
            connection, _ = silent.accept()
            with connection:
                assert program.stop(signal.SIGINT) == 130
            assert "KeyboardInterrupt" not in program.output


def test_doctor_says_what_fails_and_ends_with_1(environ: dict[str, str]) -> None:
    ended = run_program(*COMMAND, "doctor", env=environ)
    assert ended.returncode == 1
    assert f"fails   cluster   KUBECONFIG={environ['KUBECONFIG']}:" in ended.stdout
    assert "works   database" in ended.stdout
