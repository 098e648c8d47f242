"""Tests of quick actions, drains included, in a browser, with scripts and without, checked in the API server."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.dashboard.pages.drains.conftest import Node
from tests.dashboard.pages.edit.test_editor_conflicts_browser import is_writable, unreachable_webhook, wait_for
from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos
from tests.support.edit.workloads_and_budgets import hold, workload
from tests.support.wait import until

pytestmark = pytest.mark.browser


def open_list(page: Page, dashboard: Dashboard, namespace: str) -> None:
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/?namespace={namespace}")
    expect(page.locator("body")).to_have_attribute("data-live", "live")


@pytest.mark.long
def test_a_cell_is_edited_in_place_and_a_racing_writer_is_shown(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("inplace", port=8080))
    open_list(page, dashboard, namespace)
    cell = page.locator("tr[data-name='inplace'] td[data-field='.spec.port']")
    cell.hover()
    page.locator("#cell-edit").click()
    box = page.locator("dialog.quick-dialog")
    expect(box.locator("input[name=wanted]")).to_be_focused()
    cluster.patch(mydemos(namespace, "inplace"), {"spec": {"port": 7777}})
    box.locator("input[name=wanted]").fill("9090")
    page.keyboard.press("Enter")
    expect(box).to_contain_text("it is 7777 now")
    expect(box.locator("input[name=wanted]")).to_have_value("9090")
    assert cluster.get(mydemos(namespace, "inplace"))["spec"]["port"] == 7777
    box.locator("button[name=do]").click()
    expect(box).to_contain_text("7777 → 9090")
    expect(cell).to_have_text("9090")
    expect(box.locator("[data-quick-close]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(box).to_be_hidden()
    assert page.url.endswith(f"?namespace={namespace}")


@pytest.mark.long
def test_what_the_account_may_not_do_with_a_row_says_why_in_its_menu_and_in_its_cell(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/deployments", workload("held"))
    cluster.create(mydemos(namespace), mydemo("held"))
    may_not = {"do/restart/": "No restarts.", "do/field/": "No edits."}
    page.route("**/may/", lambda route: route.fulfill(json={"denied": may_not, "titles": {}}))
    page.goto(f"{dashboard.url}/resources/deployments.apps/?namespace={namespace}")
    page.locator("tr[data-name='held'] td.c-name").hover()
    page.locator("#row-actions").click()
    menu = page.locator("#row-menu")
    expect(menu.locator("[data-row-denied]")).to_have_text(
        "The cluster's access rules do not allow: Restart the rollout."
    )
    expect(menu.locator("a[aria-disabled]")).to_have_attribute("title", "No restarts.")
    menu.locator("a[aria-disabled]").click(force=True)
    expect(menu).to_be_visible()
    expect(page.locator("dialog.quick-dialog")).to_be_hidden()
    menu.get_by_role("link", name="Scale").click()
    expect(page.locator("dialog.quick-dialog")).to_contain_text("Scale")
    open_list(page, dashboard, namespace)
    page.locator("tr[data-name='held'] td[data-field='.spec.port']").hover()
    expect(page.locator("#cell-edit")).to_be_disabled()
    expect(page.locator("#cell-edit")).to_have_attribute("title", "No edits.")


@pytest.mark.long
@pytest.mark.parametrize("width", [390, 820])
def test_a_finger_reaches_the_menu_of_a_row_which_names_what_applies(
    new_context: Callable[..., BrowserContext], dashboard: Dashboard, cluster: ControlPlane, namespace: str, width: int
) -> None:
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/deployments", workload("held", paused=True))
    cluster.create(mydemos(namespace), mydemo("held"))
    page = new_context(is_mobile=True, has_touch=True).new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{dashboard.url}/resources/deployments.apps/?namespace={namespace}")
    button, menu = page.get_by_role("button", name="Actions of held"), page.locator("#row-menu")
    expect(button).to_be_in_viewport(ratio=1)
    box = button.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 44
    button.tap()
    expect(menu.get_by_role("link")).to_have_text(
        ["Scale", "Restart the rollout", "Resume the rollout", "Edit", "Delete"]
    )
    menu.get_by_role("link", name="Resume").tap()
    expect(page.locator("dialog.quick-dialog h1")).to_have_text(f"Resume the rollout {namespace}/held")
    open_list(page, dashboard, namespace)
    button.tap()
    expect(menu.get_by_role("link")).to_have_text(["Edit IP", "Edit Port", "Edit", "Delete"])
    menu.get_by_role("link", name="Edit Port").tap()
    expect(page.locator("dialog.quick-dialog input[name=wanted]")).to_have_value("8080")
    expect(page.locator(".keys-hint")).to_be_hidden()


@pytest.mark.long
def test_what_the_api_server_fails_over_counts_down_in_the_dialog_and_is_sent_again(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("busy", port=8080))
    open_list(page, dashboard, namespace)
    waits = iter(["60"])
    page.route("**/do/field/**", lambda route: wait_for(route, next(waits, "1") if is_post(route) else "5"))
    cell, box = page.locator("tr[data-name='busy'] td[data-field='.spec.port']"), page.locator("dialog.quick-dialog")
    cell.hover()
    page.locator("#cell-edit").click()
    expect(box.locator("input[name=wanted]")).to_be_focused()
    hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    cluster.create(hooks, unreachable_webhook(namespace))
    try:
        until(lambda: not is_writable(cluster, mydemos(namespace, "busy")), within=60, what="the webhook is asked")
        box.locator("input[name=wanted]").fill("9090")
        box.locator("input[name=wanted]").press("Enter")
        expect(box.locator("form[data-repeat='60']")).to_have_count(1)
        says = box.locator("[data-repeat-says]")
        expect(says).to_contain_text(re.compile(r"Sending again in \d+ s \(try 1 of 10\)"))
        box.get_by_role("button", name="Try now").click()
        expect(box.locator("form[data-repeat='1']")).to_have_count(1)  # which then goes on by itself
    finally:
        cluster.delete(f"{hooks}/{namespace}")
    expect(box).to_contain_text("8080 → 9090")
    expect(cell).to_have_text("9090")
    assert page.url.endswith(f"?namespace={namespace}")


def is_post(route: Route) -> bool:
    return route.request.method == "POST"


def test_the_key_i_edits_in_place_and_escape_leaves_all_as_it_was(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    before = cluster.create(mydemos(namespace), mydemo("keys"))
    open_list(page, dashboard, namespace)
    expect(page.locator("tr[data-name='keys']")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("i")
    expect(page.locator("dialog.quick-dialog input[name=wanted]")).to_have_value("10.0.0.1")
    expect(page.locator("dialog.quick-dialog input[name=wanted]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.quick-dialog")).to_be_hidden()
    assert cluster.get(mydemos(namespace, "keys"))["spec"] == before["spec"]


@pytest.mark.long
def test_all_of_it_works_without_scripts(
    chromium: Browser, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/deployments", workload("plain", replicas=3))
    context = chromium.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        scale = page.get_by_role("link", name="Scale")
        until(lambda: page.goto(f"{dashboard.url}/resources/deployments.apps/{namespace}/plain/") and scale.count())
        scale.click()
        page.locator("input[name=wanted]").fill("ten")
        page.locator("button[name=do]").click()
        expect(page.locator("main")).to_contain_text("“ten” is not a number of replicas")
        page.locator("input[name=wanted]").fill("4")
        page.locator("button[name=do]").click()
        expect(page.locator("main")).to_contain_text("Scaled 3 → 4.")
        assert cluster.get(f"/apis/apps/v1/namespaces/{namespace}/deployments/plain")["spec"]["replicas"] == 4
        page.goto(f"{dashboard.url}/resources/deployments.apps/{namespace}/plain/delete/")
        page.locator("button[name=delete]").click()
        expect(page.locator("main")).to_contain_text("The API server no longer has it")
    finally:
        context.close()


@pytest.mark.long
def test_a_drain_says_what_would_hold_it_and_is_followed_until_the_node_is_empty(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    dashboard.migrate()
    node = Node(cluster, namespace, f"node-of-{namespace}")
    cluster.create("/api/v1/nodes", {"metadata": {"name": node.name}})
    web = node.run("web-1")
    held = hold(cluster, namespace)
    page.goto(dashboard.url + node.page)
    expect(page.locator("main")).to_contain_text("Held for now. The PodDisruptionBudget keep-web")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.locator("input[name=seconds]").fill("40")
    expect(page.locator(".command")).to_contain_text("--grace-period=40")
    cluster.delete(held)
    page.locator("button[name=drain]").click()
    progress = page.locator("#drain")
    expect(progress).to_contain_text("evicted, is shutting down", timeout=40_000)
    assert "deletionTimestamp" in cluster.get(web)["metadata"]
    node.end("web-1")
    expect(progress).to_contain_text("Drained: 1 pod is gone.")
    cluster.delete(node.api)
