"""Tests of a selection's requests: matching objects, remaining objects, and the selected ones as text and file."""

from __future__ import annotations

import csv
import io
import re
import shlex
from pathlib import Path

import pytest
from django.test import AsyncClient

from dashboard.live.index.index_store import IndexStore
from dashboard.pages.lists import selection_views
from informerd.cache.health import Health
from tests.dashboard.pages.lists.test_export import body
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import pod, small_site

SELECTED = "/resources/pods/selected/"


def uids(site: Site, *names: str) -> str:
    rows = site.feeder("pods").replica.rows.values()
    return ",".join(next(row.uid for row in rows if row.name == name) for name in names)


async def test_all_that_match_are_named_in_the_lists_order() -> None:
    site = Site(pod("web-1"), pod("db-1"), pod("web-2"))
    found = (await site.client.get("/resources/pods/matching/?q=web&sort=-name&page=7")).json()
    assert found == {"uids": uids(site, "web-2", "web-1").split(",")}


async def test_more_than_can_be_selected_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection_views, "MAX_SELECTED", 2)
    site = Site(*(pod(f"p-{number}") for number in range(3)))
    text, _ = await body(site, "/resources/pods/matching/", 400)
    assert text == "3 match, but at most 2 can be selected: narrow the filter."
    assert len((await site.client.get("/resources/pods/matching/?q=p-1")).json()["uids"]) == 1


async def test_what_is_refused_is_counted_and_not_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    async def collect(*_: object) -> None:
        raise AssertionError("rows are collected")

    monkeypatch.setattr(selection_views, "MAX_SELECTED", 2)
    monkeypatch.setattr(IndexStore, "all_rows", collect)
    site = Site(*(pod(f"p-{number}") for number in range(3)))
    await body(site, "/resources/pods/matching/", 400)


@pytest.mark.parametrize("path", [SELECTED, "/resources/pods/selected.csv"])
async def test_of_too_many_none_is_left_out_unsaid(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection_views, "MAX_SELECTED", 2)
    site = Site(*(pod(f"p-{number}") for number in range(3)))
    answer = await site.client.post(path, {"uid": uids(site, "p-0", "p-1", "p-2"), "words": "1"})
    said = "3 are selected, but the limit is 2: select fewer."
    assert (answer.status_code, answer.content.decode()) == (400, said)
    assert (await site.client.post(path, {"uid": uids(site, "p-0", "p-1", "p-1")})).status_code == 200


def test_the_browser_lets_as_many_be_selected() -> None:
    found = re.search(r"const MOST = ([\d_]+);", Path("static/js/list/selection.js").read_text())
    assert found
    assert int(found[1]) == selection_views.MAX_SELECTED


async def test_a_mistake_in_the_filter_selects_nothing() -> None:
    text, _ = await body(small_site(), "/resources/pods/matching/?q=restarts%3E", 400)
    assert "Write a number" in text


async def test_fields_by_path_that_have_no_room_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.index.index_store.MAX_VALUES", 1)
    site = Site(pod("web-1"), pod("web-2"))
    text, _ = await body(site, "/resources/pods/matching/?q=.spec.nodeName=a", 400)
    assert text.startswith(".spec.nodeName is left out: this server keeps")
    answer = await site.client.post("/resources/pods/selected.csv?sort=.spec.priority", {"uid": uids(site, "web-1")})
    assert answer.status_code == 200, "of the selected alone the field is read, and kept nowhere"
    results = site.parts.hub.index
    assert sum(each.path_columns.size for each in results._by_key.values()) == 0


async def test_what_was_deleted_is_named_and_nothing_else_is() -> None:
    site = Site(pod("web-1"), pod("web-2"))
    asked = uids(site, "web-1", "web-2")
    site.feeder("pods").drop(asked.split(",")[0])
    answer = await site.client.post(SELECTED, {"uid": f"{asked},,other"})
    assert answer.json() == {"gone": [asked.split(",")[0], "other"]}


@pytest.mark.parametrize("path", [SELECTED, "/resources/pods/selected.csv"])
@pytest.mark.parametrize("why", ["silent worker", "stale informer"])
async def test_what_a_stale_replica_does_not_know_is_not_called_deleted(path: str, why: str) -> None:
    site = Site(pod("web-1"))
    known = uids(site, "web-1")
    feeder = site.feeder("pods")
    if why == "silent worker":
        await site.clock.advance(60)
        feeder.replica.tick()
    else:
        feeder.beat(Health(state="stale", since=site.clock.time()))
    assert not feeder.replica.is_live
    answer = await site.client.post(path, {"uid": f"{known},new", "words": "1"})
    assert (answer.status_code, "not up to date" in answer.content.decode()) == (503, True)
    assert (await site.client.post(path, {"uid": known, "words": "1"})).status_code == 200, "all are known"


async def test_names_and_a_command_a_namespace_quoted_for_a_shell() -> None:
    site = Site(pod("web-2"), pod("a'b"), pod("web-1", namespace="other"))
    found = (await site.client.post(SELECTED, {"uid": uids(site, "web-2", "web-1", "a'b"), "words": "1"})).json()
    assert found["names"].splitlines() == ["other/web-1", "shop/a'b", "shop/web-2"]
    assert [shlex.split(line) for line in found["command"].splitlines()] == [
        ["kubectl", "get", "pods", "web-1", "-n", "other"],
        ["kubectl", "get", "pods", "a'b", "web-2", "-n", "shop"],
    ]


async def test_the_selected_as_a_file_have_the_lists_columns_and_order() -> None:
    site = Site(pod("web-1"), pod("web-2"), pod("web-3"))
    answer = await site.client.post(
        "/resources/pods/selected.csv?sort=-name&columns=name&q=nothing", {"uid": uids(site, "web-1", "web-3")}
    )
    assert "pods-selected.csv" in answer["Content-Disposition"]
    text = b"".join([piece async for piece in answer]).decode()  # type: ignore[attr-defined]
    assert [*csv.reader(io.StringIO(text))] == [["Name"], ["web-3"], ["web-1"]]


async def test_only_the_selected_are_sorted_and_by_a_field_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def collect(*_: object) -> None:
        raise AssertionError("all rows of the kind are sorted")

    monkeypatch.setattr(IndexStore, "all_rows", collect)
    monkeypatch.setattr(selection_views, "SORT_BATCH", 2)
    site = Site(*(pod(f"p-{number}") for number in range(5)))
    for sort in ("-name", "-.metadata.name"):
        answer = await site.client.post(
            f"/resources/pods/selected.csv?sort={sort}&columns=name",
            {"uid": uids(site, "p-0", "p-3", "p-1", "p-4")},
        )
        text = b"".join([piece async for piece in answer]).decode()  # type: ignore[attr-defined]
        assert text.split() == ["Name", "p-4", "p-3", "p-1", "p-0"], sort


async def test_while_pods_are_being_read_nothing_is_called_deleted() -> None:
    site = Site(silent=("pods",))
    answer = await site.client.post(SELECTED, {"uid": "a"})
    assert (answer.status_code, "not been read yet" in answer.content.decode()) == (503, True)


async def test_questions_that_bring_uids_need_the_pages_token() -> None:
    site = small_site()
    strict = type(site.client)(site.parts)
    strict.handler.enforce_csrf_checks = True
    assert isinstance(strict, AsyncClient)
    assert (await strict.post(SELECTED, {"uid": "a"})).status_code == 403
    assert (await strict.get(SELECTED)).status_code == 405
