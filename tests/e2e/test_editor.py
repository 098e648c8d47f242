"""Tests of the editor with its script: form and YAML stay in step, and concurrent changes show while typing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos

pytestmark = pytest.mark.browser

PORT = "[name='field.spec.port']"
YAML = "textarea[name=yaml]"
EDITOR = ".yaml-host .cm-content"


def opened(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> str:
    """Make Mydemo ``one`` and open its editor; gives its path in the API server."""
    cluster.create(mydemos(namespace), mydemo("one"))
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    return mydemos(namespace, "one")


@pytest.mark.long
def test_form_and_yaml_follow_each_other(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    opened(page, dashboard, cluster, namespace)
    text = page.locator(YAML)
    text.fill(text.input_value().replace("port: 8080", "port: 9090  # why"))
    expect(page.locator(PORT)).to_have_value("9090")
    expect(page.locator("#edit-review")).to_have_text("Review 1 change")
    page.fill(PORT, "9191")
    expect(text).to_have_value(re.compile(r"port: 9191  # why\n"))
    text.fill(text.input_value().replace("port: 9191", 'port: "9191'))
    expect(page.locator("#edit-problems")).to_contain_text("never closed")
    page.locator("#edit-problems [data-line]").click()
    expect(page.locator(EDITOR)).to_be_focused()
    text.fill(text.input_value().replace('port: "9191', "port: 9191"))
    expect(page.locator("#edit-problems")).to_be_empty()


def test_what_is_typed_before_the_script_has_come_counts(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(mydemos(namespace), mydemo("one"))
    held: list[Route] = []
    page.route("**/edit/edit.js*", lambda route: held.append(route))
    address = f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/"
    with page.expect_request("**/edit/edit.js*"):
        page.goto(address, wait_until="commit")
    page.fill(PORT, "9090")
    held[0].continue_()
    expect(page.locator(YAML)).to_have_value(re.compile("port: 9090"))
    expect(page.locator("#edit-review")).to_have_text("Review 1 change")


def test_what_the_server_said_about_a_field_goes_when_the_field_changes(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    opened(page, dashboard, cluster, namespace)
    page.fill(PORT, "70000")
    page.locator("button[name=review]").click()
    said = page.locator(".field", has=page.locator(PORT)).locator("small.bad")
    expect(said).to_contain_text("less than or equal to 65535")
    page.fill(PORT, "7000")
    expect(said).to_have_count(0)
    expect(page.locator("#edit-refusal")).to_contain_text("65535")


@pytest.mark.long
def test_others_changes_show_at_once_and_can_be_taken_in(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    one = opened(page, dashboard, cluster, namespace)
    page.fill(PORT, "9090")
    expect(page.locator(YAML)).to_have_value(re.compile("port: 9090"))
    cluster.patch(one, {"spec": {"ip": "10.0.0.2"}})
    note = page.locator("#edit-theirs")
    expect(note).to_contain_text("10.0.0.2")
    expect(note).to_contain_text("You have not touched it.")
    page.locator("button[name=take]").click()
    expect(page.locator(YAML)).to_have_value(re.compile(r"ip: 10\.0\.0\.2\n  port: 9090"))
    page.locator("button[name=review]").click()
    page.locator("button[name=save]").click()
    expect(page.locator("main")).to_contain_text("is saved.")
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.2", "port": 9090}


def test_a_deletion_shows_in_the_open_editor_and_the_text_stays(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    one = opened(page, dashboard, cluster, namespace)
    page.fill(PORT, "9090")
    expect(page.locator(YAML)).to_have_value(re.compile("port: 9090"))
    cluster.delete(one)
    expect(page.locator("#edit-theirs")).to_contain_text("was deleted since you opened it")
    expect(page.locator(YAML)).to_have_value(re.compile("port: 9090"))


FOLLOWED = """() => {
  window.followed = [];
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-key]");
    if (!link) return;
    event.preventDefault();
    window.followed.push(link.dataset.key);
  }, true);
}"""

WHOLE = """async () => {
  const hidden = document.querySelector("[id^='detail-']");
  const answer = await fetch(location.pathname.replace(/(edit|delete)\\/.*$/, ""));
  const policy = trustedTypes.createPolicy("deltaboard", { createHTML: (text) => text });
  const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), "text/html");
  hidden.replaceWith(document.adoptNode(page.querySelector("[id^='detail-']")));
}"""


def wait_for_details(page: Page, cluster: ControlPlane, one: str) -> None:
    """Change the object's status and wait for its frame; then put its details, links included, where a window has them.

    A frame brings only what differs; the whole comes, out of sight, after a reconnect.
    """
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    changed = cluster.patch(f"{one}/status", {"status": {"phase": page.title()}})
    expect(page.locator("[id^='detail-']")).to_have_attribute("data-version", changed["metadata"]["resourceVersion"])
    page.evaluate(WHOLE)
    expect(page.locator("[id^='detail-'] [data-key]")).to_have_count(4)


def followed(page: Page) -> list[str]:
    """The links to which the details' keys lead."""
    page.evaluate(FOLLOWED)
    for key in "edy":
        page.keyboard.press(key)
    found: list[str] = page.evaluate("window.followed")
    return found


def reviewed(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> str:
    """Go on from the editor to the review of a change; gives the object's path in the API server."""
    one = opened(page, dashboard, cluster, namespace)
    page.fill(PORT, "9090")
    page.locator("button[name=review]").click()
    expect(page.locator("button[name=save]")).to_be_visible()
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    return one


def asks_and_stays(page: Page) -> bool:
    """Click a link away from the page and say no to what asks then; whether that was the question about leaving."""
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog") as asked:
        page.locator(".crumbs a").last.click(no_wait_after=True)
    return asked.value.type == "beforeunload"


@pytest.mark.long
def test_the_details_keys_lead_away_from_no_page_that_writes(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    one = reviewed(page, dashboard, cluster, namespace)
    wait_for_details(page, cluster, one)
    assert followed(page) == []
    page.locator("button[name=save]").click()
    expect(page.locator("main")).to_contain_text("is saved.")
    for action in ("edit", "delete"):
        page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/one/{action}/")
        wait_for_details(page, cluster, one)
        assert followed(page) == []
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/one/")
    assert followed(page) == ["e", "d", "y"]


def test_leaving_a_review_asks_first(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> None:
    reviewed(page, dashboard, cluster, namespace)
    assert asks_and_stays(page)
    page.locator("button[name=edit]").click()
    expect(page.locator(YAML)).to_have_value(re.compile("port: 9090"))


def test_discard_in_another_tab_leaves_the_text_guarded(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    page.route("**/drafts/keep/", lambda route: route.abort())  # what is kept as a draft leaves without a question
    opened(page, dashboard, cluster, namespace)
    page.fill(PORT, "9090")
    expect(page.locator(YAML)).to_have_value(re.compile("port: 9090"))
    with page.context.expect_page():
        page.locator("button[name=discard]").click(modifiers=["Control"])
    assert asks_and_stays(page)
    expect(page.locator(YAML)).to_have_value(re.compile("port: 9090"))
    page.locator("button[name=discard]").click()
    expect(page.locator("h1")).to_have_text("one")
