"""Tests of the status, edited on its own address and written to its subresource, apart from the spec."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.objects.manifests.document import parse
from dashboard.pages.writes.editable_part import Base, editable_part, update_body
from informerd.rest.discovery import Discovery
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser

Json = dict[str, Any]


@pytest.fixture
def path(namespace: str) -> str:
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/"


@pytest.fixture
def one(cluster: ControlPlane, collection: str) -> str:
    """Mydemo ``one`` with a status: its path in the API server."""
    made = cluster.create(collection, mydemo("one"))
    with_status(cluster, f"{collection}/one", made, {"phase": "Pending"})
    return f"{collection}/one"


def with_status(cluster: ControlPlane, place: str, value: Json, status: Json) -> Json:
    answer: Json = cluster.replace(f"{place}/status", {**value, "status": status})
    return answer


async def test_a_status_is_edited_by_itself_and_written_to_its_subresource(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    before = cluster.get(one)
    assert f"{path}edit/status/" in (await browser.open(f"{path}edit/")).body
    page = await browser.open(f"{path}edit/status/")
    assert set(parse(page.yaml).value) == {"apiVersion", "kind", "metadata", "status"}
    assert page.form.values["field.status.phase"] == "Pending"
    assert "--subresource=status" in page.text
    page = await browser.press(page, "review", yaml=page.yaml.replace("Pending", "Ready"))
    assert "overwrites it at its next reconcile" in page.text
    assert (await browser.press(page, "save")).status == 302
    after = cluster.get(one)
    assert after["status"] == {"phase": "Ready"}
    assert (after["spec"], after["metadata"]["generation"]) == (before["spec"], before["metadata"]["generation"])


async def test_what_others_did_to_the_spec_meanwhile_is_no_conflict_and_to_the_status_is_one(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/status/")
    theirs = cluster.get(one)
    theirs = cluster.replace(one, {**theirs, "spec": {**theirs["spec"], "port": 9090}})
    page = await browser.press(page, "review", yaml=page.yaml.replace("Pending", "Ready"))
    assert page.status == 200
    with_status(cluster, one, theirs, {"phase": "Failed"})
    page = await browser.press(page, "save")
    assert page.status == 409
    assert "status.phase" in page.text
    assert cluster.get(one)["status"] == {"phase": "Failed"}


async def test_drafts_of_a_status_are_apart_from_those_of_the_spec(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/status/")
    await browser.press(page, "edit", yaml=page.yaml.replace("Pending", "Typed"))
    assert "You have an unsaved draft here" not in (await browser.open(f"{path}edit/")).text
    assert "You have an unsaved draft here" in (await browser.open(f"{path}edit/status/")).text
    drafts = await browser.open("/drafts/")
    assert "the status of Mydemo" in drafts.text
    assert f"{path}edit/status/?draft=" in drafts.body


async def test_a_spec_in_the_text_of_a_status_is_said_and_not_sent(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/status/")
    page = await browser.press(page, "review", yaml=f"{page.yaml}spec:\n  port: 1\n")
    assert page.status == 422
    assert "Only the status is edited on this page" in page.text


async def test_kinds_without_a_status_say_so(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "one"}})
    parts.discovery = Discovery(parts.client)
    page = await browser.open(f"/resources/configmaps/{namespace}/one/edit/status/")
    assert page.status == 404
    assert "neither a status subresource" in page.text
    assert "edit/status/" not in (await browser.open(f"/resources/configmaps/{namespace}/one/edit/")).body


async def test_who_may_not_update_the_status_is_told_before_typing(
    bob: Browser, cluster: ControlPlane, one: str, path: str, namespace: str
) -> None:
    page = await bob.open(f"{path}edit/status/")
    assert page.status == 403
    assert "do not let Deltaboard's account update mydemos.crddemo.k8s.io/status" in page.text


def test_where_the_status_is_an_ordinary_field_all_else_is_written_as_it_is() -> None:
    live = {
        "apiVersion": "v1", "kind": "X", "spec": {"a": 1}, "status": {"b": 1},
        "metadata": {"name": "x", "uid": "u", "resourceVersion": "7", "labels": {"c": "d"}, "managedFields": [{}]},
    }  # fmt: skip
    base = Base.of(live, "status")
    assert base.value == {"apiVersion": "v1", "kind": "X", "metadata": {"name": "x"}, "status": {"b": 1}}
    sent = update_body({**base.value, "status": {"b": 2}}, live, "status")
    assert sent["spec"] == live["spec"]
    assert sent["metadata"] == {"name": "x", "uid": "u", "resourceVersion": "7", "labels": {"c": "d"}}
    assert editable_part(sent, "status")["status"] == {"b": 2}
