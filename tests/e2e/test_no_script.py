"""Tests of pages in a browser without scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import pod, pods
from tests.support.wait import until

pytestmark = pytest.mark.browser


def test_a_page_reads_without_javascript(
    new_context: Callable[..., BrowserContext], dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(pods(namespace), pod("plain"))
    page = new_context(java_script_enabled=False).new_page()
    row = page.locator("tbody tr[data-name='plain']")
    address = f"{dashboard.url}/resources/pods/?namespace={namespace}"
    until(lambda: page.goto(address) and row.count() == 1, what="a page with the pod")
    expect(page.locator("noscript p")).to_contain_text("This page does not update")
    expect(page.locator("#list noscript a")).to_have_text("Change all that match")
