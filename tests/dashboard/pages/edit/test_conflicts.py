"""Tests of concurrent writes while an editor is open: merged, asked or recreated, and never overwritten unseen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

from informerd.errors import Unreachable
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import Json, mydemo
from tests.support.edit.no_script_browser import Browser, Page, reviewed
from tests.support.edit.workloads_and_budgets import workload


async def test_a_change_that_overlaps_is_asked_field_by_field_and_overwrites_nothing(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090  # mine")
    cluster.patch(one, {"spec": {"port": 7777, "ip": "10.0.0.7"}})
    page = await browser.press(page, "save")
    assert page.status == 409
    assert cluster.get(one)["spec"]["port"] == 7777
    for word in ("8080", "7777", "9090", "10.0.0.7"):
        assert word in page.text
    assert "port: 9090  # mine" in page.yaml
    (question,) = page.form.radios
    assert page.form.radios[question] == ["theirs", "mine"]

    again = await browser.press(page, "review")
    assert again.status == 409
    assert cluster.get(one)["spec"]["port"] == 7777

    page = await browser.send(page.form.action, {**page.form.values, question: "mine", "review": ""})
    assert "Save the merge" in page.text
    assert cluster.get(one)["spec"]["port"] == 7777
    assert (await browser.press(page, "edit")).yaml.count("port: 9090  # mine") == 1
    saved = await browser.press(page, "save")
    assert saved.status == 302
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.7", "port": 9090}


async def test_in_a_list_with_merge_keys_only_the_field_that_both_changed_is_asked_and_told_apart_from_the_rest(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    made = workload("one")
    two = [{"name": "web", "image": "web:1"}, {"name": "log", "image": "log:1"}]
    made["spec"]["template"] = {**made["spec"]["template"], "spec": {"containers": two}}
    cluster.create(deployments, made)
    page = await browser.open(f"/resources/deployments.apps/{namespace}/one/edit/")
    text = page.yaml.replace("web:1", "web:2 # mine")
    theirs = [
        {"name": "first", "image": "first:1"},
        {"name": "web", "image": "web:3"},
        {"name": "log", "image": "log:4"},
    ]
    cluster.patch(f"{deployments}/one", {"spec": {"template": {"spec": {"containers": theirs}}}}, "strategic")
    page = await browser.press(page, "review", yaml=text)
    assert page.status == 409
    (question,) = page.form.radios
    assert "You both changed spec.template.spec.containers[name=web].image :" in page.text
    taken = page.text.partition("Theirs, merged without a conflict")[2].partition("Yours, kept")[0]
    assert "log:4" in taken
    assert "first:1" in taken
    assert "web:3" not in taken
    assert "Nothing else." in page.text.partition("Yours, kept without a conflict")[2]
    page = await browser.send(page.form.action, {**page.form.values, question: "mine", "review": ""})
    assert "web:2 # mine" in page.yaml
    assert (await browser.press(page, "save")).status == 302
    images = [each["image"] for each in containers(cluster.get(f"{deployments}/one"))]
    assert images == ["first:1", "web:2", "log:4"]


def containers(deployment: Json) -> list[Json]:
    found: list[Json] = deployment["spec"]["template"]["spec"]["containers"]
    return found


async def test_theirs_may_be_chosen_too(browser: Browser, cluster: ControlPlane, one: str, path: str) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.patch(one, {"spec": {"port": 7777}})
    page = await browser.press(page, "save")
    (question,) = page.form.radios
    page = await browser.send(page.form.action, {**page.form.values, question: "theirs", "review": ""})
    assert "Nothing would change" in page.text
    assert cluster.get(one)["spec"]["port"] == 7777


async def test_an_answer_does_not_count_for_a_change_that_came_after_it_was_shown(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.patch(one, {"spec": {"port": 7777}})
    page = await browser.press(page, "save")
    (question,) = page.form.radios
    cluster.patch(one, {"spec": {"port": 6666}})
    page = await browser.send(page.form.action, {**page.form.values, question: "mine", "review": ""})
    assert page.status == 409
    assert "6666" in page.text
    assert page.form.radios
    assert cluster.get(one)["spec"]["port"] == 6666


async def test_what_does_not_overlap_is_merged_and_shown_before_it_is_saved(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.patch(one, {"spec": {"ip": "10.0.0.2"}})
    page = await browser.press(page, "save")
    assert page.status == 409
    assert "Save the merge" in page.text
    assert "10.0.0.2" in page.text
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.2", "port": 8080}
    cluster.patch(one, {"metadata": {"labels": {"late": "yes"}}})
    page = await browser.press(page, "save")
    assert page.status == 409
    saved = await browser.press(page, "save")
    assert saved.status == 302
    stored = cluster.get(one)
    assert stored["spec"] == {"ip": "10.0.0.2", "port": 9090}
    assert stored["metadata"]["labels"] == {"team": "a", "late": "yes"}


async def test_a_change_of_status_alone_is_no_conflict(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.patch(f"{one}/status", {"status": {"phase": "Ready"}})
    saved = await browser.press(page, "save")
    assert saved.status == 302
    stored = cluster.get(one)
    assert (stored["spec"]["port"], stored["status"]) == (9090, {"phase": "Ready"})


async def test_others_changes_can_be_taken_in_while_editing(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("port: 8080", "port: 9090  # mine")
    cluster.patch(one, {"spec": {"ip": "10.0.0.3"}})
    page = await browser.press(page, "take", yaml=text)
    assert page.status == 200
    assert "ip: 10.0.0.3\n  port: 9090  # mine" in page.yaml
    page = await browser.press(page, "review")
    assert "spec.port 8080 → 9090" in page.text
    assert (await browser.press(page, "save")).status == 302
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.3", "port": 9090}


async def test_an_object_that_was_deleted_is_made_again_only_if_asked(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    before = cluster.get(one)["metadata"]["uid"]
    cluster.delete(one)
    page = await browser.press(page, "save")
    assert page.status == 409
    assert "Somebody deleted this Mydemo" in page.text
    assert "port: 9090" in page.yaml
    assert not cluster.exists(one)
    page = await browser.press(page, "recreate")
    assert not cluster.exists(one)
    assert (await browser.press(page, "create")).status == 302
    made = cluster.get(one)
    assert made["spec"]["port"] == 9090
    assert made["metadata"]["uid"] != before


async def test_an_object_that_was_made_anew_under_the_name_is_not_written_to(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.delete(one)
    cluster.create(collection, mydemo("one", port=1))
    page = await browser.press(page, "save")
    assert page.status == 409
    assert "another one was created under its name" in page.text
    assert "port: 9090" in page.yaml
    assert cluster.get(one)["spec"]["port"] == 1
    page = await browser.press(page, "adopt")
    page = await browser.press(page, "review")
    assert "spec.port 1 → 9090" in page.text
    assert cluster.get(one)["spec"]["port"] == 1


async def test_making_again_stops_at_an_object_that_came_meanwhile(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.delete(one)
    page = await browser.press(await browser.press(page, "save"), "recreate")
    cluster.create(collection, mydemo("one", port=1))
    page = await browser.press(page, "create")
    assert page.status == 409
    assert cluster.get(one)["spec"]["port"] == 1


async def replaced(browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str) -> Page:
    """The page that says that another object has the name now, with a text whose port is 9090."""
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.delete(one)
    cluster.create(collection, mydemo("one", port=1))
    page = await browser.press(page, "save")
    assert "adopt" in page.form.buttons
    return page


async def test_going_on_with_a_new_object_that_is_gone_too_keeps_the_text(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    page = await replaced(browser, cluster, collection, one, path)
    cluster.delete(one)
    page = await browser.press(page, "adopt")
    assert page.status == 409
    assert "Somebody deleted this Mydemo" in page.text
    assert "port: 9090" in page.yaml
    page = await browser.press(page, "recreate")
    assert (await browser.press(page, "create")).status == 302
    assert cluster.get(one)["spec"]["port"] == 9090


async def test_going_on_while_the_api_server_is_away_keeps_the_text(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str, parts: SimpleNamespace
) -> None:
    page = await replaced(browser, cluster, collection, one, path)
    parts.client.request, request = AsyncMock(side_effect=Unreachable("connection refused")), parts.client.request
    page = await browser.press(page, "adopt")
    assert page.status == 503
    assert "connection refused" in page.text
    assert "port: 9090" in page.yaml
    parts.client.request = request
    page = await browser.press(page, "review")
    assert "another one was created under its name" in page.text
    assert "port: 9090" in page.yaml


async def test_going_on_with_a_new_object_whose_version_is_served_no_more_does_not_call_it_deleted(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str, parts: SimpleNamespace
) -> None:
    page, request = await replaced(browser, cluster, collection, one, path), parts.client.request

    async def served_no_more(method: str, where: str, **options: Any) -> Any:
        return await request(method, where.replace("/v1/", "/v9/"), **options)

    parts.client.request = served_no_more
    page = await browser.press(page, "adopt")
    assert page.status == 404
    assert "does not serve Mydemo in the version" in page.text
    assert "deleted" not in page.text
    assert "port: 9090" in page.yaml
    parts.client.request = request
    assert "spec.port 1 → 9090" in (await browser.press(await browser.press(page, "adopt"), "review")).text
