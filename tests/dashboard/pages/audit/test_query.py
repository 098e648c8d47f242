"""Tests of queries of the audit log: what they cost."""

from __future__ import annotations

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from dashboard.pages.audit.models import AuditEntry
from dashboard.pages.audit.query import records_of_objects
from tests.dashboard.pages.audit.conftest import SERVER, forget, in_thread, write_pairs

TABLE = AuditEntry._meta.db_table
COUNT = 20_000
UIDS = [f"quiet-{number}" for number in range(250)]
MANY = f"""
INSERT INTO {TABLE} SELECT 2 * i - 1 + k, CASE k WHEN 0 THEN 'intent' ELSE 'outcome' END, md5(i::text), i, '{SERVER}',
    'anna', 'update', 'deployments.apps', 'shop', 'web', 'uid-' || i % 2000, '', '{{}}', '', ''
FROM generate_series(1, {COUNT}) AS i, generate_series(0, 1) AS k
"""


def plans_among_many_others(alias: str) -> tuple[int, list[str]]:
    """How many records there are of 250 objects that were never written, and the plans of the queries for them."""
    connection = connections[alias]
    with connection.cursor() as cursor:
        cursor.execute(MANY)
        cursor.execute(f"ANALYZE {TABLE}")
        with CaptureQueriesContext(connection) as queries:
            records = records_of_objects(alias, SERVER, UIDS, 100)
        plans = []
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN {query['sql']}")
            plans.append("\n".join(line for (line,) in cursor.fetchall()))
    forget(alias)
    return len(records), plans


@pytest.mark.postgresql
async def test_records_of_quiet_objects_are_found_without_a_scan_of_the_audit_log(postgresql_alias: str) -> None:
    await in_thread(forget, postgresql_alias)
    count, plans = await in_thread(plans_among_many_others, postgresql_alias)
    assert count == 0
    assert plans
    for plan in plans:
        assert "Seq Scan" not in plan
        assert f"Backward using {TABLE}_pkey" not in plan


async def test_the_newest_records_of_objects_come_first(alias: str) -> None:
    await in_thread(write_pairs, alias, 1000.0, 2000.0, 3000.0)
    records = await in_thread(records_of_objects, alias, SERVER, ["uid-web", "uid-other"], 2)
    assert [record.seq for record in records] == [5, 3]
    assert all(record.outcome is not None for record in records)
