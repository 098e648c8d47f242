"""Tests of Mydemos edited and deleted from the page, checked in the API server; no change is overwritten."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos

pytestmark = pytest.mark.browser


def edit(page: Page, dashboard: Dashboard, namespace: str, name: str) -> None:
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/{name}/edit/")


def replace_text(page: Page, old: str, new: str) -> None:
    text = page.locator("textarea[name=yaml]")
    value = text.input_value()
    assert old in value
    text.fill(value.replace(old, new))


def test_an_edit_is_reviewed_saved_and_seen_in_the_api(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("edited", port=8080))
    edit(page, dashboard, namespace, "edited")
    replace_text(page, "port: 8080", "port: 9090")
    page.locator("button[name=review]").first.click()
    expect(page.locator("main")).to_contain_text("9090")
    assert cluster.get(mydemos(namespace, "edited"))["spec"]["port"] == 8080, "a review writes nothing"
    page.locator("button[name=save]").first.click()
    expect(page).to_have_url(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/edited/")
    assert cluster.get(mydemos(namespace, "edited"))["spec"]["port"] == 9090
    expect(page.locator("main")).to_contain_text("9090")


def test_a_conflicting_edit_overwrites_nothing_and_keeps_the_text(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("contested", port=8080))
    edit(page, dashboard, namespace, "contested")
    replace_text(page, "port: 8080", "port: 9090")
    page.locator("button[name=review]").first.click()
    expect(page.locator("button[name=save]").first).to_be_visible()
    cluster.patch(mydemos(namespace, "contested"), {"spec": {"port": 7777}})
    page.locator("button[name=save]").first.click()
    main = page.locator("main")
    expect(main).to_contain_text("7777")
    expect(main).to_contain_text("9090")
    expect(main).to_contain_text("8080")
    assert cluster.get(mydemos(namespace, "contested"))["spec"]["port"] == 7777


def test_changes_that_do_not_overlap_are_merged_and_saved_after_a_look(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("shared", ip="10.0.0.1", port=8080))
    edit(page, dashboard, namespace, "shared")
    replace_text(page, "port: 8080", "port: 9090")
    page.locator("button[name=review]").first.click()
    expect(page.locator("button[name=save]").first).to_be_visible()
    cluster.patch(mydemos(namespace, "shared"), {"spec": {"ip": "10.0.0.2"}})
    page.locator("button[name=save]").first.click()
    expect(page.locator("main h1")).to_contain_text("Review the merge")
    expect(page.locator("main")).to_contain_text("10.0.0.2")
    assert cluster.get(mydemos(namespace, "shared"))["spec"] == {"ip": "10.0.0.2", "port": 8080}
    page.locator("button[name=save]").first.click()
    expect(page).to_have_url(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/shared/")
    assert cluster.get(mydemos(namespace, "shared"))["spec"] == {"ip": "10.0.0.2", "port": 9090}


def test_the_api_servers_words_stand_beside_the_field_they_name(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("strict"))
    edit(page, dashboard, namespace, "strict")
    replace_text(page, "port: 8080", "port: 70000")
    page.locator("button[name=review]").first.click()
    main = page.locator("main")
    expect(main).to_contain_text("spec.port")
    expect(main).to_contain_text("less than or equal to 65535")
    expect(page.locator("textarea[name=yaml]")).to_have_value(re.compile("port: 70000"))


def test_invalid_yaml_gets_line_and_column_and_keeps_the_text(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("broken"))
    edit(page, dashboard, namespace, "broken")
    replace_text(page, "port: 8080", 'port: "8080')
    page.locator("button[name=review]").first.click()
    expect(page.locator("main")).to_contain_text("line")
    expect(page.locator("main")).to_contain_text("column")
    expect(page.locator("textarea[name=yaml]")).to_have_value(re.compile('port: "8080'))


def test_delete_asks_first_shows_finalizers_and_deletes(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    held = mydemo("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.create(mydemos(namespace), held)
    url = f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/held/delete/"
    page.goto(url)
    expect(page.locator("main")).to_contain_text("example.com/hold")
    assert "deletionTimestamp" not in cluster.get(mydemos(namespace, "held"))["metadata"], "asking deletes nothing"
    page.locator("main form[method=post] button[type=submit]").last.click()
    page.wait_for_url("**/held/delete/?uid=*")
    expect(page.locator("main")).to_contain_text("example.com/hold")
    assert "deletionTimestamp" in cluster.get(mydemos(namespace, "held"))["metadata"]
    cluster.patch(mydemos(namespace, "held"), {"metadata": {"finalizers": None}})
    page.goto(f"{dashboard.url}/resources/mydemos/?namespace={namespace}")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    expect(page.locator("tbody tr[data-name='held']")).to_have_count(0)


def test_a_deleted_mydemo_leaves_an_open_list(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("doomed"))
    other = page.context.new_page()
    other.goto(f"{dashboard.url}/resources/mydemos/?namespace={namespace}")
    expect(other.locator("tbody tr[data-name='doomed']")).to_have_count(1)
    expect(other.locator("body")).to_have_attribute("data-live", "live")
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/doomed/delete/")
    page.locator("main form[method=post] button[type=submit]").last.click()
    expect(other.locator("tbody tr[data-name='doomed']")).to_have_count(0)
    assert not cluster.exists(mydemos(namespace, "doomed"))


def test_a_deletion_is_followed_until_it_is_gone_and_made_again(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    held = mydemo("going")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.create(mydemos(namespace), held)
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/going/delete/")
    page.locator("button[name=delete]").click()
    progress = page.locator("#progress")
    expect(progress).to_contain_text("Waiting for the finalizer example.com/hold")
    cluster.patch(mydemos(namespace, "going"), {"metadata": {"finalizers": None}})
    expect(progress).to_contain_text("The API server no longer has it")
    assert not cluster.exists(mydemos(namespace, "going"))
    page.locator("button[name=again]").click()
    expect(page.locator("main")).to_contain_text("is created again from its last state")
    assert cluster.exists(mydemos(namespace, "going"))
    cluster.patch(mydemos(namespace, "going"), {"metadata": {"finalizers": None}})


def test_the_choice_is_in_the_command_and_checked_by_a_dry_run_at_once(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("chosen"))
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/chosen/delete/")
    page.locator("input[value=Orphan]").check()
    expect(page.locator("#plan")).to_contain_text("--cascade=orphan")
    expect(page.locator("#plan")).to_contain_text("A dry run of this was just accepted")
    assert "deletionTimestamp" not in cluster.get(mydemos(namespace, "chosen"))["metadata"]
