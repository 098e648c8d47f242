"""Tests of a feed that reaches back into history, after a restart of two days, with a real API server and a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.e2e.test_moments import MYDEMOS, is_recorded, mydemo
from tests.support.controlplane import ControlPlane
from tests.support.live.history import shift_sqlite_history
from tests.support.local_dashboard import ask
from tests.support.pages.small_site import words
from tests.support.wait import until
from tools.axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.controlplane]

KEY = "mydemos.crddemo.k8s.io"
TWO_DAYS = 48 * 3_600_000_000


@pytest.fixture
def restarted(cluster: ControlPlane, namespace: str, tmp_path: Path) -> Iterator[Dashboard]:
    """A dashboard that has recorded two changes of alpha two days ago, and sees one of beta now."""
    program = Dashboard(cluster.kubeconfig, tmp_path, DELTABOARD_HISTORY="on")
    try:
        program.open().wait_until_live()
        until(lambda: is_recorded(program.url), within=60, what="it records")
        address = f"{program.url}/resources/{KEY}/{namespace}/alpha/history/"
        cluster.create(MYDEMOS.format(namespace), mydemo("alpha", 80))
        until(lambda: "created" in ask(address).body, what="the creation is recorded")
        cluster.patch(f"{MYDEMOS.format(namespace)}/alpha", {"spec": {"port": 8080}})
        until(lambda: "80 → 8080" in ask(address).body, what="the change is recorded")
        program.__exit__()
        shift_sqlite_history(tmp_path / "history", TWO_DAYS)
        program = Dashboard(cluster.kubeconfig, tmp_path, DELTABOARD_HISTORY="on")
        program.open().wait_until_live()
        until(lambda: is_recorded(program.url), within=60, what="it records again")
        cluster.create(MYDEMOS.format(namespace), mydemo("beta", 80))
        until(lambda: "beta" in ask(f"{program.url}/feed/?namespace={namespace}").body)
        yield program
    finally:
        program.__exit__()


@pytest.mark.long
def test_ranges_of_days_show_what_was_recorded_and_the_gap(page: Page, restarted: Dashboard, namespace: str) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{restarted.url}/feed/?namespace={namespace}&kind={KEY}")
    lines = page.locator("ol.feed[data-hold] > li")
    expect(lines).to_have_count(4)
    expect(lines.nth(0)).to_contain_text("beta")
    expect(lines.nth(1)).to_contain_text("Changes may be missing from")
    expect(lines.nth(2)).to_contain_text("80 → 8080")
    expect(lines.nth(3)).to_contain_text("alpha")
    page.get_by_role("navigation", name="Spans of time").get_by_role("link", name="7d").click()
    expect(page).to_have_url(re.compile("last=7d"))
    expect(lines).to_have_count(4)
    expect(page.locator(".sums")).to_contain_text("2 added")
    expect(page.locator(".sums")).to_contain_text("1 modified")
    expect(page.locator("#picture .f-unknown").last).to_be_attached()
    expect(page.locator("#picture .untold").first).to_contain_text("Changes may be missing from")
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 1200, "height": 900})
    box = page.locator("#picture svg").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 20, steps=5)
    page.mouse.up()
    expect(page).to_have_url(re.compile("from=.*&to="))
    expect(page.locator("h1")).to_contain_text("2 changes")
    expect(lines.filter(has_text="alpha")).to_have_count(2)
    address = urlsplit(page.url)
    plain = ask(f"{restarted.url}{address.path}?{address.query}").body
    assert "80 → 8080" in words(plain), "without scripts, too"
    page.goto(f"{restarted.url}/resources/{KEY}/{namespace}/alpha/")
    expect(page.locator('[id^="changes-"].lines')).to_contain_text("80 → 8080")
    page.goto(f"{restarted.url}/why/{KEY}/{namespace}/alpha/")
    expect(page.locator("main")).to_contain_text("80 → 8080")
    expect(page.locator("main")).to_contain_text("Changes may be missing from")
    assert problems == []
