"""Tests of a rolling update of web processes: old ones work with tables that new ones have migrated."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from tests.dashboard.pages.drafts.conftest import alias, postgresql_alias, sqlite_alias

__all__ = ["alias", "postgresql_alias", "sqlite_alias"]


@pytest.mark.parametrize(
    ("app", "migration", "model", "fields"),
    [
        ("bulk", "0001_initial", "BulkRun", {"resource": {}, "total": 1, "made": 1.0, "beat": 1.0}),
        ("drains", "0002_one_a_node", "DrainRecord", {"begun": 1.0, "beat": 1.0}),
    ],
)
async def test_a_process_of_before_begins_runs_in_tables_of_now(
    alias: str, app: str, migration: str, model: str, fields: dict[str, Any]
) -> None:
    def begin() -> None:
        before = MigrationExecutor(connections[alias]).loader.project_state((app, migration)).apps
        record = before.get_model(app, model).objects.using(alias).create(**fields)
        record.delete()
        connections[alias].close()

    await asyncio.to_thread(begin)
