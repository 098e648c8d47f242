"""Tests of the pages of history with a real API server, the recorder and a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.e2e.test_moments import MYDEMOS, moments, mydemo, site
from tests.support.controlplane import ControlPlane
from tests.support.local_dashboard import ask
from tests.support.wait import until
from tools.axe import violations

__all__ = ["moments", "site"]

pytestmark = [pytest.mark.browser, pytest.mark.controlplane]


def test_the_versions_of_an_object_that_is_gone_are_walked_through_in_the_browser(
    page: Page, site: Dashboard, namespace: str, moments: list[str]
) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    assert moments
    page.goto(f"{site.url}/resources/mydemos.crddemo.k8s.io/?namespace={namespace}")
    page.get_by_role("link", name="Deleted").click()
    page.get_by_role("link", name=f"{namespace}/alpha").click()
    entries = page.locator("#rail li")
    expect(entries).to_have_count(3)
    expect(entries.nth(0)).to_contain_text("deleted")
    expect(entries.nth(1)).to_contain_text("80 → 8080")
    expect(entries.nth(2)).to_contain_text("created")
    assert violations(page) == []
    entries.nth(2).get_by_label("Compare from").focus()
    page.keyboard.press("Space")
    entries.nth(1).get_by_label("Compare to").check()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("to=.*from="))
    expect(page.locator("#comparison")).to_contain_text("8080")
    expect(page.locator(".compare-host")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("#comparison .diff-add").first).to_contain_text("port: 8080")
    page.get_by_role("link", name="Who set each field").click()
    expect(page.locator(".blame")).to_contain_text("spec.port")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="Open it as it was last").click()
    expect(page.get_by_role("region", name="Moment of the past")).to_be_visible()
    expect(page.locator("body")).to_contain_text("8080")
    assert problems == []


def test_the_key_h_leads_from_an_object_to_its_versions(
    page: Page, site: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(MYDEMOS.format(namespace), mydemo("beta", 80))
    address = f"{site.url}/resources/mydemos.crddemo.k8s.io/{namespace}/beta/"
    until(lambda: "created" in ask(f"{address}history/").body, what="its creation is recorded")
    page.goto(address)
    expect(page.get_by_role("link", name="History")).to_be_visible()
    page.keyboard.press("h")
    expect(page).to_have_url(f"{address}history/")
    expect(page.locator("#rail")).to_contain_text("created")
