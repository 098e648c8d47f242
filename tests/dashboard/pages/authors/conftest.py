"""Fixtures with the databases of drafts, and an empty one."""

from __future__ import annotations

from tests.dashboard.pages.drafts.conftest import alias, clock, postgresql_alias, sqlite_alias
from tests.dashboard.pages.drains.conftest import empty_database

__all__ = ["alias", "clock", "empty_database", "postgresql_alias", "sqlite_alias"]
