"""DATABASE_URL: SQLite by default, PostgreSQL in production; both take every migration."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.program import ROOT
from tests.require import postgresql_url


def manage(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=False)


@pytest.fixture
def scratch_database() -> Iterator[str]:
    """A new, empty PostgreSQL database, dropped after the test."""
    url = postgresql_url()
    name = f"deltaboard_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        yield f"{url.rsplit('/', 1)[0]}/{name}"
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def assert_takes_all_migrations(url: str, home: Path) -> None:
    migrated = manage("migrate", "--verbosity", "0", DATABASE_URL=url, DELTABOARD_VAR=str(home))
    assert migrated.returncode == 0, migrated.stderr
    unapplied = manage("migrate", "--check", DATABASE_URL=url, DELTABOARD_VAR=str(home))
    assert unapplied.returncode == 0, unapplied.stdout + unapplied.stderr


@pytest.mark.postgresql
def test_postgresql_takes_every_migration(scratch_database: str, tmp_path: Path) -> None:
    assert_takes_all_migrations(scratch_database, tmp_path)


def test_sqlite_takes_every_migration(tmp_path: Path) -> None:
    assert_takes_all_migrations(f"sqlite:///{tmp_path / 'db.sqlite3'}", tmp_path)
    assert (tmp_path / "db.sqlite3").stat().st_size > 0
