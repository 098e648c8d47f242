"""Tests of bulk changes in a browser, with scripts and without, checked in the API server."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos
from tests.support.wait import until

pytestmark = pytest.mark.browser

PAGE = "/resources/mydemos.crddemo.k8s.io/"


def labels(cluster: ControlPlane, namespace: str) -> list[dict[str, str]]:
    return [each["metadata"].get("labels") or {} for each in cluster.get(mydemos(namespace))["items"]]


@pytest.mark.long
def test_all_that_match_are_labelled_after_one_review_and_the_list_shows_it(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    dashboard.migrate()
    for number in range(110):
        cluster.create(mydemos(namespace), mydemo(f"many-{number:03d}"))
    page.goto(f"{dashboard.url}{PAGE}?namespace={namespace}")
    expect(page.locator("#list [data-total]").first).to_have_attribute("data-total", "110")
    page.locator("tr[data-name='many-000'] .c-select input").click()
    page.get_by_role("button", name="Select all 110 that match").click()
    expect(page.locator("#selection [data-words]")).to_contain_text("110 selected")
    page.get_by_role("button", name="Change…").click()
    page.get_by_label("Labels to set").fill("team=payments")
    expect(page.get_by_label("Annotations to set")).to_be_hidden()
    page.get_by_role("button", name="Try it out").click()
    expect(page.locator("h1")).to_contain_text("Review")
    expect(page.locator(".edit-change")).to_have_count(1)
    expect(page.locator(".edit-change")).to_contain_text("payments")
    page.get_by_role("button", name="Change 110 Mydemos").click()
    expect(page.locator("#run")).to_contain_text("110 changed.")
    assert labels(cluster, namespace) == [{"team": "payments"}] * 110
    page.goto(f"{dashboard.url}{PAGE}?namespace={namespace}&q=label%3Ateam%3Dpayments")
    expect(page.locator("#list [data-total]").first).to_have_attribute("data-total", "110")


def test_without_scripts_all_that_match_are_deleted_by_forms_alone(
    chromium: Browser, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    dashboard.migrate()
    for name in ("one", "two"):
        cluster.create(mydemos(namespace), mydemo(name))
    context = chromium.new_context(java_script_enabled=False)
    context.set_default_timeout(30_000)
    page = context.new_page()
    rows = page.locator("tbody tr")
    until(lambda: page.goto(f"{dashboard.url}{PAGE}?namespace={namespace}") and rows.count() == 2, what="both are read")
    page.get_by_role("link", name="Change all that match").click()
    page.get_by_role("button", name="Choose what to do").click()
    page.get_by_label("Delete", exact=True).check()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Delete 2 Mydemos").click()
    expect(page.locator("#run")).to_contain_text("2 deleted.")
    assert cluster.get(mydemos(namespace))["items"] == []
    context.close()
