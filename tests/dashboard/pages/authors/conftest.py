"""Fixtures with the databases of drafts, and an empty one."""

from __future__ import annotations

from uuid import uuid4

import pytest

from dashboard.pages.authors.store import AuthorStore
from dashboard.runtime.database_executor import DatabaseExecutor
from tests.dashboard.pages.drafts.conftest import alias, clock, postgresql_alias, sqlite_alias
from tests.dashboard.pages.drains.conftest import empty_database
from tests.support.clock import FakeClock

__all__ = ["alias", "clock", "empty_database", "postgresql_alias", "sqlite_alias"]


@pytest.fixture
def authors(alias: str, clock: FakeClock) -> AuthorStore:
    return AuthorStore(clock, DatabaseExecutor(clock, alias=alias, time_limit=60))


@pytest.fixture
def uid() -> str:
    return str(uuid4())
