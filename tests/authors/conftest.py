"""The databases of drafts, and edit pages over the run's real API server."""

from __future__ import annotations

from tests.drafts.conftest import alias, clock, postgresql_alias, sqlite_alias
from tests.drains.conftest import empty_database
from tests.edits.conftest import browser, cluster, collection, drafts, namespace, one, parts, path

__all__ = [
    "alias", "browser", "clock", "cluster", "collection", "drafts", "empty_database", "namespace", "one", "parts",
    "path", "postgresql_alias", "sqlite_alias",
]  # fmt: skip
