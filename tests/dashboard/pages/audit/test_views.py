"""Tests of the audit log's page: filters, pages, downloads, and the cut by what the reader may see."""

from __future__ import annotations

import csv
import io
import json
import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.access.person import Person
from dashboard.access.rights import Rights, Rule
from dashboard.pages.audit import query
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
from dashboard.pages.audit.recorder import AuditRecorder
from tests.dashboard.pages.audit.conftest import SEALER, in_thread, recorder_at
from tests.dashboard.pages.drains.conftest import empty_database
from tests.support.pages.site_without_cluster import CLUSTER, Site
from tests.support.pages.small_site import page, small_site, words

__all__ = ["empty_database"]

DAY = 24 * 3600.0
NO_CHANGES = Changes()


class Reader:
    """A site whose record the test writes."""

    def __init__(self, alias: str) -> None:
        self.alias = alias
        self.site: Site = small_site()
        self.parts = cast("Any", self.site.parts)
        self.parts.audit = recorder_at(alias)
        self.now = self.site.clock.time()

    async def write(
        self,
        name: str,
        person: str = "anna",
        *,
        verb: str = "update",
        kind: str = "pods",
        namespace: str = "shop",
        ago: float = 10.0,
        outcome: str = "done",
        server: str = CLUSTER.server,
        changes: Changes = NO_CHANGES,
        **more: Any,
    ) -> None:
        """One request, `ago` seconds before now."""
        asked = Operation(verb, kind, namespace, name, uid=f"uid-{name}", changes=changes)
        actor, key, at = Actor(Person(person), "r", more.get("run", "")), new_record(), self.now - ago
        found = [intent_entry(key, at, server, actor, asked)]
        if outcome != "open":
            result = Outcome(outcome, more.get("code", 200), uid=more.get("uid", ""), version=more.get("version", ""))  # type: ignore[arg-type]
            found.append(outcome_entry(key, at, server, actor, asked, result))
        await in_thread(append_entries, self.alias, SEALER, found)

    async def names(self, filters: str = "") -> list[str]:
        """Names of the objects that the page shows, newest first."""
        return listed(await page(self.site, f"/audit/?{filters}"))


def listed(html: str) -> list[str]:
    return [part.partition('"')[0] for part in html.split('data-name="')[1:]]


@pytest.fixture
async def reader(record: str) -> Reader:
    return Reader(record)


@pytest.fixture
async def written(reader: Reader) -> Reader:
    change = Changes((FieldValue("spec.replicas", 3, 5), FieldValue("spec.note", "it's <b>", None)), 2)
    await reader.write("old", ago=9 * DAY)
    await reader.write("web", "bob", verb="patch", kind="deployments.apps", changes=change, run="run-1")
    await reader.write("db", verb="delete", namespace="search", outcome="refused", code=403)
    await reader.write("lost", outcome="open")
    await reader.write("elsewhere", server="https://other.example")
    return reader


async def test_the_newest_come_first_and_only_those_of_this_cluster(written: Reader) -> None:
    html = await page(written.site, "/audit/")
    assert listed(html) == ["lost", "db", "web", "old"]
    assert 'data-person="bob" data-verb="patch" data-resource="deployments.apps" data-namespace="shop"' in html
    assert "not known whether it was done" in words(html)
    assert "Who did what 4" in words(html)


async def test_an_entry_opens_to_what_was_and_what_is(written: Reader) -> None:
    html = await page(written.site, "/audit/?name=web")
    assert "<del>3</del>" in html
    assert "<ins>5</ins>" in html
    assert "<del>it&#x27;s &lt;b&gt;</del>" in html
    assert "At least 2 more fields changed" in words(html)
    assert 'href="/audit/?uid=uid-web"' in html
    assert 'href="/audit/?run=run-1"' in html
    assert 'href="/resources/deployments.apps/shop/web/"' in html


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ("person=BOB", ["web"]),
        ("verb=delete,patch", ["db", "web"]),
        ("kind=deployments", ["web"]),
        ("kind=deployments.apps", ["web"]),
        ("kind=deploy", []),
        ("namespace=search", ["db"]),
        ("name=l", ["lost", "old"]),
        ("outcome=refused", ["db"]),
        ("outcome=open", ["lost"]),
        ("outcome=done&person=anna", ["old"]),
        ("since=7d", ["lost", "db", "web"]),
        ("until=7d", ["old"]),
        ("q=spec.replicas", ["web"]),
        ("q=it%27s", ["web"]),
        ("uid=uid-db", ["db"]),
        ("run=run-1", ["web"]),
    ],
)
async def test_a_filter_shows_what_matches(written: Reader, filters: str, found: list[str]) -> None:
    html = await page(written.site, f"/audit/?{filters}")
    assert listed(html) == found
    assert f"Who did what {len(found)}" in words(html)


@pytest.mark.parametrize("filters", ["since=yesterday", "until=2026-99-01", "outcome=maybe"])
async def test_a_filter_that_cannot_be_read_is_said_and_shows_nothing(written: Reader, filters: str) -> None:
    html = await page(written.site, f"/audit/?{filters}", 400)
    assert listed(html) == []
    assert "is not a" in words(html)
    assert filters.partition("=")[2] in html
    response = await written.site.client.get(f"/audit/export.csv?{filters}")
    assert response.status_code == 400


async def test_a_creation_is_found_by_the_uid_that_only_its_answer_has(reader: Reader) -> None:
    await reader.write("made", verb="create", uid="given")
    assert await reader.names("uid=given") == ["made"]


async def test_older_ones_are_on_further_pages(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "PAGE_SIZE", 2)
    for number in range(5):
        await reader.write(f"n{number}")
    found, address = [], "/audit/?person=anna"
    while address:
        html = await page(reader.site, address)
        found.append(listed(html))
        older = html.partition('rel="next" href="')[2].partition('"')[0]
        address = older.replace("&amp;", "&")
    assert found == [["n4", "n3"], ["n2", "n1"], ["n0"]]


async def test_the_page_after_a_record_that_was_deleted_is_empty_and_leads_to_the_newest(reader: Reader) -> None:
    await reader.write("web")
    html = await page(reader.site, f"/audit/?before={new_record()}")
    assert listed(html) == []
    assert ">Newest<" in html


@pytest.mark.slow
async def test_entries_of_objects_that_the_reader_may_not_see_are_in_no_byte_and_no_total(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "PAGE_SIZE", 3)
    monkeypatch.setattr(query, "CHUNK", 2)
    for number in range(6):
        await reader.write(f"visible-{number}")
        await reader.write(f"hidden-{number}", "secretive", namespace="vault")
        await reader.write(f"hidden-by-name-{number}")
    names = frozenset(f"visible-{number}" for number in range(6))
    rule = Rule(frozenset({"get"}), frozenset({""}), frozenset({"pods"}), names)
    reader.parts.rights = Rights([], {"shop": [rule]})
    first = await page(reader.site, "/audit/")
    older = first.partition('rel="next" href="')[2].partition('"')[0]
    second = await page(reader.site, older)
    assert listed(first) == ["visible-5", "visible-4", "visible-3"]
    assert listed(second) == ["visible-2", "visible-1", "visible-0"]
    for html in (first, second):
        assert "Who did what 6" in words(html)
    assert re.fullmatch(r"/audit/\?before=[0-9a-f]{16,}", older), "a position would tell how many entries are between"
    assert '"seq"' not in await download(reader, "/audit/export.jsonl")
    for address in (
        "/audit/export.csv",
        "/audit/export.jsonl",
        "/audit/",
        "/audit/?namespace=vault",
        "/audit/?q=hidden",
    ):
        text = await download(reader, address)
        assert "hidden-" not in text
        assert "secretive" not in text
    assert "Who did what 0" in words(await page(reader.site, "/audit/?namespace=vault"))


async def download(reader: Reader, address: str) -> str:
    response: Any = await reader.site.client.get(address)
    assert response.status_code == 200
    if not response.streaming:
        return str(response.content.decode())
    return b"".join([part async for part in response.streaming_content]).decode()


async def test_a_download_has_the_same_records(written: Reader) -> None:
    rows = list(csv.DictReader(io.StringIO(await download(written, "/audit/export.csv?since=7d"))))
    assert [(row["name"], row["outcome"]) for row in rows] == [
        ("lost", "not known"), ("db", "refused"), ("web", "done")
    ]  # fmt: skip
    assert json.loads(rows[2]["changes"])[0] == {"path": "spec.replicas", "was": 3, "now": 5}
    lines = [json.loads(line) for line in (await download(written, "/audit/export.jsonl?name=web")).splitlines()]
    assert [(line["name"], line["outcome"]["outcome"]) for line in lines] == [("web", "done")]


async def test_no_spreadsheet_takes_a_cell_for_a_formula(reader: Reader) -> None:
    await reader.write("=cmd|' /C calc'!A0", person="@anna")
    row = next(csv.DictReader(io.StringIO(await download(reader, "/audit/export.csv"))))
    assert (row["name"], row["person"]) == ("'=cmd|' /C calc'!A0", "'@anna")


async def test_pages_of_other_sites_get_no_file(reader: Reader) -> None:
    response = await reader.site.client.get("/audit/export.csv", headers={"Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 403


async def test_the_page_says_where_no_record_is_kept() -> None:
    site = small_site()
    assert "Set DELTABOARD_AUDIT=on" in words(await page(site, "/audit/"))
    assert (await site.client.get("/audit/export.csv")).status_code == 404


async def test_the_page_says_that_the_database_cannot_be_used(empty_database: str) -> None:
    reader = Reader(empty_database)
    html = await page(reader.site, "/audit/", 503)
    assert "The audit log cannot be read now" in words(html)


async def test_an_object_links_to_who_changed_it_where_the_record_is_kept(settings: SimpleNamespace) -> None:
    site = small_site()
    assert "/audit/" not in await page(site, "/resources/pods/shop/web-1/")
    settings.DELTABOARD_AUDIT = "on"
    html = await page(site, "/resources/pods/shop/web-1/")
    uid = html.partition('data-uid="')[2].partition('"')[0]
    assert uid
    assert f'href="/audit/?uid={uid}"' in html
    assert 'href="/audit/"' in html
    assert "/audit/" in await page(site, "/search/?q=who")


async def test_a_requeue_is_recorded(reader: Reader) -> None:
    response = await reader.site.client.post("/controllers/requeue/", {"item": "crddemo/default/alpha"})
    assert response.status_code == 503
    html = await page(reader.site, "/audit/")
    assert 'data-verb="requeue" data-resource="controllers.deltaboard" data-namespace="default"' in html
    assert listed(html) == ["crddemo/default/alpha"]
    assert "refused" in words(html)


def test_a_recorder_without_a_store_is_off(reader: Reader) -> None:
    assert reader.parts.audit.is_on
    assert not AuditRecorder(reader.site.clock).is_on


async def test_changes_of_objects_lead_to_their_undo_where_history_is_kept(reader: Reader) -> None:
    await reader.write("web", version="7")
    await reader.write("gone", verb="delete")
    await reader.write("old")
    assert "?undo=" not in await page(reader.site, "/audit/")
    reader.parts.history = object()
    html = await page(reader.site, "/audit/")
    assert re.findall(r'href="([^"]*[?]undo=[^"]*)"', html) == ["/resources/pods/shop/web/edit/?undo=7"]
