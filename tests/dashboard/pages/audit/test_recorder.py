"""Tests of the recorder: nothing is sent that cannot be recorded, crashes show, and Secrets' values are nowhere."""

from __future__ import annotations

import asyncio
import base64
import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connections

from dashboard.access.person import Person
from dashboard.pages.audit.entry import Actor, Outcome
from dashboard.pages.audit.observer import recorded_client
from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.audit.seal import Sealer
from dashboard.pages.audit.store import AuditStore, Retention
from dashboard.pages.audit.verify import verify_record
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import SystemClock
from informerd.errors import CallRefused, InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client
from tests.dashboard.pages.audit.conftest import (
    ANNA,
    SEALER,
    SERVER,
    entries,
    in_thread,
    operation,
    recorder_at,
    write_pairs,
)
from tests.dashboard.pages.drains.conftest import empty_database
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser, reviewed

__all__ = ["empty_database"]

SECRETS = Resource(version="v1", plural="secrets", kind="Secret")
CONFIG_MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
PASSWORD = "hunter2-correct-horse"
ENCODED = base64.b64encode(PASSWORD.encode()).decode()


async def contents(alias: str) -> list[dict[str, Any]]:
    return [json.loads(each.content) for each in await in_thread(entries, alias)]


@pytest.fixture
async def broken(empty_database: str) -> AsyncIterator[AuditRecorder]:
    """A recorder whose database nobody has migrated."""
    made = recorder_at(empty_database)
    yield made
    await made.stop()


async def test_a_write_that_cannot_be_recorded_is_not_sent_and_the_page_says_so_with_the_text(
    parts: SimpleNamespace, broken: AuditRecorder, cluster: ControlPlane, one: str, path: str
) -> None:
    browser = Browser(parts)
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    before = cluster.get(one)
    parts.client = recorded_client(broken, parts.plain_client, ANNA)
    answer = await browser.press(page, "save")
    assert answer.status == 503
    assert "The audit log cannot be written now, so nothing was sent." in answer.text
    assert "port: 9090" in answer.yaml
    assert cluster.get(one) == before


async def test_reads_and_dry_runs_go_on_while_the_record_cannot_be_written(
    parts: SimpleNamespace, broken: AuditRecorder, one: str, path: str
) -> None:
    parts.client = recorded_client(broken, parts.plain_client, ANNA)
    page = await reviewed(Browser(parts), path, "port: 8080", "port: 9090")
    assert page.status == 200
    assert "spec.port" in page.text


async def test_a_read_of_a_secret_that_cannot_be_recorded_shows_nothing(
    parts: SimpleNamespace, broken: AuditRecorder, cluster: ControlPlane, namespace: str
) -> None:
    create_secret(cluster, namespace)
    parts.client = recorded_client(broken, parts.plain_client, ANNA)
    page = await Browser(parts).open(f"/resources/secrets/{namespace}/login/edit/")
    assert page.status == 503
    assert ENCODED not in page.body
    assert "cannot be written now" in page.text


def create_secret(cluster: ControlPlane, namespace: str) -> None:
    last = {"kubectl.kubernetes.io/last-applied-configuration": f'{{"data":{{"password":"{ENCODED}"}}}}'}
    cluster.create(
        f"/api/v1/namespaces/{namespace}/secrets",
        {"metadata": {"name": "login", "annotations": last}, "data": {"password": ENCODED, "pin": "MTIzNA=="}},
    )


async def test_values_of_secrets_are_in_no_byte_of_the_database(
    parts: SimpleNamespace, browser: Browser, cluster: ControlPlane, namespace: str, record: str
) -> None:
    create_secret(cluster, namespace)
    address = f"/resources/secrets/{namespace}/login/"
    new, longer = base64.b64encode(b"changed-value-1").decode(), "stringly-typed-2"
    page = await reviewed(browser, address, ENCODED, new)
    assert (await browser.press(page, "save")).status == 302
    page = await browser.open(f"{address}edit/")
    text = page.yaml + f"stringData:\n  extra: {longer}\n"
    page = await browser.press(await browser.press(page, "review", yaml=text), "save")
    client, live = parts.client, cluster.get(f"/api/v1/namespaces/{namespace}/secrets/login")
    metadata = {"uid": live["metadata"]["uid"], "resourceVersion": live["metadata"]["resourceVersion"]}
    patch = {"metadata": metadata, "data": {"third": base64.b64encode(b"patched-value-3").decode()}}
    await client.patch(SECRETS, "login", namespace, patch)
    with pytest.raises(InformerdError):
        await client.patch(SECRETS, "login", namespace, {"metadata": {**metadata, "uid": "x"}, "data": {"a": "bad-4"}})
    created = {"metadata": {"name": "second"}, "stringData": {"x": "created-value-5"}, "type": "Opaque"}
    await client.create(SECRETS, created, namespace)
    values = [PASSWORD, ENCODED, "MTIzNA==", new, "changed-value-1", longer, "patched-value-3", "bad-4"]
    values += ["created-value-5", *(base64.b64encode(each.encode()).decode() for each in values)]
    file = Path(str(connections.databases[record]["NAME"]))
    raw = b"".join(each.read_bytes() for each in file.parent.iterdir())
    assert b"login" in raw
    assert [value for value in values if value.encode() in raw] == []
    found = await contents(record)
    intents = [each for each in found if each["type"] == "intent"]
    assert [each["verb"] for each in intents] == ["get", "update", "update", "patch", "patch", "create"]
    paths = [{field["path"] for field in each["changes"]["fields"]} for each in intents]
    assert paths[1] == {"data.password"}
    assert "data.third" in paths[3]
    assert "stringData.x" in paths[5]


async def test_a_secret_that_is_opened_is_recorded_once_in_a_while(
    browser: Browser, cluster: ControlPlane, namespace: str, record: str, parts: SimpleNamespace
) -> None:
    create_secret(cluster, namespace)
    for _ in range(3):
        assert ENCODED in (await browser.open(f"/resources/secrets/{namespace}/login/edit/")).body
    found = await contents(record)
    assert [(each["type"], each["verb"], each["resource"], each["name"]) for each in found] == [
        ("intent", "get", "secrets", "login"),
        ("outcome", "get", "secrets", "login"),
    ]
    parts.client = recorded_client(parts.audit, parts.plain_client, Actor(Person("bob")))
    await browser.open(f"/resources/secrets/{namespace}/login/edit/")
    assert [each["person"]["name"] for each in await contents(record)] == ["anna", "anna", "bob", "bob"]


async def test_an_intent_is_stored_before_the_request_is_sent_and_stays_open_where_the_process_ends(
    parts: SimpleNamespace, record: str, namespace: str, recorder: AuditRecorder
) -> None:
    client: Client = parts.client
    sending = asyncio.Event()

    async def hang(*_: object) -> Any:
        sending.set()
        await asyncio.Event().wait()

    client._transport = SimpleNamespace(send=hang)  # type: ignore[assignment] # a crash at this very moment
    body = {"metadata": {"name": "lost", "namespace": namespace}}
    writing = asyncio.create_task(client.create(CONFIG_MAPS, body))
    await sending.wait()
    assert [(each["type"], each["name"]) for each in await contents(record)] == [("intent", "lost")]
    report = await in_thread(verify_record, record, SEALER)
    assert report.unanswered == 1
    page = await Browser(parts).open("/audit/")
    assert "not known whether it was done" in page.text
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await recorder.stop()
    assert [each.get("outcome") for each in await contents(record)] == [None, "unknown"]


@pytest.mark.slow
async def test_an_outcome_that_cannot_be_stored_is_stored_later(record: str) -> None:
    clock = FakeClock()
    database = DatabaseExecutor(clock, alias=record, time_limit=60)
    recorder = AuditRecorder(clock, AuditStore(clock, database, SEALER))
    pending = await recorder.begin(SERVER, ANNA, operation())
    file = str(connections.databases[record]["NAME"])
    with sqlite3.connect(file) as database_file:
        database_file.execute("ALTER TABLE audit_auditentry RENAME TO gone")
    stored = recorder.complete(pending, Outcome("done", 200))
    await clock.wait_for_sleeper(6.0)
    with pytest.raises(CallRefused, match="so nothing was sent"):
        await recorder.begin(SERVER, ANNA, operation())
    with sqlite3.connect(file) as database_file:
        database_file.execute("ALTER TABLE gone RENAME TO audit_auditentry")
    assert not stored.done()
    await clock.wait_for_sleeper(6.0)
    await clock.advance(6.0)
    await stored
    assert [each["type"] for each in await contents(record)] == ["intent", "outcome"]
    assert (await in_thread(verify_record, record, SEALER)).unanswered == 0


async def test_entries_that_come_at_the_same_time_are_stored_together(record: str) -> None:
    lines: list[str] = []
    recorder = recorder_at(record, print_line=lines.append)
    done = await asyncio.gather(*(recorder.begin(SERVER, ANNA, operation(f"n{i}")) for i in range(50)))
    await asyncio.gather(*(recorder.complete(each, Outcome("done")) for each in done))
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 101))
    assert (await in_thread(verify_record, record, SEALER)).count == 100
    found = await in_thread(entries, record)
    assert [(json.loads(line)["hash"], json.loads(line)["entry"]) for line in lines] == [
        (each.hash, json.loads(each.content)) for each in found
    ]


async def test_old_entries_are_deleted_as_new_ones_come(record: str) -> None:
    await in_thread(write_pairs, record, 1.0, 2.0)
    recorder = recorder_at(record, retention=Retention(days=1))
    await recorder.begin(SERVER, ANNA, operation("new"))
    await recorder.stop()
    found = await contents(record)
    assert [each["type"] for each in found] == ["intent", "checkpoint"]
    assert (await in_thread(verify_record, record, SEALER)).first == 5


async def test_what_is_no_request_is_recorded_with_its_outcome_or_as_unknown(
    recorder: AuditRecorder, record: str
) -> None:
    async with recorder.recorded(SERVER, ANNA, operation(verb="exec")) as slot:
        slot.outcome = Outcome("done")
    with pytest.raises(KeyError):
        async with recorder.recorded(SERVER, ANNA, operation(verb="exec")):
            raise KeyError
    assert [each.get("outcome") for each in await contents(record)] == [None, "done", None, "unknown"]


async def test_nothing_is_recorded_where_the_record_is_off(parts: SimpleNamespace) -> None:
    off = AuditRecorder(SystemClock())
    assert recorded_client(off, parts.plain_client, ANNA) is parts.plain_client
    async with off.recorded(SERVER, ANNA, operation()):
        pass


async def test_the_key_of_another_process_makes_no_second_chain(record: str) -> None:
    other = AuditRecorder(
        SystemClock(),
        AuditStore(
            SystemClock(),
            DatabaseExecutor(SystemClock(), alias=record, time_limit=60),
            Sealer(["new", "a secret of the tests"]),
        ),
    )
    mine = recorder_at(record)
    for each in (mine, other, mine):
        await each.begin(SERVER, ANNA, operation())
    found = await in_thread(entries, record)
    assert [each.previous for each in found[1:]] == [each.hash for each in found[:-1]]
