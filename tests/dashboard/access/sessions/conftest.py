"""Fixture: a migrated database, SQLite and PostgreSQL in turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.databases import in_file, migrated
from tests.support.e2e.postgresql_database import Database as PostgreSql


@pytest.fixture(scope="session")
def sqlite_sessions(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with in_file("sessions_sqlite", tmp_path_factory.mktemp("sessions"), django_db_blocker) as made:
        yield made


@pytest.fixture(scope="session")
def postgresql_sessions(django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    database = PostgreSql()
    database.create()
    try:
        with django_db_blocker.unblock(), migrated("sessions_postgresql", database.url) as made:
            yield made
    finally:
        database.drop()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def alias(request: pytest.FixtureRequest) -> str:
    made: str = request.getfixturevalue(f"{request.param}_sessions")
    return made
