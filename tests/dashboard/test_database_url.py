"""Tests of DATABASE_URL: SQLite by default, PostgreSQL in production; both take every migration."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.program import run_program
from tests.support.skip_if_missing import postgresql_url

pytestmark = pytest.mark.program


def manage(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run_program("manage.py", *arguments, env={**os.environ, **env})


@pytest.fixture
def scratch_database() -> Iterator[str]:
    """A new, empty PostgreSQL database, dropped after the test."""
    url = postgresql_url()
    name = f"deltaboard_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        yield f"{url.rsplit('/', 1)[0]}/{name}"
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def assert_migrates_and_connects(url: str, home: Path, vendor: str) -> None:
    env = {"DATABASE_URL": url, "DELTABOARD_VAR": str(home)}
    migrated = manage("migrate", "--verbosity", "0", **env)
    assert migrated.returncode == 0, migrated.stderr
    code = "from django.db import connection as c; c.ensure_connection(); print(c.vendor, c.settings_dict['NAME'])"
    asked = manage("shell", "--no-imports", "-c", code, **env)
    assert asked.stdout.split() == [vendor, url.rsplit("/", 1)[1] if vendor == "postgresql" else url[10:]], asked.stderr


@pytest.mark.long
@pytest.mark.postgresql
def test_postgresql_is_used_where_database_url_names_it(scratch_database: str, tmp_path: Path) -> None:
    assert_migrates_and_connects(scratch_database, tmp_path, "postgresql")


def test_sqlite_is_used_where_database_url_names_it(tmp_path: Path) -> None:
    assert_migrates_and_connects(f"sqlite:///{tmp_path / 'db.sqlite3'}", tmp_path, "sqlite")


@pytest.mark.long
def test_deltaboards_folder_is_made_and_no_other(tmp_path: Path) -> None:
    made, mistyped = tmp_path / "made", tmp_path / "mistyped"
    env = {"SECRET_KEY": "of a test that is long enough to be one", "DELTABOARD_VAR": str(made)}
    assert manage("migrate", "--verbosity", "0", **env).returncode == 0
    assert (made / "deltaboard.sqlite3").exists()
    assert manage("migrate", DATABASE_URL=f"sqlite:///{mistyped}/a.sqlite3", **env).returncode != 0
    assert not mistyped.exists()
