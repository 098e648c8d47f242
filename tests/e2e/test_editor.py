"""The editor with its script: form and YAML are one, and what others do shows while somebody types."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.controlplane import ControlPlane
from tests.e2e.conftest import Dashboard
from tests.e2e.objects import mydemo, mydemos

pytestmark = pytest.mark.browser

PORT = "[name='field.spec.port']"
YAML = "textarea[name=yaml]"


def opened(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> str:
    """Make Mydemo ``one`` and open its editor; gives its path in the API server."""
    cluster.create(mydemos(namespace), mydemo("one"))
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    return mydemos(namespace, "one")


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
    expect(text).to_be_focused()
    text.fill(text.input_value().replace('port: "9191', "port: 9191"))
    expect(page.locator("#edit-problems")).to_be_empty()


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
