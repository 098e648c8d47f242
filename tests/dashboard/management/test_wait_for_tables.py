"""Tests of ``manage.py wait_for_tables``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.e2e.postgresql_database import Database
from tests.support.program import Program, run_program
from tests.support.wait import until

pytestmark = [pytest.mark.program, pytest.mark.postgresql]


@pytest.fixture
def database() -> Iterator[Database]:
    made = Database()
    made.create()
    yield made
    made.drop()


def environ(database: Database, home: Path) -> dict[str, str]:
    return {**os.environ, "DATABASE_URL": database.url, "DELTABOARD_VAR": str(home)}


@pytest.mark.long
def test_it_ends_when_another_process_has_made_the_tables(database: Database, tmp_path: Path) -> None:
    env = environ(database, tmp_path)
    with Program("manage.py", "wait_for_tables", env=env) as waiting:
        migrating = Program("manage.py", "migrate", "--verbosity", "0", env=env).start()
        until(lambda: not migrating.running(), what="the tables are made")
        until(lambda: not waiting.running(), what="it has ended")
        assert (migrating.stop(), waiting.stop(), waiting.output) == (0, 0, "")


def test_tables_that_nobody_makes_end_it_with_their_names(database: Database, tmp_path: Path) -> None:
    done = run_program("manage.py", "wait_for_tables", "--within", "0", env=environ(database, tmp_path))
    assert done.returncode == 1
    assert "drafts.0001_initial" in done.stderr
    assert "run manage.py migrate with this version" in done.stderr


def test_a_database_that_does_not_answer_is_no_reason_not_to_start(database: Database, tmp_path: Path) -> None:
    database.shut()
    env = environ(database, tmp_path)
    done = run_program("manage.py", "wait_for_tables", "--unreachable", "0", env=env)
    assert done.returncode == 0
    assert done.stdout.startswith("The database cannot be reached, and is not waited for:")
