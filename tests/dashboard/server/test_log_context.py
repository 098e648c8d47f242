"""Tests of log lines as JSON: real processes, whose lines name request, person and cluster, and no secret."""

from __future__ import annotations

import json
import re
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.dashboard.management.test_commands import DATABASE, address, running, unconfigured
from tests.support.program import Program

pytestmark = [pytest.mark.program, pytest.mark.slow]

SECRET = "not-to-be-seen-" + "x" * 40


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Program]:
    """A dashboard of the demo cluster behind a proxy. Its audit log has no table, so that a request writes a line."""
    environ = {
        **unconfigured(tmp_path), "DELTABOARD_LOG_FORMAT": "json", "SECRET_KEY": SECRET, "DEMO_PODS": "10",
        "DEMO_RATE": "0", "DELTABOARD_TRUST_PROXY_USER": "X-User", "DELTABOARD_RIGHTS": "account",
        "DELTABOARD_TRUST_PROXY_SECRET": SECRET, "DELTABOARD_HISTORY": "on",
    }  # fmt: skip
    with running(environ, "deltaboard", "--port", "0") as program:
        address(program)
        with sqlite3.connect(tmp_path / "var" / DATABASE) as database:
            database.execute("DROP TABLE audit_auditentry")
        yield program


def ask(program: Program, path: str, **headers: str) -> str:
    """The request's id as the answer gives it back."""
    sent = {
        "X-User": "anna",
        "X-Deltaboard-Proxy-Secret": SECRET,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    try:
        answer = urllib.request.urlopen(urllib.request.Request(f"{address(program)}{path}", headers=sent), timeout=30)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return str(answer.headers["X-Request-Id"])


def lines(program: Program) -> list[dict[str, Any]]:
    """All lines that are JSON; what the command prints for people is not."""
    return [json.loads(line) for line in program.output.splitlines() if line.startswith("{")]


def test_lines_of_a_request_name_it_its_person_and_the_cluster(process: Program) -> None:
    process.wait_for(lambda: "Cluster demo" in process.output)
    assert ask(process, "/audit/", X_Request_Id="from-the-proxy.1") == "from-the-proxy.1"
    process.wait_for(lambda: "from-the-proxy.1" in process.output)
    found = [line for line in lines(process) if line.get("request_id") == "from-the-proxy.1"]
    assert {line["user"] for line in found} == {"anna"}
    assert {line["cluster"] for line in found} == {"demo"}
    assert {"time", "level", "logger", "message"} <= found[0].keys()


def test_an_id_that_is_no_word_is_not_taken_and_each_request_has_one(process: Program) -> None:
    made = {ask(process, "/drafts/", X_Request_Id="x" * 200), ask(process, "/drafts/")}
    assert len(made) == 2
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in made)


def test_lines_that_belong_to_no_request_name_the_cluster_and_no_line_has_a_secret(process: Program) -> None:
    process.wait_for(lambda: any("history" in line["logger"] for line in lines(process)))
    recorded = next(line for line in lines(process) if "history" in line["logger"])
    assert recorded["cluster"] == "demo"
    assert "request_id" not in recorded
    ask(process, "/drafts/")
    assert SECRET not in process.output
