"""Fixtures with drafts in SQLite and in PostgreSQL, for tests that both have to pass."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from dashboard.pages.drafts.store import DraftStore
from dashboard.runtime.database_executor import DatabaseExecutor
from tests.support.clock import FakeClock
from tests.support.databases import in_file, migrated
from tests.support.e2e.postgresql_database import Database as PostgreSql


@pytest.fixture(scope="session")
def sqlite_alias(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a migrated SQLite file."""
    with in_file("drafts_sqlite", tmp_path_factory.mktemp("drafts"), django_db_blocker) as made:
        yield made


@pytest.fixture(scope="session")
def postgresql_alias(django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a migrated database in PostgreSQL."""
    database = PostgreSql()
    database.create()
    try:
        with django_db_blocker.unblock(), migrated("drafts_postgresql", database.url) as made:
            yield made
    finally:
        database.drop()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def alias(request: pytest.FixtureRequest) -> str:
    """The alias of a migrated database, of each sort in turn; made once, so that a test meets what others left."""
    made: str = request.getfixturevalue(f"{request.param}_alias")
    return made


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def shelf(alias: str, clock: FakeClock) -> DraftStore:
    return DraftStore(clock, DatabaseExecutor(clock, alias=alias, time_limit=60))
