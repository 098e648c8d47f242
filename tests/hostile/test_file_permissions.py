"""Attack: another account of the machine reads what Deltaboard keeps in files, or puts its own in their place."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.runtime.secret_file import NotPrivate, load_or_create_secret
from tests.support.local_dashboard import environ
from tests.support.program import ROOT

SECRET = ("secrets", {"metadata": {"name": "db", "namespace": "shop", "uid": "1", "resourceVersion": "1"}})


def manage(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT, env=environ(home), capture_output=True, text=True, check=False, umask=0o022,
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.program
def test_the_database_is_its_owners_in_a_folder_that_exists(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    folder.mkdir(mode=0o755)
    assert manage(tmp_path, "migrate", "--verbosity", "0").returncode == 0
    code = (
        "from django.db import connection as c; c.cursor().execute('pragma journal_mode=wal'); "
        "c.cursor().execute('create table x (y)'); import os; "
        "print(*(oct(each.stat().st_mode)[-3:] for each in os.scandir(os.environ['DELTABOARD_VAR'])))"
    )
    asked = manage(tmp_path, "shell", "--no-imports", "-c", code)
    assert asked.returncode == 0, asked.stderr
    assert set(asked.stdout.split()) == {"600"}, "database, -wal, -shm and the secret key"


@pytest.mark.long
@pytest.mark.program
def test_a_database_that_others_can_read_is_named_in_the_log(tmp_path: Path) -> None:
    manage(tmp_path, "migrate", "--verbosity", "0")
    database = tmp_path / "var" / "deltaboard.sqlite3"
    database.chmod(0o644)
    warned = manage(tmp_path, "migrate", "--verbosity", "0")
    assert warned.stderr.count(f"{database} can be read by other accounts of this machine") == 1


def test_a_secrets_file_is_never_one_that_another_account_could_have_made(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "token"
    made = load_or_create_secret(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o640)
    with pytest.raises(NotPrivate, match="can be read by other accounts"):
        load_or_create_secret(path)
    path.unlink()
    elsewhere = tmp_path / "of another account"
    elsewhere.write_text(made)
    path.symlink_to(elsewhere)
    with pytest.raises(NotPrivate, match="is not a file"):
        load_or_create_secret(path)
    assert elsewhere.read_text() == made


def test_a_secrets_file_of_another_account_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "token"
    load_or_create_secret(path)
    monkeypatch.setattr("os.geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(NotPrivate, match="belongs to another account"):
        load_or_create_secret(path)
