"""Tests of an open details page while its object is changed, deleted, created again and renamed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.browser.live_page import open_live
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos

pytestmark = pytest.mark.browser


def test_an_open_page_says_what_becomes_of_its_object(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    held = mydemo("one", port=4711)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.create(mydemos(namespace), held)
    one = mydemos(namespace, "one")
    open_live(page, f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/one/")
    notes, latest = page.locator(".note[role=status]"), page.locator(".change").first
    expect(page.locator(".say")).to_contain_text("port 4711")
    expect(latest).to_contain_text("created")

    cluster.patch(f"{one}?fieldManager=racer", {"spec": {"port": 4712}})
    expect(latest).to_contain_text("spec.port 4711 → 4712")
    expect(page.locator('.run[data-by="racer"]')).to_contain_text("port: 4712")
    cluster.delete(one)
    expect(notes).to_contain_text("Its deletion was asked for")
    cluster.patch(one, {"metadata": {"finalizers": None}})
    expect(notes).to_contain_text("This Mydemo was deleted")

    cluster.create(mydemos(namespace), mydemo("one", port=4713))
    expect(notes).to_contain_text("created again under the same name")
    cluster.create(mydemos(namespace), mydemo("two", port=4713))
    cluster.delete(one)
    expect(notes.first).to_contain_text("This Mydemo was deleted")
    expect(notes.last).to_contain_text("it may be the same under another name")
    notes.last.get_by_role("link", name="two").click()
    expect(page.locator("h1")).to_have_text("two")
