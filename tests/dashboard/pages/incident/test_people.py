"""Tests of who did it: the audit log's records on the time line, and the sentence where nobody is named."""

from __future__ import annotations

import threading
from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from pytest_django.fixtures import Settings

from dashboard.access.identity import Identity
from dashboard.access.person import Person
from dashboard.access.rights import Rights, Rule
from dashboard.pages.audit.chain import append_entries
from dashboard.pages.audit.entry import (
    Actor,
    Changes,
    FieldValue,
    Operation,
    Outcome,
    intent_entry,
    new_record,
    outcome_entry,
)
from dashboard.pages.audit.lines import AuditLine, audit_line
from dashboard.pages.audit.query import AuditRecord
from dashboard.pages.authors.store import AuthorStore, Write
from dashboard.pages.incident import people
from dashboard.pages.incident.people import MAX_DELETED
from tests.dashboard.pages.audit.conftest import SEALER, in_thread, record, recorder_at, sqlite_record
from tests.dashboard.pages.drains.conftest import empty_database
from tests.support.clock import FakeClock
from tests.support.objects.rows import made, row_of
from tests.support.pages.site_without_cluster import CLUSTER, Site
from tests.support.pages.small_site import namespace, page, pod, words

__all__ = ["empty_database", "record", "sqlite_record"]

UID = "uid-shop-web-1"
WHY = "/why/pods/shop/web-1/"
KEEPS_NO_NAMES = "and Kubernetes keeps no names. The API server's own audit log may know."


class Incident:
    """The page of a pod, and of a Deployment, whose audit log the test writes."""

    def __init__(self, alias: str = "") -> None:
        managed = [{"manager": "helm", "operation": "Update", "time": "2027-01-15T07:00:00Z",
                    "fieldsV1": {"f:spec": {"f:replicas": {}}}}]  # fmt: skip
        web = made(
            "Deployment", "web", api_version="apps/v1", spec={"replicas": 1}, metadata={"managedFields": managed}
        )
        self.site = Site(pod("web-1"), pod("web-2"), namespace("shop"), ("deployments.apps", web))
        self.parts = cast("Any", self.site.parts)
        self.alias = alias
        if alias:
            self.parts.audit = recorder_at(alias)

    async def write(
        self, verb: str, *, uid: str = UID, outcome: str = "done", person: str = "alice", **more: Any
    ) -> None:
        asked = Operation(verb, "pods", "shop", "web-1", uid=uid, **more)
        key, at, actor = new_record(), self.site.clock.time() - 5, Actor(Person(person))
        found = [intent_entry(key, at, CLUSTER.server, actor, asked)]
        if outcome:
            result = Outcome(outcome, version="" if verb == "delete" else "7")  # type: ignore[arg-type]
            found.append(outcome_entry(key, at, CLUSTER.server, actor, asked, result))
        await in_thread(append_entries, self.alias, SEALER, found)

    def delete(self) -> None:
        self.site.feeder("pods").drop(UID)

    async def text(self, path: str = WHY) -> str:
        return words(await page(self.site, path))


@pytest.fixture
async def incident(record: str) -> Incident:
    return Incident(record)


async def test_who_deleted_it_through_deltaboard_is_named_on_the_page_and_in_the_markdown(
    incident: Incident, settings: Settings
) -> None:
    settings.DELTABOARD_AUDIT = "on"
    await incident.write("delete")
    incident.delete()
    text = await incident.text()
    assert "alice deleted it through Deltaboard" in text
    assert "not known" not in text.replace("before this is known here", "")
    assert "write: alice deleted it through Deltaboard" in await page(incident.site, f"{WHY}?markdown")
    assert f'href="/audit/?uid={UID}"' in await page(incident.site, WHY)


async def test_records_are_not_read_on_the_event_loop(incident: Incident, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def noted(read: AuditRecord) -> AuditLine:
        threads.append(threading.current_thread())
        return audit_line(read)

    monkeypatch.setattr(people, "audit_line", noted)
    await incident.write("delete")
    await incident.text()
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    ("record_of", "said"),
    [
        ({"verb": "create", "subresource": "eviction"}, "alice evicted it through Deltaboard"),
        (
            {"verb": "create", "subresource": "exec", "outcome": "", "options": {"container": "main", "command": "sh"}},
            "alice opened a terminal in container main through Deltaboard Pod shop/web-1",
        ),
        ({"verb": "create"}, "alice created it through Deltaboard"),
        ({"verb": "update", "subresource": "status"}, "alice changed its status through Deltaboard"),
        ({"verb": "delete", "outcome": ""}, "alice deleted it through Deltaboard. Whether that was done is not known"),
        (
            {"verb": "delete", "person": ""},
            "Somebody whose name Deltaboard does not know deleted it through Deltaboard",
        ),
    ],
)
async def test_what_somebody_did_is_said_in_words(incident: Incident, record_of: dict[str, Any], said: str) -> None:
    await incident.write(**record_of)
    assert said in await incident.text()


async def test_the_fields_that_somebody_changed_are_named_and_hidden_values_are_not(incident: Incident) -> None:
    fields = (
        FieldValue("spec.a", 3, 5), FieldValue("data.key", is_hidden=True), FieldValue("spec.c", None, "x" * 200),
        FieldValue("spec.d", 1, 2),
    )  # fmt: skip
    await incident.write("patch", changes=Changes(fields, 2))
    cut = "x" * 59 + "…"
    said = f"alice changed spec.a 3 → 5, data.key, spec.c none → {cut}, 3 more fields through Deltaboard"
    assert said in await incident.text()


async def test_what_was_refused_or_only_read_is_not_told_and_nobody_else_learns_of_it(incident: Incident) -> None:
    await incident.write("delete", outcome="refused")
    await incident.write("get")
    assert "alice" not in await incident.text()
    await incident.write("update")
    assert "alice" in await incident.text()
    incident.parts.rights = Rights([Rule(frozenset({"get"}), frozenset({""}), frozenset({"pods"}))])
    text = await incident.text()
    assert "alice" not in text
    assert "Deltaboard's audit log has no write of these objects that you may see, and managedFields" in text


async def test_where_nobody_deleted_it_through_deltaboard_the_page_says_that_it_does_not_know_who_did(
    incident: Incident,
) -> None:
    incident.delete()
    said = f"Who deleted it is not known: Deltaboard's audit log has no deletion of it, {KEEPS_NO_NAMES}"
    assert said in await incident.text()
    assert said.replace("'", "'") in await page(incident.site, f"{WHY}?markdown")


async def test_of_a_deletion_that_may_have_been_done_the_page_does_not_say_that_there_is_none(
    incident: Incident,
) -> None:
    await incident.write("delete", outcome="")
    incident.delete()
    text = await incident.text()
    assert "alice deleted it through Deltaboard. Whether that was done is not known" in text
    assert "Who deleted it" not in text


async def test_without_an_audit_log_the_page_says_so() -> None:
    incident = Incident()
    off = "Deltaboard keeps no audit log here (DELTABOARD_AUDIT is off)"
    assert f"Who wrote it is not known: {off}, and managedFields name nobody." in await incident.text()
    programs = await incident.text("/why/deployments.apps/shop/web/")
    assert f"No person is named here: {off}, and managedFields name programs only." in programs
    incident.delete()
    assert f"Who deleted it is not known: {off}, {KEEPS_NO_NAMES}" in await incident.text()


async def test_where_the_audit_log_cannot_be_read_the_page_says_so(empty_database: str) -> None:
    incident = Incident(empty_database)
    incident.delete()
    said = "Who deleted it is not known: Deltaboard's audit log cannot be read now"
    assert said in await incident.text()


class OneWrite(AuthorStore):
    """Knows that bob wrote the pod at a time."""

    def __init__(self, at: str) -> None:
        super().__init__(FakeClock())
        self._at = at

    async def writes_of(self, uid: str) -> tuple[Write, ...]:
        return (Write(uid, "9", self._at, Identity("bob", "browser")),) if uid == UID else ()


class Authors(AuthorStore):
    """Knows who deleted the pod, and nothing else."""

    def __init__(self, owner: str) -> None:
        super().__init__(FakeClock())
        self.identity = Identity(owner, "browser")

    async def writes_of(self, uid: str) -> tuple[Write, ...]:
        return (Write(uid, "", "", self.identity),) if uid == UID else ()


@pytest.mark.parametrize(("owner", "who"), [("bob", "bob"), ("", "Somebody whose name Deltaboard does not know")])
async def test_without_an_audit_log_the_author_of_a_deletion_is_named(owner: str, who: str) -> None:
    incident = Incident()
    incident.parts.authors = Authors(owner)
    incident.delete()
    text = await incident.text()
    assert f"{who} deleted it through Deltaboard" in text
    assert "Who deleted it" not in text


async def test_what_vanished_unseen_was_deleted_by_whom_the_audit_log_names(incident: Incident) -> None:
    pods = incident.site.feeder("pods")
    pods.put(pods.replica.rows[UID], words="status Running → Error")
    pods.put_and_drop([], [UID])
    await incident.write("delete")
    text = await incident.text()
    assert "When it was deleted is not known here." in text
    assert "alice deleted it through Deltaboard" in text
    assert "Who deleted it" not in text


async def test_authors_of_few_deletions_are_asked_for_and_only_without_an_audit_log(incident: Incident) -> None:
    asked: list[str] = []

    class Counting(Authors):
        async def writes_of(self, uid: str) -> tuple[Write, ...]:
            asked.append(uid)
            return ()

    site = incident.site
    deployment = site.feeder("deployments.apps").replica.rows["uid-shop-web"]
    pods = site.feeder("pods")
    rows = [row_of(*pod(f"old-{number}")) for number in range(MAX_DELETED + 5)]
    lines = (pods.entry(row, "deleted", "was Error") for row in rows)
    pods._send(
        entries=tuple(msgspec.structs.replace(line, owner="Deployment/web", owner_group="apps") for line in lines)
    )
    incident.parts.authors = Counting("bob")
    await incident.text("/why/deployments.apps/shop/web/")
    assert asked == [deployment.uid]
    asked.clear()
    incident.parts.audit = None
    await incident.text("/why/deployments.apps/shop/web/")
    assert len(asked) == 1 + MAX_DELETED


async def test_what_the_audit_log_has_is_told_once(incident: Incident) -> None:
    incident.parts.authors = Authors("alice")
    await incident.write("delete")
    incident.delete()
    assert (await incident.text()).count("alice deleted it through Deltaboard") == 1 + 1  # in the copied text, too


@pytest.mark.parametrize(("seconds", "is_named"), [(-60, False), (0, True)])
async def test_a_page_of_the_past_has_nothing_that_was_written_later(
    incident: Incident, settings: Settings, seconds: float, is_named: bool
) -> None:
    settings.DELTABOARD_AUDIT = "on"
    await incident.write("update")
    incident.parts.moment = SimpleNamespace(at=incident.site.clock.time() + seconds)
    assert ("alice" in await page(incident.site, f"{WHY}?markdown")) == is_named


async def test_a_page_of_the_past_has_no_author_of_a_later_write(incident: Incident) -> None:
    incident.parts.authors = OneWrite("2027-01-15T07:59:50Z")
    for at, is_named in (("2027-01-15T07:59:00Z", False), ("2027-01-15T08:00:00Z", True)):
        incident.parts.moment = SimpleNamespace(at=datetime.fromisoformat(at).timestamp())
        assert ("bob wrote it" in await page(incident.site, f"{WHY}?markdown")) == is_named
        assert f"/why/pods/shop/web-1/?at={at})" in await page(incident.site, f"{WHY}?markdown")
