"""Tests of ``manage.py audit``: exit codes, the first entry that was tampered with, and the export."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from dashboard.pages.audit.chain import append_entries
from dashboard.pages.audit.seal import Sealer
from tests.dashboard.pages.audit.conftest import in_thread, pair
from tests.support.databases import migrated
from tests.support.program import ROOT, run_program

pytestmark = pytest.mark.program

SECRET = "a secret of these tests alone which is long enough"
OTHER = "another secret which is also long enough"
TIMES = (1_795_000_000.0, 1_795_100_000.0, 1_795_200_000.0)


@pytest.fixture
async def file(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Path:
    """A database with three requests, which take six entries."""
    file = tmp_path / "record.sqlite3"

    def write(alias: str) -> None:
        for at in TIMES:
            append_entries(alias, Sealer([SECRET]), pair(at))

    with django_db_blocker.unblock(), migrated("audit_command", f"sqlite:///{file}") as alias:
        await in_thread(write, alias)
    file.chmod(0o600)
    return file


def audit(file: Path, *options: str, key: str = SECRET) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ, "DATABASE_URL": f"sqlite:///{file}", "DELTABOARD_VAR": str(file.parent),
        "DELTABOARD_AUDIT_KEY": key,
    }  # fmt: skip
    return run_program("manage.py", "audit", *options, env=env)


def change(file: Path, statement: str) -> None:
    with sqlite3.connect(file) as database:
        database.execute(statement)


async def test_a_record_as_it_was_written_verifies(file: Path) -> None:
    answer = audit(file, "verify")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith("6 entries, 1 to 6, are as they were written, 2026-11-18T")
    head = answer.stdout.strip().rpartition("Head: ")[2]
    assert audit(file, "verify", "--head", head).returncode == 0
    again = audit(file, "verify", "--head", f"7:{head.partition(':')[2]}")
    assert (again.returncode, again.stderr) == (
        1, "Entry 7 is not there, though it was noted: it was removed, or deleted by retention.\n"
    )  # fmt: skip
    other = audit(file, "verify", "--head", f"5:{head.partition(':')[2]}")
    assert other.returncode == 1
    assert "Entry 5 is not the one that was noted" in other.stderr


async def test_tampering_ends_with_1_and_names_the_entry(file: Path) -> None:
    change(file, "UPDATE audit_auditentry SET person = 'bob' WHERE seq = 4")
    answer = audit(file, "verify")
    assert answer.returncode == 1
    assert answer.stderr == "Entry 4 was changed: its column person differs from what was sealed.\n"
    assert audit(file, "verify", "--until", "2026-11-19T00:00:00Z").returncode == 0


async def test_a_key_that_is_missing_is_asked_for(file: Path) -> None:
    answer = audit(file, "verify", key=OTHER)
    assert answer.returncode == 1
    assert "add the former secret to DELTABOARD_AUDIT_KEY" in answer.stderr
    assert audit(file, "verify", key=f"{OTHER},{SECRET}").returncode == 0


def checked_as_documented(export: str) -> list[str]:
    """What the program in docs/audit.md prints about an export."""
    program = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "audit.md").read_text(), re.DOTALL)
    assert program
    source = program[1].replace("the value of DELTABOARD_AUDIT_KEY, or of SECRET_KEY", SECRET)
    done = subprocess.run([sys.executable, "-c", source], input=export, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


async def test_the_export_has_a_line_for_each_entry_which_others_can_verify(file: Path) -> None:
    answer = audit(file, "export")
    assert answer.returncode == 0
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    assert [line["seq"] for line in lines] == [1, 2, 3, 4, 5, 6]
    previous = "0" * 64
    for line in lines:
        assert line["previous"] == previous
        previous = line["hash"]
    assert checked_as_documented(answer.stdout) == [f"{line['seq']} as it was" for line in lines]
    assert checked_as_documented(answer.stdout.replace("anna", "anne", 1))[0] == "1 CHANGED"
    part = audit(file, "export", "--since", "2026-11-19T00:00:00Z", "--until", "2026-11-20T00:00:00Z")
    assert [json.loads(line)["seq"] for line in part.stdout.splitlines()] == [3, 4]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("verify", "--since", "yesterday"), "--since cannot be read: 'yesterday' is neither a time such as "),
        (("export", "--until", "2026-13-01"), "--until cannot be read: '2026-13-01' is neither a time such as "),
        (("verify", "--head", "7"), "--head cannot be read: write it as verify prints it, SEQ:HASH"),
    ],
)
async def test_an_option_that_means_nothing_is_one_line(file: Path, options: tuple[str, ...], said: str) -> None:
    answer = audit(file, *options)
    assert answer.returncode == 2
    assert answer.stderr.startswith(said)
    assert len(answer.stderr.splitlines()) == 1


def test_a_database_without_tables_is_one_line(tmp_path: Path) -> None:
    answer = audit(tmp_path / "none.sqlite3", "verify")
    assert answer.returncode == 2
    assert answer.stderr.startswith("The database cannot be read; has manage.py migrate been run?")
    assert len(answer.stderr.splitlines()) == 1
