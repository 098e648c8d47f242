"""Tests of who wrote recorded versions: the audit log and the table of authors know people by the resourceVersion."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from dashboard.access.identity import Identity
from dashboard.access.person import Person
from dashboard.live.history.version import Operation as Made
from dashboard.pages.audit.chain import append_entries
from dashboard.pages.audit.entry import Actor, Operation, Outcome, intent_entry, new_record, outcome_entry
from dashboard.pages.audit.lines import AuditLine, audit_line
from dashboard.pages.audit.query import AuditRecord
from dashboard.pages.authors.store import AuthorStore, Write
from dashboard.pages.history import writers
from tests.dashboard.pages.audit.conftest import SEALER, in_thread, record, recorder_at, sqlite_record
from tests.dashboard.pages.drains.conftest import empty_database
from tests.dashboard.pages.history.conftest import mydemo
from tests.dashboard.pages.history.test_views import HISTORY, lines, rights
from tests.support.clock import FakeClock
from tests.support.live.history import Log
from tests.support.pages.recorded_site import KEY, RecordedSite
from tests.support.pages.site_without_cluster import CLUSTER
from tests.support.pages.small_site import page, words

__all__ = ["empty_database", "record", "sqlite_record"]

UID = "uid-shop-alpha"


@pytest.fixture
def site(log: Log) -> RecordedSite:
    """Created, changed and deleted."""
    site = RecordedSite(log)
    site.record(Made.ADDED, mydemo())
    site.record(Made.MODIFIED, mydemo(port=8080, version=2))
    site.record(Made.DELETED, mydemo(port=8080, version=3))
    return site


async def write(alias: str, person: str, verb: str, version: str = "", outcome: str = "done", **about: Any) -> None:
    asked = Operation(verb, KEY, "shop", "alpha", uid=UID, **about)
    key, actor = new_record(), Actor(Person(person))
    result = Outcome(outcome, version=version)  # type: ignore[arg-type]
    found = [
        intent_entry(key, 1_800_000_000.0, CLUSTER.server, actor, asked),
        outcome_entry(key, 1_800_000_000.0, CLUSTER.server, actor, asked, result),
    ]
    await in_thread(append_entries, alias, SEALER, found)


async def test_the_audit_log_names_who_changed_and_who_deleted(site: RecordedSite, record: str) -> None:
    site.parts.audit = recorder_at(record)
    await write(record, "alice", "update", "2")
    await write(record, "bob", "delete")
    await write(record, "eve", "delete", outcome="refused")
    end, changed, created = lines(await page(site.site, HISTORY))
    assert "by bob through Deltaboard" in end
    assert "by alice through Deltaboard · field manager kubectl" in changed
    assert "through Deltaboard" not in created
    text = words(await page(site.site, f"{HISTORY}?blame"))
    assert "spec.port 8080 , set by alice (field manager kubectl)" in text


async def test_records_of_the_audit_log_are_not_read_on_the_event_loop(
    site: RecordedSite, record: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 records of 50 fields take 150 ms."""
    site.parts.audit = recorder_at(record)
    await write(record, "alice", "update", "2")
    threads = []

    def noted(read: AuditRecord) -> AuditLine:
        threads.append(threading.current_thread())
        return audit_line(read)

    monkeypatch.setattr(writers, "audit_line", noted)
    await page(site.site, HISTORY)
    assert threads
    assert threading.main_thread() not in threads


async def test_nobody_learns_names_of_whoever_wrote_what_they_may_not_see(site: RecordedSite, record: str) -> None:
    site.parts.audit = recorder_at(record)
    await write(record, "alice", "update", "2")
    site.parts.rights = rights("search")
    assert "alice" not in await page(site.site, HISTORY, 404)


class Authors(AuthorStore):
    """Knows two writes."""

    async def writes_of(self, uid: str) -> tuple[Write, ...]:
        if uid != UID:
            return ()
        return Write(UID, "", "", Identity("bob", "")), Write(UID, "2", "2027-01-15T08:00:00Z", Identity("alice", ""))


async def test_without_an_audit_log_the_table_of_authors_names_them(site: RecordedSite) -> None:
    site.parts.authors = Authors(FakeClock())
    end, changed, _ = lines(await page(site.site, HISTORY))
    assert "by bob through Deltaboard" in end
    assert "by alice through Deltaboard" in changed
