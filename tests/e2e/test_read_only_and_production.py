"""Tests of read-only mode and of production clusters in a real browser, with whole programs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from dashboard.runtime.read_only import READ_ONLY_REASON, READ_ONLY_TITLE
from informerd.rest.load_config import load_kubeconfig
from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos
from tests.support.edit.workloads_and_budgets import workload
from tools.axe import violations

pytestmark = pytest.mark.browser

DEMOS = "/resources/mydemos.crddemo.k8s.io"
NewDashboard = Callable[..., Dashboard]


def open_delete_page(page: Page, site: Dashboard, namespace: str) -> None:
    page.goto(f"{site.url}{DEMOS}/{namespace}/doomed/delete/")


def test_the_button_waits_for_the_typed_name(
    page: Page, new_dashboard: NewDashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("doomed"))
    site = new_dashboard(cluster.kubeconfig, DELTABOARD_PRODUCTION="on")
    open_delete_page(page, site, namespace)
    expect(page.locator("header .mode.production")).to_have_text("production")
    button = page.get_by_role("button", name="Delete this Mydemo")
    name = page.get_by_label("This cluster is production. To confirm, type the name of the Mydemo: doomed")
    expect(button).to_be_disabled()
    assert violations(page, part="main") == []
    name.press_sequentially("doome")
    expect(button).to_be_disabled()
    name.press("Enter")
    expect(page).to_have_url(f"{site.url}{DEMOS}/{namespace}/doomed/delete/")
    name.press_sequentially("d")
    expect(button).to_be_enabled()
    name.fill("")
    expect(button).to_be_disabled()
    name.focus()
    page.keyboard.insert_text(" doomed ")  # as it is pasted: one input event with all of it
    expect(button).to_be_enabled()
    page.get_by_label("Delete them first").check()  # the dry run is drawn again: what was typed stays
    expect(page.locator("#plan")).to_be_visible()
    expect(name).to_have_value(" doomed ")
    name.press("Enter")
    expect(page.locator("#progress")).to_contain_text("Its deletion was asked for")
    assert "deletionTimestamp" in cluster.get(mydemos(namespace, "doomed"))["metadata"]


@pytest.mark.long
def test_without_scripts_a_wrong_name_is_announced_and_focused(
    new_context: Callable[..., BrowserContext], new_dashboard: NewDashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("doomed"))
    marked = f"elsewhere, {load_kubeconfig(cluster.kubeconfig).name}"
    site = new_dashboard(cluster.kubeconfig, DELTABOARD_PRODUCTION=marked)
    page = new_context(java_script_enabled=False).new_page()
    open_delete_page(page, site, namespace)
    button, name = page.get_by_role("button", name="Delete this Mydemo"), page.locator("#typed-name")
    expect(button).to_be_enabled()
    name.fill("Doomed")
    button.click()
    expect(page.get_by_role("alert").filter(has_text="“Doomed” is not the name: type doomed.")).to_be_visible()
    expect(name).to_be_focused()
    expect(name).to_have_value("Doomed")
    expect(name).to_have_accessible_description("“Doomed” is not the name: type doomed. Nothing was sent.")
    assert cluster.exists(mydemos(namespace, "doomed"))
    name.fill("doomed")
    button.click()
    expect(page.locator("#progress")).to_contain_text("is deleted")


@pytest.mark.long
def test_a_quick_action_asks_in_its_dialog(
    page: Page, new_dashboard: NewDashboard, cluster: ControlPlane, namespace: str
) -> None:
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    cluster.create(deployments, {"apiVersion": "apps/v1", "kind": "Deployment", **workload("web", replicas=2)})
    site = new_dashboard(cluster.kubeconfig, DELTABOARD_PRODUCTION="on")
    page.goto(f"{site.url}/resources/deployments.apps/{namespace}/web/")
    page.locator("a[data-quick]", has_text="Scale").click()
    dialog = page.locator("dialog.quick-dialog")
    dialog.get_by_label("Replicas").fill("0")
    dialog.get_by_role("button", name="Scale").click()
    expect(dialog).to_contain_text("It stops all 2 replicas.")
    button = dialog.get_by_role("button", name="Scale")
    expect(button).to_be_disabled()
    dialog.get_by_label("I mean it").check()
    expect(button).to_be_disabled()
    dialog.get_by_label("This cluster is production").fill("web")
    expect(button).to_be_enabled()
    button.click()
    expect(dialog).to_contain_text("Scaled 2 → 0")
    assert cluster.get(f"{deployments}/web")["spec"]["replicas"] == 0


@pytest.mark.long
def test_a_read_only_site_offers_no_change_live_or_by_key(
    page: Page, new_dashboard: NewDashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("kept"))
    site = new_dashboard(cluster.kubeconfig, DELTABOARD_READ_ONLY="on")
    site.wait_until_live()
    page.goto(f"{site.url}{DEMOS}/?namespace={namespace}")
    badge = page.locator("#read-only")
    expect(badge).to_have_text("read-only")
    expect(badge).to_have_attribute("title", f"{READ_ONLY_TITLE}. {READ_ONLY_REASON}")
    assert violations(page, part="header.top") == []
    cluster.create(mydemos(namespace), mydemo("later"))  # its row comes over the websocket
    row = page.locator("tr[data-name=later]")
    expect(row).to_be_visible()
    expect(row.locator(".c-more")).to_be_hidden()
    row.hover()
    expect(page.locator("#row-actions, #cell-edit")).to_have_count(0)
    page.keyboard.press("j")
    hint = page.locator("#key-hint")
    for key, words in (
        ("e", "cannot be edited here"),
        ("d", "cannot be deleted here"),
        ("i", "This Deltaboard is read-only"),
        ("a", "There are no quick actions"),
    ):
        page.keyboard.press(key)
        expect(hint).to_contain_text(words)
    row.locator("td.c-name a").click()
    drawer = page.locator("#drawer")
    expect(drawer.get_by_role("link", name="YAML", exact=True)).to_be_visible()
    cluster.patch(mydemos(namespace, "later"), {"spec": {"port": 7777}})
    expect(drawer).to_contain_text("7777")
    expect(drawer.locator("a[data-key=e], a[data-key=d], a[data-quick]")).to_have_count(0)
    answer = page.goto(f"{site.url}{DEMOS}/{namespace}/later/edit/")
    assert answer is not None
    assert answer.status == 403
    expect(page.get_by_role("heading", name="This Deltaboard is read-only")).to_be_visible()
