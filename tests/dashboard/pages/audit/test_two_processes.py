"""Tests of several processes that write one record, and of a database that is away, with SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from dashboard.pages.audit.entry import Outcome
from dashboard.pages.audit.verify import verify_record
from informerd.errors import CallRefused
from tests.dashboard.pages.audit.conftest import ANNA, SEALER, SERVER, entries, in_thread, operation, recorder_at
from tests.support.databases import migrated
from tests.support.e2e.postgresql_database import Database
from tests.support.program import Program

PROCESSES, REQUESTS, AT_A_TIME = 2, 60, 4
WRITER = """
import asyncio, sys
import django
django.setup()
from tests.dashboard.pages.audit.conftest import ANNA, SERVER, operation, recorder_at
from dashboard.pages.audit.entry import Outcome

async def write(recorder, todo):
    while todo:
        pending = await recorder.begin(SERVER, ANNA, operation(todo.pop()))
        await recorder.complete(pending, Outcome("done", 200))

async def main():
    recorder = recorder_at("default")
    todo = [f"{sys.argv[1]}-{number}" for number in range(int(sys.argv[2]))]
    await asyncio.gather(*(write(recorder, todo) for _ in range(int(sys.argv[3]))))
    await recorder.stop()
    print("done", flush=True)

asyncio.run(main())
"""


@pytest.fixture
def postgresql() -> Iterator[Database]:
    database = Database()
    database.create()
    try:
        yield database
    finally:
        database.drop()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of a database of the test's own."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'record.sqlite3'}"
    database: Database = request.getfixturevalue("postgresql")
    return database.url


@pytest.fixture
def own(url: str, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """Its alias here, migrated."""
    with django_db_blocker.unblock(), migrated("own_record", url) as alias:
        yield alias


@pytest.mark.long
@pytest.mark.program
async def test_two_processes_write_one_chain(own: str, url: str, tmp_path: Path) -> None:
    env = {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "dashboard.settings", "DELTABOARD_VAR": str(tmp_path)}
    programs = [
        Program("-c", WRITER, f"process{number}", str(REQUESTS), str(AT_A_TIME), env=env) for number in range(PROCESSES)
    ]
    try:
        for program in programs:
            program.start()
        for program in programs:
            assert program.process is not None
            assert (program.process.wait(120), program.output.splitlines()[-1:]) == (0, ["done"])
    finally:
        for program in programs:
            program.__exit__()
    report = await in_thread(verify_record, own, SEALER)
    assert report.count == PROCESSES * REQUESTS * 2
    assert report.unanswered == 0
    contents = [json.loads(each.content) for each in await in_thread(entries, own)]
    writers = [each["name"].partition("-")[0] for each in contents]
    assert set(writers) == {"process0", "process1"}


@pytest.mark.postgresql
async def test_nothing_is_sent_while_postgresql_is_away_and_what_was_sent_is_completed_afterwards(
    postgresql: Database, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock(), migrated("away_record", postgresql.url) as alias:
        connections.databases[alias]["OPTIONS"] = {"connect_timeout": 5}
        recorder = recorder_at(alias)
        pending = await recorder.begin(SERVER, ANNA, operation())
        postgresql.shut()
        with pytest.raises(CallRefused, match="so nothing was sent"):
            await recorder.begin(SERVER, ANNA, operation("other"))
        stored = recorder.complete(pending, Outcome("done", 200))
        postgresql.reopen()
        await stored
        found = [json.loads(each.content) for each in await in_thread(entries, alias)]
        assert [(each["type"], each["name"]) for each in found] == [("intent", "web"), ("outcome", "web")]
        await recorder.stop()
