"""Tests of the page /status/ of a whole program, in a real browser."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from informerd.version import VERSION
from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tools.axe import violations

pytestmark = pytest.mark.browser


def figure(page: Page, name: str) -> Locator:
    return page.locator(f"#status dt:text-is('{name}') + dd")


def test_it_shows_what_the_process_uses_whom_it_serves_and_how_fresh_each_kind_is(
    page: Page, new_context: Callable[..., BrowserContext], dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    page.goto(f"{dashboard.url}/status/")
    assert dashboard.process is not None
    expect(figure(page, "Version")).to_contain_text(f"Deltaboard {VERSION}, Python 3.")
    expect(figure(page, "Process")).to_contain_text(f"process {dashboard.process.pid}: pages and worker in one")
    pages = Path(f"/proc/{dashboard.process.pid}/statm").read_text().split()[1]
    resident = int(pages) * os.sysconf("SC_PAGESIZE") / 2**20
    shown = re.match(r"[\d,]+", figure(page, "Memory").inner_text())
    assert shown is not None
    assert abs(int(shown[0].replace(",", "")) - resident) < 0.2 * resident
    expect(figure(page, "Kubernetes")).to_have_text(re.compile(r"^v1\.\d+"))
    expect(page.locator("#status li")).to_contain_text("what pages show comes from it")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="Namespaces", exact=True))
    expect(row).to_contain_text("live")
    before = row.locator("td.n").first.inner_text()
    assert int(before) >= 4
    assert violations(page, part="#status") == []

    cluster.create_namespace(f"{namespace}-more")  # the page reads itself again
    expect(row.locator("td.n").first).not_to_have_text(before)
    expect(figure(page, "Open pages")).to_contain_text("1 of 2,000")
    new_context().new_page().goto(f"{dashboard.url}/resources/pods/")
    expect(figure(page, "Open pages")).to_contain_text("2 of 2,000", timeout=30_000)
    expect(figure(page, "Views kept current")).to_have_text("1")


def test_the_panel_of_the_header_and_the_palette_lead_to_it(page: Page, dashboard: Dashboard) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{dashboard.url}/")
    page.locator("summary.fresh").click()
    page.get_by_role("link", name="Memory, sockets and versions").click()
    expect(page).to_have_title(re.compile("^Status of Deltaboard"))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.goto(f"{dashboard.url}/")
    page.keyboard.press("Control+k")
    page.keyboard.type("status of")
    page.get_by_role("option", name="Status of Deltaboard").click()
    expect(page).to_have_title(re.compile("^Status of Deltaboard"))
