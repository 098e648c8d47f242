"""Fixtures: the audit log in a database of its own, SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from dashboard.access.person import Person
from dashboard.pages.audit.chain import append_entries
from dashboard.pages.audit.entry import (
    Actor,
    Changes,
    FieldValue,
    NewEntry,
    Operation,
    Outcome,
    intent_entry,
    new_record,
    outcome_entry,
)
from dashboard.pages.audit.models import AuditEntry, AuditHead
from dashboard.pages.audit.observer import recorded_client
from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.audit.seal import Sealer
from dashboard.pages.audit.store import AuditStore
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import SystemClock
from tests.dashboard.pages.conftest import parts_for
from tests.dashboard.pages.drafts.conftest import alias as migrated_alias
from tests.dashboard.pages.drafts.conftest import postgresql_alias, sqlite_alias
from tests.support.controlplane import ControlPlane
from tests.support.databases import in_file
from tests.support.edit.no_script_browser import Browser

__all__ = ["migrated_alias", "postgresql_alias", "sqlite_alias"]

T = TypeVar("T")
RECORD = "record"
SERVER = "https://test.example"
SEALER = Sealer(["a secret of the tests"])
ANNA = Actor(Person("anna", ("ops",), "7"), "request-1")


@pytest.fixture
async def alias(migrated_alias: str) -> str:
    """The alias of a database without entries."""
    await in_thread(forget, migrated_alias)
    return migrated_alias


@pytest.fixture(scope="session")
def sqlite_record(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a SQLite file for what does not depend on the database."""
    with in_file(RECORD, tmp_path_factory.mktemp(RECORD), django_db_blocker) as alias:
        yield alias


@pytest.fixture
async def record(sqlite_record: str) -> str:
    """The same without entries."""
    await in_thread(forget, sqlite_record)
    return sqlite_record


def forget(alias: str) -> None:
    AuditEntry.objects.using(alias).all().delete()
    AuditHead.objects.using(alias).all().delete()


async def in_thread(work: Callable[..., T], alias: str, *args: Any) -> T:
    """The result of `work`, which asks the database."""

    def done() -> T:
        try:
            return work(alias, *args)
        finally:
            connections[alias].close()

    return await asyncio.to_thread(done)


def operation(name: str = "web", verb: str = "update", **more: Any) -> Operation:
    changes = Changes((FieldValue("spec.port", 1, 2),))
    return Operation(verb, "mydemos.crddemo.k8s.io", "shop", name, uid=f"uid-{name}", changes=changes, **more)


def pair(at: float, name: str = "web", actor: Actor = ANNA, **more: Any) -> list[NewEntry]:
    """A request with its outcome."""
    key, asked = new_record(), operation(name, **more)
    return [
        intent_entry(key, at, SERVER, actor, asked),
        outcome_entry(key, at, SERVER, actor, asked, Outcome("done", 200, version="2")),
    ]


def write_pairs(alias: str, *ats: float) -> None:
    for at in ats:
        append_entries(alias, SEALER, pair(at))


def entries(alias: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.using(alias).order_by("seq"))


def recorder_at(alias: str, **options: Any) -> AuditRecorder:
    clock = SystemClock()
    database = DatabaseExecutor(clock, alias=alias, time_limit=60)
    return AuditRecorder(clock, AuditStore(clock, database, SEALER, **options))


@pytest.fixture
async def recorder(record: str) -> AsyncIterator[AuditRecorder]:
    made = recorder_at(record)
    yield made
    await made.stop()


@pytest.fixture
async def parts(cluster: ControlPlane, drafts: str, recorder: AuditRecorder) -> AsyncIterator[SimpleNamespace]:
    """The parts of a web process in which anna's requests are recorded."""
    async for made in parts_for(cluster.kubeconfig):
        made.audit, made.plain_client = recorder, made.client
        made.client = recorded_client(recorder, made.client, ANNA)
        yield made


@pytest.fixture
def browser(parts: SimpleNamespace) -> Browser:
    return Browser(parts)


Written = Callable[[], Awaitable[list[dict[str, Any]]]]
