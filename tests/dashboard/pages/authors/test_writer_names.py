"""Tests of the names of concurrent writers on edit pages, over the run's real API server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from dashboard.access.person import PERSON_KEY, Person
from dashboard.objects.manifests.yaml_writer import to_yaml
from informerd.rest.discovery import Discovery
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser, Page, WiredClient, reviewed
from tests.support.edit.workloads_and_budgets import workload


class SignedIn(WiredClient):
    """Comes through a proxy that signs `user` in."""

    def __init__(self, parts: SimpleNamespace, user: str) -> None:
        super().__init__(parts, check_csrf=False)
        self._user = user

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        return {**super()._base_scope(**request), PERSON_KEY: Person(self._user)}


def signed_in(parts: SimpleNamespace, user: str) -> Browser:
    browser = Browser(parts)
    browser.client = SignedIn(parts, user)
    return browser


async def told(browser: Browser, path: str, page: Page) -> str:
    """What an open editor is told of others."""
    answer = await browser.client.post(f"{path}edit/check/", {**page.form.values, "look": "1"})
    return str(answer.json()["theirs"])


async def test_a_conflict_names_the_colleague_who_saved_through_here(
    parts: SimpleNamespace, cluster: ControlPlane, one: str, path: str
) -> None:
    anna, ben = signed_in(parts, "anna"), signed_in(parts, "ben")
    page = await reviewed(ben, path, "port: 8080", "port: 9090")
    theirs = await reviewed(anna, path, "port: 8080", "port: 7777")
    assert (await anna.press(theirs, "save")).status == 302
    checked = await told(ben, path, page)
    assert "<b>anna</b> changed" in checked
    conflict = await ben.press(page, "save")
    assert conflict.status == 409
    assert "anna changed this object while you edited it" in conflict.text
    cluster.patch(one, {"spec": {"port": 5555}})  # of somebody who does not come through here the manager is told
    assert "anna" not in (await ben.press(conflict, "review")).text


async def test_what_one_did_oneself_in_another_window_is_said_to_be_ones_own(
    browser: Browser, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    other = await reviewed(browser, path, "ip: 10.0.0.1", "ip: 10.0.0.2")
    assert (await browser.press(other, "save")).status == 302
    assert "You (in another window) changed this object" in (await browser.press(page, "save")).text


async def test_whose_scaling_it_was_is_told_where_somebody_else_scales(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/deployments", workload("web"))
    scale = f"/resources/deployments.apps/{namespace}/web/do/scale/"
    anna, ben = signed_in(parts, "anna"), signed_in(parts, "ben")
    page = await ben.open(scale)
    assert (await anna.press(await anna.open(scale), "do", wanted="5")).status in (200, 302)
    moved = await ben.press(page, "do", wanted="7")
    assert "anna changed spec.replicas meanwhile" in moved.text


async def test_who_deleted_it_is_named_beside_the_text_that_is_kept(
    parts: SimpleNamespace, one: str, path: str
) -> None:
    anna, ben = signed_in(parts, "anna"), signed_in(parts, "ben")
    page = await reviewed(ben, path, "port: 8080", "port: 9090")
    await anna.press(await anna.open(f"{path}delete/"), "delete")
    checked = await told(ben, path, page)
    assert "<b>anna</b> deleted this Mydemo" in checked
    gone = await ben.press(page, "save")
    assert "anna deleted this Mydemo while you edited it" in gone.text


async def test_who_changed_or_made_it_by_a_text_of_several_objects_is_named(
    parts: SimpleNamespace, cluster: ControlPlane, one: str, path: str, namespace: str
) -> None:
    parts.discovery = Discovery(parts.client)
    anna, ben = signed_in(parts, "anna"), signed_in(parts, "ben")
    page = await reviewed(ben, path, "port: 8080", "port: 9090")
    text = to_yaml({**mydemo("one"), "metadata": {"name": "one"}, "spec": {"ip": "10.0.0.1", "port": 7777}})
    review = await anna.press(await anna.open(f"/new/?namespace={namespace}"), "review", yaml=text)
    results = await anna.press(review, "apply")
    assert cluster.get(one)["spec"]["port"] == 7777, results.text
    assert "anna changed this object" in (await ben.press(page, "save")).text


async def test_a_save_that_changes_nothing_takes_no_name_away(
    parts: SimpleNamespace, cluster: ControlPlane, one: str, path: str
) -> None:
    anna, ben, cid = (signed_in(parts, name) for name in ("anna", "ben", "cid"))
    page = await reviewed(ben, path, "port: 8080", "port: 9090")
    assert (await anna.press(await reviewed(anna, path, "port: 8080", "port: 7777"), "save")).status == 302
    same = await reviewed(cid, path, "port: 7777", "port: 7777  # the same")
    assert (await cid.press(same, "save")).status == 302
    assert "anna changed this object" in (await ben.press(page, "save")).text
